"""A brain's faces to the network: REST and MCP. It is handed a gate, and knows neither client nor engine."""

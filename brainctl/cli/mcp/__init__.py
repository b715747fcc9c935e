"""A brain as tools for an agent."""

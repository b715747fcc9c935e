"""Teaching any number of facts."""

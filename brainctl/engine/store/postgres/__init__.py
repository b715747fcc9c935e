"""Brains in a PostgreSQL database: any number of workspaces, for any number of processes and hosts."""

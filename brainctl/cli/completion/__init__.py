"""Completion scripts, made from the command tree: whatever a command takes, its shells know."""

"""One rate budget for all processes of this machine."""

"""Many requests from one file."""

"""A brain in one SQLite file."""

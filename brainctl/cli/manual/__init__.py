"""Man pages, made from the command tree."""

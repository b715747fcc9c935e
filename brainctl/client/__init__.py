"""A brain far away, over HTTP."""

"""What may be wrong with a set-up: a small function for each thing that can be."""

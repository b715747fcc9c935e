"""What is said between a brain and whoever uses it: requests, replies, bounds, errors, and the Brain interface."""

"""The brain of one's own, in its owner's hands."""

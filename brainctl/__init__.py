"""brainctl: a workspace brain in the shell."""

__version__ = "0.1.0"

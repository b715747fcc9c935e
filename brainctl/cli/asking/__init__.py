"""Asking a question, and never losing its answer."""

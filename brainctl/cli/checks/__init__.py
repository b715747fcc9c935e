"""What a brain must still know, or must not show."""

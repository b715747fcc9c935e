"""Keys and environments on this machine: where they lie, which one a command uses, and how they are changed."""

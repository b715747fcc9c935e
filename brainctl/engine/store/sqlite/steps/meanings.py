"""A step of a brain's file: what its facts mean, as a model's vectors, where the owner wants them."""

from typing import Final

MEANINGS: Final = (
    # A row: facts are also found by their meaning, as this model has it; its name is the digest of its file.
    """
    CREATE TABLE meanings (
        workspace INTEGER PRIMARY KEY REFERENCES workspaces,
        model TEXT NOT NULL
    )
    """,
    # A vector is a direction: each number a signed byte, its length of no account. Facts get theirs in the order
    # of their rows, so those without one are the last.
    """
    CREATE TABLE vectors (
        row INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        vector BLOB NOT NULL
    )
    """,
)

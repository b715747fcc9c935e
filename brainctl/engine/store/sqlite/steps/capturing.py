"""A step of a brain's file: whether a model helps to capture, and which process gives facts their vectors."""

from typing import Final

CAPTURING: Final = (
    # A row: this worker's model is asked about what is taught. Its configuration may come later, or go.
    """
    CREATE TABLE capturing (
        workspace INTEGER PRIMARY KEY REFERENCES workspaces,
        worker TEXT NOT NULL
    )
    """,
    # Of several processes one gives facts their vectors, as long as it says so again before its time is over.
    """
    CREATE TABLE indexing (
        workspace INTEGER PRIMARY KEY REFERENCES workspaces,
        holder TEXT NOT NULL,
        until INTEGER NOT NULL
    )
    """,
)

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
    # A vector is a direction: each number a signed byte, its length of no account.
    """
    CREATE TABLE vectors (
        row INTEGER PRIMARY KEY REFERENCES facts ON DELETE CASCADE,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        vector BLOB NOT NULL
    )
    """,
    # Facts that have no vector yet, where the owner wants them. Those that an external key may be shown go first: how
    # many others are waiting must not tell in what it finds.
    """
    CREATE TABLE vectors_pending (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        hidden INTEGER NOT NULL CHECK (hidden IN (0, 1)),
        row INTEGER NOT NULL REFERENCES facts ON DELETE CASCADE,
        PRIMARY KEY (workspace, hidden, row)
    ) WITHOUT ROWID
    """,
    "CREATE INDEX vectors_pending_by_row ON vectors_pending (row)",
    """
    CREATE TRIGGER facts_await_vectors AFTER INSERT ON facts
    WHEN EXISTS (SELECT 1 FROM meanings WHERE workspace = NEW.workspace)
    BEGIN
        INSERT INTO vectors_pending (workspace, hidden, row)
        VALUES (NEW.workspace, NEW.shelf NOT IN ('open', 'personal'), NEW.row);
    END
    """,
    """
    CREATE TRIGGER facts_await_vectors_elsewhere AFTER UPDATE OF shelf ON facts WHEN NEW.shelf <> OLD.shelf
    BEGIN
        UPDATE vectors_pending SET hidden = NEW.shelf NOT IN ('open', 'personal') WHERE row = NEW.row;
    END
    """,
)

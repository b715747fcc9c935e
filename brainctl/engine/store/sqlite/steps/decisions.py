"""A step of a brain's file: what was decided of each text that it was taught, and by which rule."""

from typing import Final

DECISIONS: Final = (
    # fact_id: the fact that a text became, or that it repeated. against: the fact it replaced. The text is not kept a
    # second time: its digest tells one telling from another. key_id is NULL where the owner decided.
    """
    CREATE TABLE decisions (
        place INTEGER PRIMARY KEY,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        fact_id TEXT NOT NULL,
        told BLOB NOT NULL,
        action TEXT NOT NULL CHECK (action IN ('create', 'supersede', 'skip', 'restore')),
        against TEXT,
        reason TEXT NOT NULL,
        kind_rule TEXT NOT NULL,
        subject_rule TEXT NOT NULL,
        key_id TEXT REFERENCES keys,
        decided INTEGER NOT NULL
    )
    """,
    "CREATE INDEX decisions_by_fact ON decisions (fact_id, place)",
    "CREATE INDEX decisions_against ON decisions (against) WHERE against IS NOT NULL",
    # A text that is told again and again is one line, and not a file that grows.
    "CREATE UNIQUE INDEX decisions_repeated ON decisions (fact_id, told, key_id) WHERE action = 'skip'",
)

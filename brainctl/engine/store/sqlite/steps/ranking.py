"""A step of a brain's file: what ranking looks up, so that its cost does not grow with the brain."""

from typing import Final

RANKING: Final = (
    # In how many facts of a shelf each term occurs. The index could tell, but by reading every place of the term.
    """
    CREATE TABLE frequencies (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        shelf TEXT NOT NULL,
        term TEXT NOT NULL,
        facts INTEGER NOT NULL CHECK (facts > 0),
        PRIMARY KEY (workspace, shelf, term)
    ) WITHOUT ROWID
    """,
    # A file holds one workspace, and its indexes know of no other.
    """
    INSERT INTO frequencies (workspace, shelf, term, facts)
        SELECT (SELECT min(workspace) FROM workspaces), 'open', term, doc FROM open_vocabulary
        UNION ALL
        SELECT (SELECT min(workspace) FROM workspaces), 'inner', term, doc FROM inner_vocabulary
    """,
    # By shelf first: a viewer's time is not spent on what it may not see.
    "CREATE INDEX facts_on_shelf_by_subject ON facts (workspace, shelf, subject_key, recorded_time)",
    # The order in which a source told its facts.
    "CREATE INDEX facts_told_together ON facts (workspace, shelf, recorded_time) WHERE origin = 'ingested'",
)

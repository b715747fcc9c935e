"""The first step of a brain's file: its facts and their index, whom they may be about, and keys."""

from typing import Final

FIRST: Final = (
    """
    CREATE TABLE workspaces (
        workspace INTEGER PRIMARY KEY,
        name TEXT NOT NULL,
        created INTEGER NOT NULL
    )
    """,
    # Only the digest of a secret is kept: the file gives no key away.
    """
    CREATE TABLE keys (
        key_id TEXT PRIMARY KEY,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        name TEXT NOT NULL,
        prefix TEXT NOT NULL,
        digest BLOB NOT NULL UNIQUE,
        scopes TEXT NOT NULL,
        audience TEXT NOT NULL CHECK (audience IN ('internal', 'external')),
        created INTEGER NOT NULL,
        expires INTEGER,
        revoked INTEGER
    )
    """,
    "CREATE UNIQUE INDEX keys_by_live_name ON keys (workspace, name) WHERE revoked IS NULL",
    """
    CREATE TABLE people (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        person_id TEXT NOT NULL,
        name TEXT NOT NULL,
        name_key TEXT NOT NULL,
        PRIMARY KEY (workspace, person_id)
    ) WITHOUT ROWID
    """,
    """
    CREATE TABLE members (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        name_key TEXT NOT NULL,
        name TEXT NOT NULL,
        PRIMARY KEY (workspace, name_key)
    ) WITHOUT ROWID
    """,
    # judged: whom the fact seemed to be about with nobody known; about and person_id: given who is known now.
    # stated: the subject was given with the fact, so names in its text say nothing about whom it is about.
    # outside: an external key taught it. normal: the form in which two tellings are equal; compared by digest.
    """
    CREATE TABLE facts (
        row INTEGER PRIMARY KEY,
        fact_id TEXT NOT NULL UNIQUE,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        text TEXT NOT NULL,
        kind TEXT NOT NULL,
        origin TEXT NOT NULL
            CHECK (origin IN ('user_stated', 'ingested', 'agent_inferred', 'agent_action', 'system')),
        subject TEXT,
        subject_key TEXT NOT NULL,
        stated INTEGER NOT NULL CHECK (stated IN (0, 1)),
        judged TEXT NOT NULL CHECK (judged IN ('general', 'person', 'team', 'worker')),
        about TEXT NOT NULL CHECK (about IN ('general', 'person', 'team', 'worker')),
        person_id TEXT CHECK (person_id IS NULL OR about = 'person'),
        confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
        recorded_time INTEGER NOT NULL,
        pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
        shelf TEXT NOT NULL CHECK (shelf IN ('open', 'inner', 'personal', 'past')),
        terms TEXT NOT NULL,
        normal TEXT NOT NULL,
        normal_digest BLOB NOT NULL,
        taught_by TEXT REFERENCES keys,
        outside INTEGER NOT NULL CHECK (outside IN (0, 1)),
        superseded_by TEXT REFERENCES facts (fact_id) DEFERRABLE INITIALLY DEFERRED,
        CHECK ((superseded_by IS NULL) = (shelf <> 'past')),
        FOREIGN KEY (workspace, person_id) REFERENCES people DEFERRABLE INITIALLY DEFERRED
    )
    """,
    "CREATE INDEX facts_by_person ON facts (workspace, person_id) WHERE person_id IS NOT NULL",
    "CREATE INDEX facts_by_subject ON facts (workspace, subject_key, recorded_time)",
    "CREATE INDEX facts_by_normal ON facts (workspace, normal_digest)",
    "CREATE INDEX facts_pinned ON facts (workspace) WHERE pinned = 1",
    "CREATE INDEX facts_replaced ON facts (superseded_by) WHERE superseded_by IS NOT NULL",
    # How much stands on each shelf: what a ranking divides by, of what its reader may see and of nothing else.
    """
    CREATE TABLE shelves (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        shelf TEXT NOT NULL,
        facts INTEGER NOT NULL,
        terms INTEGER NOT NULL,
        PRIMARY KEY (workspace, shelf)
    ) WITHOUT ROWID
    """,
    # An index a shelf: with one for all, the order of what an external key sees would tell of what it may not see.
    # Terms come analysed, blanks between them, so the plainest tokenizer will do.
    "CREATE VIRTUAL TABLE open_index USING fts5 (terms, content = '', tokenize = 'ascii')",
    "CREATE VIRTUAL TABLE inner_index USING fts5 (terms, content = '', tokenize = 'ascii')",
    "CREATE VIRTUAL TABLE open_vocabulary USING fts5vocab ('open_index', 'row')",
    "CREATE VIRTUAL TABLE inner_vocabulary USING fts5vocab ('inner_index', 'row')",
)

"""The tables of a brain's file, and the steps that bring an older file up to date.

A step, once released, is never changed; a new one is added behind it. The file's `user_version` counts the steps
it has seen, and its `application_id` says that it is a brain at all.
"""

import sqlite3
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine.store.sqlite.steps.answers import ANSWERS
from brainctl.engine.store.sqlite.steps.capturing import CAPTURING
from brainctl.engine.store.sqlite.steps.decisions import DECISIONS
from brainctl.engine.store.sqlite.steps.meanings import MEANINGS
from brainctl.engine.store.sqlite.steps.ranking import RANKING

APPLICATION_ID: Final = 0x42524E31

_FIRST: Final = (
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

STEPS: Final[tuple[tuple[str, ...], ...]] = (_FIRST, ANSWERS, RANKING, MEANINGS, DECISIONS, CAPTURING)
VERSION: Final = len(STEPS)


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps a file has seen. Raises `store_error` where it is no brain, or a newer one than this program."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise BrainError(
            "store_error",
            "This file is not a brain: it belongs to another program, or is empty; "
            "make one elsewhere with `brainctl brain init`",
        )
    if version > VERSION:
        raise BrainError(
            "store_error",
            f"This brain was written by a newer brainctl (its format is {version}, this one knows {VERSION}); "
            "upgrade brainctl to open it",
        )
    return int(version)


def upgrade(connection: sqlite3.Connection, steps: tuple[tuple[str, ...], ...] = STEPS) -> None:
    """Bring a brain up to date, all steps or none. The first of several processes does it."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        (seen,) = connection.execute("PRAGMA user_version").fetchone()
        for statements in steps[seen:]:
            for statement in statements:
                connection.execute(statement)
        if seen < len(steps):
            connection.execute(f"PRAGMA user_version = {len(steps)}")
        connection.execute("COMMIT")
    except BaseException:
        # On a full disk SQLite has done so by itself.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise

"""The steps that bring a brain's file up to date. Loaded only where one is not.

A step, once released, is never changed; a new one is added behind it.
"""

import sqlite3
from typing import Final

from brainctl.engine.store.sqlite.steps.answers import ANSWERS
from brainctl.engine.store.sqlite.steps.capturing import CAPTURING
from brainctl.engine.store.sqlite.steps.decisions import DECISIONS
from brainctl.engine.store.sqlite.steps.first import FIRST
from brainctl.engine.store.sqlite.steps.looking_up import LOOKING_UP
from brainctl.engine.store.sqlite.steps.meanings import MEANINGS
from brainctl.engine.store.sqlite.steps.ranking import RANKING

STEPS: Final[tuple[tuple[str, ...], ...]] = (
    FIRST,
    ANSWERS,
    RANKING,
    MEANINGS,
    DECISIONS,
    CAPTURING,
    LOOKING_UP,
)


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

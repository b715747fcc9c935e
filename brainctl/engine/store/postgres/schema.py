"""The tables of a brain's database, and the steps that bring an older one up to date.

A step, once released, is never changed; a new one is added behind it. The table `schema_steps` says which steps a
database has seen.
"""

from typing import TYPE_CHECKING, Final

from brainctl.contract.errors import BrainError
from brainctl.engine.store.postgres.steps.capturing import CAPTURING
from brainctl.engine.store.postgres.steps.changes import CHANGES
from brainctl.engine.store.postgres.steps.first import FIRST
from brainctl.engine.store.postgres.steps.looking_up import LOOKING_UP

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

STEPS: Final[tuple[tuple[str, ...], ...]] = (FIRST, CAPTURING, CHANGES, LOOKING_UP)
VERSION: Final = len(STEPS)
OLDEST_SERVER: Final = 15
_LOCK: Final = 0x6272_6169_6E63_746C
"""The name under which one process at a time changes the tables."""


def version_of(connection: "PostgresConnection") -> int:
    """How many steps a database has seen, 0 where it holds no brain. Raises `store_error` for a newer one."""
    (there,) = connection.execute("SELECT to_regclass('brainctl.schema_steps') IS NOT NULL").fetchone()
    if not there:
        return 0
    (version,) = connection.execute("SELECT coalesce(max(step), 0) FROM brainctl.schema_steps").fetchone()
    if version > VERSION:
        raise BrainError(
            "store_error",
            f"This brain was written by a newer brainctl (its format is {version}, this one knows {VERSION}); "
            "upgrade brainctl to open it",
        )
    return int(version)


def upgrade(connection: "PostgresConnection", steps: tuple[tuple[str, ...], ...] = STEPS) -> None:
    """Bring a database up to date inside a transaction, all steps or none. The first of several processes does it."""
    # Others wait for as long as the steps take, and a step on a large table takes long.
    for limit in ("lock_timeout", "statement_timeout"):
        connection.execute(f"SET LOCAL {limit} = 0")
    connection.execute("SELECT pg_advisory_xact_lock(?)", (_LOCK,))
    seen = version_of(connection)
    if not seen:
        # Only where there is none: who may use a schema need not be one who may make it.
        if not connection.execute("SELECT 1 FROM pg_namespace WHERE nspname = 'brainctl'").fetchone():
            connection.execute("CREATE SCHEMA brainctl")
        connection.execute(
            "CREATE TABLE schema_steps (step integer PRIMARY KEY, taken timestamptz NOT NULL DEFAULT now())"
        )
    for number, statements in enumerate(steps[seen:], start=seen + 1):
        for statement in statements:
            connection.execute(statement)
        connection.execute("INSERT INTO schema_steps (step) VALUES (?)", (number,))

"""What a workspace may still spend. An answer costs one credit when it is accepted; teaching costs none, and is
refused with answers once there are none left. A workspace whose credits are not counted never runs out.
"""

import sqlite3

from brainctl.contract.errors import BrainError
from brainctl.engine.store.sqlite.store import SqliteStore


def _balance(connection: sqlite3.Connection, workspace: int) -> int | None:
    row = connection.execute("SELECT balance FROM credits WHERE workspace = ?", (workspace,)).fetchone()
    return int(row[0]) if row else None


def charge(connection: sqlite3.Connection, workspace: int) -> None:
    """Take one credit inside a write transaction. Raises `out_of_credits`."""
    balance = _balance(connection, workspace)
    if balance is None:
        return
    if balance == 0:
        raise BrainError("out_of_credits")
    connection.execute("UPDATE credits SET balance = balance - 1 WHERE workspace = ?", (workspace,))


def require_credit(store: SqliteStore, workspace: int) -> None:
    """Raises `out_of_credits` where nothing is left."""
    if balance(store, workspace) == 0:
        raise BrainError("out_of_credits")


def balance(store: SqliteStore, workspace: int) -> int | None:
    """What is left; None where credits are not counted."""
    with store.reading() as connection:
        return _balance(connection, workspace)


def set_balance(store: SqliteStore, workspace: int, credits_left: int | None) -> None:
    """Start to count with so many credits, or stop counting with None. Raises `validation_error` below zero."""
    if credits_left is not None and not 0 <= credits_left < 1 << 62:
        raise BrainError("validation_error", "Credits are a number from 0 on, or `off` to count none")
    with store.transaction() as connection:
        connection.execute("DELETE FROM credits WHERE workspace = ?", (workspace,))
        if credits_left is not None:
            connection.execute(
                "INSERT INTO credits (workspace, balance) VALUES (?, ?)", (workspace, credits_left)
            )

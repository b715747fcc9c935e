"""What a workspace may still spend. An answer costs one credit when it is accepted; teaching costs none, and is
refused with answers once there are none left. A workspace whose credits are not counted never runs out.
"""

from brainctl.contract.errors import BrainError
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.store import Store


def _balance(connection: Connection, workspace: int) -> int | None:
    row = connection.execute("SELECT balance FROM credits WHERE workspace = ?", (workspace,)).fetchone()
    return int(row[0]) if row else None


def charge(connection: Connection, workspace: int) -> None:
    """Take one credit inside a write transaction. Raises `out_of_credits`."""
    taken = connection.execute(
        "UPDATE credits SET balance = balance - 1 WHERE workspace = ? AND balance > 0", (workspace,)
    )
    if not taken.rowcount and _balance(connection, workspace) is not None:
        raise BrainError("out_of_credits")


def require_credit(store: Store, workspace: int) -> None:
    """Raises `out_of_credits` where nothing is left."""
    if balance(store, workspace) == 0:
        raise BrainError("out_of_credits")


def balance(store: Store, workspace: int) -> int | None:
    """What is left; None where credits are not counted."""
    with store.reading() as connection:
        return _balance(connection, workspace)


def set_balance(store: Store, workspace: int, credits_left: int | None) -> None:
    """Start to count with so many credits, or stop counting with None. Raises `validation_error` below zero."""
    if credits_left is not None and not 0 <= credits_left < 1 << 62:
        raise BrainError("validation_error", "Credits are a number from 0 on, or `off` to count none")
    with store.transaction(("credits", workspace)) as connection:
        connection.execute("DELETE FROM credits WHERE workspace = ?", (workspace,))
        if credits_left is not None:
            connection.execute(
                "INSERT INTO credits (workspace, balance) VALUES (?, ?)", (workspace, credits_left)
            )

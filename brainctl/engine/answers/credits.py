"""What a workspace may still spend. An answer costs one credit when it is accepted; teaching costs none, and is
refused with answers once there are none left. A workspace whose credits are not counted never runs out.
"""

from brainctl.contract.errors import BrainError
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.credits import read_balance, take_credit, write_balance
from brainctl.engine.store.store import Store


def charge(connection: Connection, workspace: int) -> None:
    """Take one credit inside a write transaction. Raises `out_of_credits`."""
    while not take_credit(connection, workspace):
        left = read_balance(connection, workspace)
        if left is None:
            return
        if not left:
            raise BrainError("out_of_credits")
        # Credits were given between the two.


def require_credit(store: Store, workspace: int) -> None:
    """Raises `out_of_credits` where nothing is left."""
    if balance(store, workspace) == 0:
        raise BrainError("out_of_credits")


def balance(store: Store, workspace: int) -> int | None:
    """What is left; None where credits are not counted."""
    with store.reading() as connection:
        return read_balance(connection, workspace)


def set_balance(store: Store, workspace: int, credits_left: int | None) -> None:
    """Start to count with so many credits, or stop counting with None. Raises `validation_error` below zero."""
    if credits_left is not None and not 0 <= credits_left < 1 << 62:
        raise BrainError("validation_error", "Credits are a number from 0 on, or `off` to count none")
    with store.transaction() as connection:
        write_balance(connection, workspace, credits_left)

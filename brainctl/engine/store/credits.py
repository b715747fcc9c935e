"""What a workspace may still spend: a number in, a number out. Without a row nothing is counted."""

from brainctl.engine.store.connection import Connection


def read_balance(connection: Connection, workspace: int) -> int | None:
    """What is left; None where credits are not counted."""
    row = connection.execute("SELECT balance FROM credits WHERE workspace = ?", (workspace,)).fetchone()
    return int(row[0]) if row else None


def take_credit(connection: Connection, workspace: int) -> bool:
    """Take one; False where none is left, or none are counted."""
    taken = connection.execute(
        "UPDATE credits SET balance = balance - 1 WHERE workspace = ? AND balance > 0", (workspace,)
    )
    return taken.rowcount > 0


def write_balance(connection: Connection, workspace: int, balance: int | None) -> None:
    """Count from this number, or with None count no more."""
    if balance is None:
        connection.execute("DELETE FROM credits WHERE workspace = ?", (workspace,))
        return
    # The row stays: who waits to take from it would find it gone, and not see the one in its place.
    connection.execute(
        "INSERT INTO credits (workspace, balance) VALUES (?, ?) "
        "ON CONFLICT (workspace) DO UPDATE SET balance = excluded.balance",
        (workspace, balance),
    )


def write_first_balance(connection: Connection, workspace: int, balance: int) -> None:
    """Count from this number, unless something is counted already."""
    connection.execute(
        "INSERT INTO credits (workspace, balance) VALUES (?, ?) ON CONFLICT (workspace) DO NOTHING",
        (workspace, balance),
    )

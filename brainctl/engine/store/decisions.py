"""What was decided of the texts a brain was taught."""

from typing import Final, Literal, NamedTuple

from brainctl.engine.digest import sha256
from brainctl.engine.store.connection import Connection

Decided = Literal["create", "supersede", "skip", "restore"]


class Decision(NamedTuple):
    """What became of a text. `fact_id` is the fact that it became, or that it repeated; `against`, the fact it
    replaced. `kind_rule` and `subject_rule` say how kind and subject were told, `key_id` who taught it, None for the
    owner; `decided` is milliseconds since 1970. `told` is the digest of the text.
    """

    fact_id: str
    told: bytes
    action: Decided
    against: str | None
    reason: str
    kind_rule: str
    subject_rule: str
    key_id: str | None
    decided: int


_COLUMNS: Final = ", ".join(Decision._fields)


def digest_of(text: str) -> bytes:
    return sha256(text.encode())[:16]


def write_decision(connection: Connection, workspace: int, decision: Decision) -> None:
    """Write what was decided; of a text that is told again, the time."""
    if decision.action == "skip":
        told_before = connection.execute(
            "UPDATE decisions SET decided = ? "
            "WHERE workspace = ? AND fact_id = ? AND told = ? AND key_id = ? AND action = 'skip'",
            (decision.decided, workspace, decision.fact_id, decision.told, decision.key_id),
        )
        if told_before.rowcount:
            return
    connection.execute(
        f"INSERT INTO decisions (workspace, {_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",  # noqa: S608 - the names of columns
        (workspace, *decision),
    )


def read_decisions(connection: Connection, workspace: int, fact_id: str) -> list[Decision]:
    """All that was decided of a fact, the oldest first: how it came, what repeated it, what replaced it."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM decisions WHERE workspace = ? AND (fact_id = ? OR against = ?) ORDER BY place",  # noqa: S608 - the names of columns
        (workspace, fact_id, fact_id),
    )
    return list(map(Decision._make, rows))

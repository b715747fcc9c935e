"""Facts read from the store as their owner sees them: all of them, and all that is stored of each.

No key comes this way. What a key may see is read through `reading` alone.
"""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

from brainctl.engine.capture.claims import About
from brainctl.engine.disclosure import Shelf
from brainctl.engine.store.connection import Connection
from brainctl.engine.words.text import fold


class OwnedFact(NamedTuple):
    """A fact as it is stored. `recorded_time` is milliseconds since 1970; `taught_by` is a key's id, None for the
    owner; `stated` says that the subject came with the fact; `judged` is whom it seemed to be about with nobody
    known; `terms`, blanks between them, are what it is found by.
    """

    row: int
    fact_id: str
    text: str
    kind: str
    origin: str
    subject: str | None
    stated: bool
    judged: About
    about: About
    person_id: str | None
    confidence: float
    recorded_time: int
    pinned: bool
    shelf: Shelf
    terms: str
    normal: str
    taught_by: str | None
    outside: bool
    superseded_by: str | None


_COLUMNS: Final = ", ".join(OwnedFact._fields)


class Choice(NamedTuple):
    """Which facts are meant: those that have all of what is not None. `past` are the superseded ones."""

    subject: str | None = None
    kind: str | None = None
    origin: str | None = None
    person_id: str | None = None
    past: bool = False


def _owned(row: tuple[Any, ...]) -> OwnedFact:
    fact = OwnedFact._make(row)
    return fact._replace(stated=bool(fact.stated), pinned=bool(fact.pinned), outside=bool(fact.outside))


def read_newest(connection: Connection, workspace: int, choice: Choice, most: int) -> Iterator[OwnedFact]:
    """The chosen facts, the newest first."""
    conditions = ["workspace = ?", f"superseded_by IS {'NOT NULL' if choice.past else 'NULL'}"]
    values: list[str | int] = [workspace]
    wanted = {
        "subject_key": None if choice.subject is None else fold(choice.subject),
        "kind": choice.kind,
        "origin": choice.origin,
        "person_id": choice.person_id,
    }
    for column, value in wanted.items():
        if value is not None:
            conditions.append(f"{column} = ?")
            values.append(value)
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM facts WHERE {' AND '.join(conditions)} "
        "ORDER BY recorded_time DESC, row DESC LIMIT ?",
        (*values, most),
    )
    return map(_owned, rows)


def read_in_order(connection: Connection, workspace: int) -> Iterator[OwnedFact]:
    """Every fact, superseded ones too, in the order in which they came."""
    return map(
        _owned,
        connection.each(f"SELECT {_COLUMNS} FROM facts WHERE workspace = ? ORDER BY row", (workspace,)),
    )


def read_owned(connection: Connection, workspace: int, fact_id: str) -> OwnedFact | None:
    row = connection.execute(
        f"SELECT {_COLUMNS} FROM facts WHERE workspace = ? AND fact_id = ?", (workspace, fact_id)
    ).fetchone()
    return _owned(row) if row else None


def read_replaced(connection: Connection, workspace: int, fact_id: str) -> list[str]:
    """The ids of the facts that this one replaced, the oldest first."""
    rows = connection.execute(
        "SELECT fact_id FROM facts WHERE workspace = ? AND superseded_by = ? AND fact_id <> superseded_by "
        "ORDER BY row",
        (workspace, fact_id),
    )
    return [replaced for (replaced,) in rows]


def count_all(connection: Connection, workspace: int, *, answers: bool) -> int:
    """How many facts there are, the superseded ones too; with `answers`, how many answers besides."""
    connection.dialect.plan_for_one(connection)
    (facts,) = connection.execute("SELECT count(*) FROM facts WHERE workspace = ?", (workspace,)).fetchone()
    if not answers:
        return int(facts)
    (given,) = connection.execute("SELECT count(*) FROM answers WHERE workspace = ?", (workspace,)).fetchone()
    return int(facts) + int(given)


def read_having(
    connection: Connection, workspace: int, terms: Sequence[str]
) -> Iterator[tuple[OwnedFact, int]]:
    """Every fact that has any of the terms, superseded ones too, with how many: those with most first."""
    has = " + ".join(["CASE WHEN ' ' || terms || ' ' LIKE ? THEN 1 ELSE 0 END"] * len(terms))
    rows = connection.each(
        f"SELECT * FROM (SELECT {_COLUMNS}, {has} AS having_terms FROM facts WHERE workspace = ?) AS counted "
        "WHERE having_terms > 0 ORDER BY having_terms DESC, recorded_time DESC, row DESC",
        # Terms hold letters and digits only, so none of them is a pattern.
        (*(f"% {term} %" for term in terms), workspace),
    )
    for *columns, count in rows:
        yield _owned(tuple(columns)), count


def read_chains(connection: Connection, workspace: int, subject: str) -> list[OwnedFact]:
    """The facts of a subject, and all that replaced them or that they replaced, the oldest first."""
    rows = connection.execute(
        "WITH RECURSIVE chain (fact_id, superseded_by) AS ("
        "SELECT fact_id, superseded_by FROM facts WHERE workspace = ? AND subject_key = ? UNION "
        "SELECT facts.fact_id, facts.superseded_by FROM chain JOIN facts "
        "ON facts.fact_id = chain.superseded_by OR facts.superseded_by = chain.fact_id WHERE facts.workspace = ?"
        f") SELECT {_COLUMNS} FROM facts WHERE workspace = ? AND fact_id IN (SELECT fact_id FROM chain) "
        "ORDER BY recorded_time, row",
        (workspace, fold(subject), workspace, workspace),
    )
    return list(map(_owned, rows))

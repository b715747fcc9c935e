"""Figures of a brain."""

from typing import Final, NamedTuple

from brainctl.engine.store.connection import Connection

DAY_MS: Final = 86_400_000


class Asked(NamedTuple):
    """How much a key did: facts taught, and answers asked for. `key_id` None stands for the owner."""

    key_id: str | None
    facts: int
    answers: int


def count_current(connection: Connection) -> int:
    """Current facts of all workspaces."""
    (count,) = connection.execute(
        "SELECT count(*) FROM workspaces JOIN facts ON facts.workspace = workspaces.workspace "
        "WHERE facts.superseded_by IS NULL"
    ).fetchone()
    return int(count)


def count_queued(connection: Connection) -> int:
    """Answers of all workspaces that wait to be run."""
    (count,) = connection.execute(
        "SELECT count(*) FROM workspaces JOIN answers ON answers.workspace = workspaces.workspace "
        "WHERE answers.status = 'queued'"
    ).fetchone()
    return int(count)


def count_kinds(connection: Connection, workspace: int) -> list[tuple[str, str, int]]:
    """Current facts by kind and origin."""
    return connection.execute(
        "SELECT kind, origin, count(*) FROM facts WHERE workspace = ? AND superseded_by IS NULL "
        "GROUP BY kind, origin ORDER BY kind, origin",
        (workspace,),
    ).fetchall()


def count_shelves(connection: Connection, workspace: int) -> dict[str, int]:
    """Facts by the shelf they stand on."""
    return dict(
        connection.execute(
            "SELECT shelf, count(*) FROM facts WHERE workspace = ? GROUP BY shelf", (workspace,)
        ).fetchall()
    )


def count_pinned(connection: Connection, workspace: int) -> int:
    (count,) = connection.execute(
        "SELECT count(*) FROM facts WHERE workspace = ? AND pinned = 1 AND superseded_by IS NULL",
        (workspace,),
    ).fetchone()
    return int(count)


def count_days(connection: Connection, workspace: int) -> list[tuple[int, int]]:
    """Facts by the day they were recorded, superseded ones too: days since 1970, UTC, and counts, oldest first."""
    # A database divides towards zero, and there are days before 1970.
    return connection.execute(
        f"SELECT (recorded_time - ((recorded_time % {DAY_MS}) + {DAY_MS}) % {DAY_MS}) / {DAY_MS} AS since, count(*) "  # noqa: S608 - a number
        "FROM facts WHERE workspace = ? GROUP BY since ORDER BY since",
        (workspace,),
    ).fetchall()


def count_by_key(connection: Connection, workspace: int, most: int) -> list[Asked]:
    """What the busiest keys taught and asked, the busiest first."""
    rows = connection.execute(
        "SELECT key_id, CAST(sum(taught) AS BIGINT), CAST(sum(asked) AS BIGINT) FROM ("
        "SELECT taught_by AS key_id, count(*) AS taught, 0 AS asked FROM facts WHERE workspace = ? "
        "GROUP BY taught_by UNION ALL "
        "SELECT key_id, 0, count(*) FROM answers WHERE workspace = ? GROUP BY key_id) AS done "
        "GROUP BY key_id ORDER BY sum(taught) + sum(asked) DESC, coalesce(key_id, '') LIMIT ?",
        (workspace, workspace, most),
    )
    return [Asked(*row) for row in rows]


def count_answers(connection: Connection, workspace: int) -> dict[str, int]:
    """Answers by status."""
    return dict(
        connection.execute(
            "SELECT status, count(*) FROM answers WHERE workspace = ? GROUP BY status", (workspace,)
        ).fetchall()
    )


def answer_time(connection: Connection, workspace: int, share: float) -> int | None:
    """The milliseconds from asking to the end within which this share of the completed answers came."""
    (count,) = connection.execute(
        "SELECT count(*) FROM answers WHERE workspace = ? AND status = 'completed'", (workspace,)
    ).fetchone()
    if not count:
        return None
    # The nearest rank: a time that some answer did take.
    rank = max(-int(-count * share // 1) - 1, 0)
    (took,) = connection.execute(
        "SELECT finished - created FROM answers WHERE workspace = ? AND status = 'completed' "
        "ORDER BY 1 LIMIT 1 OFFSET ?",
        (workspace, rank),
    ).fetchone()
    return int(took)

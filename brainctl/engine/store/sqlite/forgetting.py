"""Facts taken out of SQLite for good."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import json
import sqlite3
from collections.abc import Iterable
from typing import Final

from brainctl.engine.disclosure import SEARCHED_SHELVES
from brainctl.engine.store.sqlite.shelves import compact, move

_READERS_MS: Final = 1000
_GONE: Final = "(SELECT fact_id FROM temp.going)"


class Going:
    """The facts of a workspace that are to go, inside one transaction."""

    def __init__(self, connection: sqlite3.Connection, workspace: int) -> None:
        self._connection = connection
        self._workspace = workspace
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS going (fact_id TEXT PRIMARY KEY) WITHOUT ROWID")
        connection.execute("DELETE FROM temp.going")

    def name(self, fact_ids: Iterable[str]) -> list[str]:
        """Name facts; the reply is those that are not there."""
        self._connection.executemany(
            "INSERT OR IGNORE INTO temp.going VALUES (?)", ((fact_id,) for fact_id in fact_ids)
        )
        rows = self._connection.execute(
            "SELECT fact_id FROM temp.going WHERE fact_id NOT IN (SELECT fact_id FROM facts WHERE workspace = ?)",
            (self._workspace,),
        )
        return [fact_id for (fact_id,) in rows]

    def add_earlier(self) -> None:
        """Name also what the current ones among them have replaced: with its successor gone it would dangle."""
        self._connection.execute(
            "INSERT OR IGNORE INTO temp.going WITH RECURSIVE earlier (fact_id) AS ("
            f"SELECT fact_id FROM facts WHERE fact_id IN {_GONE} AND coalesce(superseded_by, fact_id) = fact_id "
            "UNION SELECT facts.fact_id FROM earlier JOIN facts ON facts.superseded_by = earlier.fact_id"
            ") SELECT fact_id FROM earlier"
        )

    def ids(self) -> list[str]:
        """All that are named, the oldest first."""
        rows = self._connection.execute(
            f"SELECT fact_id FROM facts WHERE workspace = ? AND fact_id IN {_GONE} ORDER BY row",
            (self._workspace,),
        )
        return [fact_id for (fact_id,) in rows]

    def pass_on(self) -> None:
        """Let the facts that stay and were replaced by one that goes be replaced by what replaced that one."""
        hanging = f"superseded_by IN {_GONE} AND fact_id NOT IN {_GONE}"
        (most,) = self._connection.execute("SELECT count(*) FROM temp.going").fetchone()
        for _ in range(most):
            changed = self._connection.execute(
                "UPDATE facts SET superseded_by = (SELECT next.superseded_by FROM facts AS next "
                f"WHERE next.fact_id = facts.superseded_by) WHERE {hanging}"
            )
            if not changed.rowcount:
                break

    def remove(self) -> None:
        """Take them out of the facts, the indexes and the totals."""
        rows = self._connection.execute(f"SELECT row, shelf, terms FROM facts WHERE fact_id IN {_GONE}")
        searched = False
        while some := rows.fetchmany(500):
            for row, shelf, found_by in some:
                searched = searched or shelf in SEARCHED_SHELVES
                move(self._connection, self._workspace, row, found_by, shelf, None)
        self._connection.execute(f"DELETE FROM decisions WHERE fact_id IN {_GONE}")
        self._connection.execute(f"UPDATE decisions SET against = NULL WHERE against IN {_GONE}")
        self._connection.execute(f"DELETE FROM facts WHERE fact_id IN {_GONE}")
        if searched:
            compact(self._connection)


def count_citing(connection: sqlite3.Connection, workspace: int, fact_ids: Iterable[str]) -> int:
    """How many answers hold one of these facts among their sources."""
    wanted = set(fact_ids)
    rows = connection.execute(
        "SELECT sources FROM answers WHERE workspace = ? AND sources <> '[]'", (workspace,)
    )
    return sum(any(source.get("fact_id") in wanted for source in json.loads(sources)) for (sources,) in rows)


def rewrite(connection: sqlite3.Connection) -> bool:
    """Write the whole file anew, so that no page of it keeps a trace of what is gone, and empty its log.

    Outside of any transaction. False where another process, or a full disk, does not let it.
    """
    try:
        connection.execute("VACUUM")
        (patience,) = connection.execute("PRAGMA busy_timeout").fetchone()
        # A reader that is about to be done is waited for, and no other.
        connection.execute(f"PRAGMA busy_timeout = {_READERS_MS}")
        try:
            (busy, *_) = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        finally:
            connection.execute(f"PRAGMA busy_timeout = {patience}")
    except sqlite3.Error:
        # What was to go is gone, and an error now would tell otherwise.
        return False
    return not busy

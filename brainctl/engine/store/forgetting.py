"""Facts taken out of the store for good."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import json
from collections.abc import Iterable
from typing import Final

from brainctl.engine.disclosure import SEARCHED_SHELVES
from brainctl.engine.store.connection import Connection

_GONE: Final = "(SELECT fact_id FROM going)"


class Going:
    """The facts of a workspace that are to go, inside one transaction."""

    def __init__(self, connection: Connection, workspace: int) -> None:
        self._connection = connection
        self._workspace = workspace
        connection.dialect.plan_for_one(connection)
        connection.execute("CREATE TEMP TABLE IF NOT EXISTS going (fact_id TEXT PRIMARY KEY)")
        connection.execute("DELETE FROM going")

    def name(self, fact_ids: Iterable[str]) -> list[str]:
        """Name facts; the reply is those that are not there."""
        self._connection.executemany(
            "INSERT INTO going VALUES (?) ON CONFLICT DO NOTHING", ((fact_id,) for fact_id in fact_ids)
        )
        rows = self._connection.execute(
            "SELECT fact_id FROM going WHERE fact_id NOT IN (SELECT fact_id FROM facts WHERE workspace = ?)",
            (self._workspace,),
        )
        return [fact_id for (fact_id,) in rows]

    def add_earlier(self) -> None:
        """Name also what the current ones among them have replaced: with its successor gone it would dangle."""
        self._connection.execute(
            "INSERT INTO going WITH RECURSIVE earlier (fact_id) AS ("
            f"SELECT fact_id FROM facts WHERE workspace = ? AND fact_id IN {_GONE} "
            "AND coalesce(superseded_by, fact_id) = fact_id UNION "
            "SELECT facts.fact_id FROM earlier JOIN facts ON facts.superseded_by = earlier.fact_id "
            "WHERE facts.workspace = ?"
            ") SELECT fact_id FROM earlier WHERE TRUE ON CONFLICT DO NOTHING",
            (self._workspace, self._workspace),
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
        (most,) = self._connection.execute("SELECT count(*) FROM going").fetchone()
        for _ in range(most):
            changed = self._connection.execute(
                "UPDATE facts SET superseded_by = (SELECT later.superseded_by FROM facts AS later "
                "WHERE later.workspace = facts.workspace AND later.fact_id = facts.superseded_by) "
                f"WHERE workspace = ? AND {hanging}",
                (self._workspace,),
            )
            if not changed.rowcount:
                break

    def remove(self) -> None:
        """Take them out of the facts, the indexes and the totals."""
        named = (self._workspace,)
        rows = self._connection.execute(
            f"SELECT row, shelf, terms FROM facts WHERE workspace = ? AND fact_id IN {_GONE}", named
        )
        searched = False
        while some := rows.fetchmany(500):
            for row, shelf, found_by in some:
                searched = searched or shelf in SEARCHED_SHELVES
                self._connection.dialect.move(self._connection, self._workspace, row, found_by, shelf, None)
        self._connection.execute(f"DELETE FROM decisions WHERE workspace = ? AND fact_id IN {_GONE}", named)
        self._connection.execute(
            f"UPDATE decisions SET against = NULL WHERE workspace = ? AND against IN {_GONE}", named
        )
        self._connection.execute(f"DELETE FROM facts WHERE workspace = ? AND fact_id IN {_GONE}", named)
        if searched:
            self._connection.dialect.compact(self._connection)


def count_citing(connection: Connection, workspace: int, fact_ids: Iterable[str]) -> int:
    """How many answers hold one of these facts among their sources."""
    wanted = set(fact_ids)
    rows = connection.execute(
        "SELECT sources FROM answers WHERE workspace = ? AND sources <> '[]'", (workspace,)
    )
    return sum(any(source.get("fact_id") in wanted for source in json.loads(sources)) for (sources,) in rows)

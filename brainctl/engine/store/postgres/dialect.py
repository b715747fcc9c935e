"""What PostgreSQL says in its own way, above all how facts are found by their words.

A term of a shelf of a workspace has a number of its own, and a fact's place holds the numbers of its terms: so one
index over all places holds the facts of a workspace's shelf by their terms, apart from all others. `places` keeps it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from psycopg.errors import UniqueViolation

from brainctl.engine.disclosure import Shelf
from brainctl.engine.store.connection import Among, Query
from brainctl.engine.store.postgres import places
from brainctl.engine.store.postgres.terms import kept

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

# BM25 to the letter of SQLite's: the same constants, the same order of sums, the same least weight of a term.
_MATCHING: Final = """
    WITH asked AS MATERIALIZED (
        SELECT number, array_position(CAST(? AS varchar[]), term) AS place, shelves.terms::float8 / shelves.facts AS mean,
            ln((shelves.facts - frequencies.facts + 0.5::float8) / (frequencies.facts + 0.5::float8)) AS weight
        FROM frequencies JOIN shelves USING (workspace, shelf)
        WHERE workspace = ? AND shelf = ? AND term = ANY (CAST(? AS varchar[]))
    ), had AS (
        SELECT row, cardinality(found_by) - 1 AS length, unnest(found_by) AS number
        FROM places WHERE workspace = ? AND found_by && (SELECT array_agg(number) FROM asked)
    ), scored AS (
        SELECT row, place, CASE WHEN weight <= 0 THEN 1e-6::float8 ELSE weight END
            * (count(*) * 2.2::float8 / (count(*) + 1.2::float8 * (0.25::float8 + 0.75::float8 * length / mean))) AS score
        FROM had JOIN asked USING (number) GROUP BY row, place, weight, length, mean
    )
    SELECT row AS found FROM scored GROUP BY row ORDER BY sum(score ORDER BY place) DESC, row LIMIT ?
"""

# Two ways to the newest places that have all terms. Where few are expected to have them: all of these, of which the
# newest are kept. Else stretch by stretch, the newest first, so that of words that stand in very many facts only the
# last places are looked at. Looking into a stretch takes about as long as going to 75 places.
# Nothing is added to the row but what keeps the planner from going through all rows in their order.
_NEWEST: Final = """
    WITH asked AS MATERIALIZED (
        SELECT array_agg(number) AS numbers,
            exp(sum(ln(frequencies.facts::float8 / shelves.facts))) * min(shelves.facts)
            > sqrt(min(shelves.facts) * {most}::float8 * 75 / {stretch}) AS are_many
        FROM frequencies JOIN shelves USING (workspace, shelf)
        WHERE workspace = ? AND shelf = ? AND term = ANY (CAST(? AS varchar[])) HAVING count(*) = ?
    ), newest AS MATERIALIZED (
        SELECT number, numbers FROM stretches CROSS JOIN asked
        WHERE are_many AND workspace = ? AND shelf = ? ORDER BY first_row DESC
    )
    (SELECT here.row AS found FROM asked CROSS JOIN LATERAL (
        SELECT row FROM places
        WHERE workspace = ? AND found_by @> asked.numbers ORDER BY row + 0 DESC LIMIT {most}
    ) AS here WHERE NOT are_many)
    UNION ALL
    (SELECT here.row AS found FROM newest CROSS JOIN LATERAL (
        SELECT row FROM places
        WHERE workspace = ? AND found_by @> (newest.numbers || newest.number) ORDER BY row + 0 DESC LIMIT {most}
    ) AS here LIMIT {most})
"""


class PostgresDialect:
    """A database holds any number of workspaces, and one index for the words of all."""

    unclaimed: Final = "FOR UPDATE SKIP LOCKED"
    named: Final = "FOR KEY SHARE"
    going: Final = "FOR UPDATE"
    by_row: Final = ""

    def by_index(self, name: str) -> str:
        return ""

    def among(self, queries: Sequence[Query]) -> Iterator[Among]:
        # Where it has no statistics yet, a join would begin with the facts, and go through all of them. And one statement
        # for all queries would be another with each number of them, and be planned anew each time.
        for sql, parameters in queries:
            yield Among("facts", f"facts.row = ANY (ARRAY({sql}))", parameters)

    def matching(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        asked = list(map(kept, terms))
        return Query(_MATCHING, (asked, workspace, shelf, asked, workspace, most))

    def newest(self, workspace: int, shelf: Shelf, terms: Sequence[str], most: int) -> Query:
        asked = list({*map(kept, terms)})
        sql = _NEWEST.format(most=int(most), stretch=places.STRETCH)
        return Query(sql, (workspace, shelf, asked, len(asked), workspace, shelf, workspace, workspace))

    def frequencies(
        self,
        connection: "PostgresConnection",
        workspace: int,
        on: Sequence[Shelf],
        terms: Iterable[str],
    ) -> dict[str, int]:
        connection.places.write()
        asked = {term: kept(term) for term in terms}
        rows = connection.execute(
            "SELECT term, CAST(sum(facts) AS BIGINT) FROM frequencies WHERE workspace = ? "
            "AND shelf = ANY (CAST(? AS varchar[])) AND term = ANY (CAST(? AS varchar[])) GROUP BY term",
            (workspace, list(on), list(asked.values())),
        )
        found = dict(rows.fetchall())
        return {term: found.get(known, 0) for term, known in asked.items()}

    def alike(
        self, connection: "PostgresConnection", workspace: int, on: Sequence[Shelf], term: str, start: int
    ) -> list[tuple[str, int]]:
        connection.places.write()
        rows = connection.execute(
            "SELECT term, CAST(sum(facts) AS BIGINT) FROM frequencies WHERE workspace = ? "
            "AND shelf = ANY (CAST(? AS varchar[])) AND term >= ? AND term < ? AND length(term) BETWEEN ? AND ? "
            "GROUP BY term",
            (
                workspace,
                list(on),
                term[:start],
                term[: start - 1] + chr(ord(term[start - 1]) + 1),
                len(term) - 1,
                len(term) + 1,
            ),
        )
        return rows.fetchall()

    def add_fact(self, connection: "PostgresConnection", values: Mapping[str, Any]) -> int:
        return connection.arrivals.add(values)

    def move(
        self,
        connection: "PostgresConnection",
        workspace: int,
        row: int,
        found_by: str,
        source: Shelf | None,
        target: Shelf | None,
    ) -> None:
        connection.places.move(workspace, row, found_by, source, target)

    def unhurried(self, connection: "PostgresConnection") -> None:
        connection.execute("SET LOCAL statement_timeout = 0")
        connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")

    def plan_for_one(self, connection: "PostgresConnection") -> None:
        # A plan for any workspace goes through all rows where a large one makes them look alike.
        connection.execute("SET LOCAL plan_cache_mode = force_custom_plan")

    def number_on(self, connection: "PostgresConnection", workspace: int, table: str, column: str) -> None:
        (last,) = connection.execute(
            f"SELECT coalesce(max({column}), 0) FROM {table} WHERE workspace = ?",  # noqa: S608 - words of this program
            (workspace,),
        ).fetchone()
        # Numbers are taken and not set: other workspaces take them too, and one that was set might be given twice.
        behind = 1
        while behind > 0:
            (number,) = connection.execute(
                "SELECT max(nextval(CAST(? AS regclass))) FROM generate_series(1, ?)",
                (f"{table}_{column}_seq", behind),
            ).fetchone()
            behind = last - number

    def is_repeat(self, error: Exception) -> bool:
        return isinstance(error, UniqueViolation)

    def compact(self, connection: "PostgresConnection") -> None:
        connection.places.write()

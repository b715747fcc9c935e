"""Where facts are found by their words: kept as facts come and go, and written together at the end of a transaction.

The same few counters change with every fact; written one by one, a transaction of many facts would leave as many dead
copies of each, and go through all of them every time.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, NamedTuple

from brainctl.engine.disclosure import SEARCHED_SHELVES, Shelf
from brainctl.engine.store.postgres.terms import kept

if TYPE_CHECKING:
    from brainctl.engine.store.postgres.connection import PostgresConnection

STRETCH: Final = 1024
"""How many facts a stretch begins with; facts that come back to an older place may make it longer."""
_MOVES_MOST: Final = 5_000
_TERMS_MOST: Final = 500_000
"""How many moves, and changes of how many terms, are kept in memory."""


class _On(NamedTuple):
    workspace: int
    shelf: Shelf


class _Totals(NamedTuple):
    facts: int
    terms: int


class Places:
    """The moves of one transaction that are not written yet."""

    def __init__(self, connection: "PostgresConnection") -> None:
        self._connection = connection
        self.clear()

    def clear(self) -> None:
        """Forget what was moved, and what is known of a transaction's terms."""
        self._numbers: dict[_On, dict[str, int]] = {}
        self._gone: set[tuple[int, int]] = set()
        self._come: dict[tuple[int, int], tuple[_On, list[str]]] = {}
        self._terms: dict[_On, Counter[str]] = {}
        self._totals: dict[_On, _Totals] = {}
        self._moves = 0

    def move(
        self, workspace: int, row: int, found_by: str, source: Shelf | None, target: Shelf | None
    ) -> None:
        """Take a fact from one shelf to another, None being none. `found_by` are its terms, blanks between them."""
        terms = [kept(term) for term in found_by.split()]
        place = workspace, row
        if source in SEARCHED_SHELVES:
            self._count(_On(workspace, source), terms, -1)
            if self._come.pop(place, None) is None:
                self._gone.add(place)
        if target in SEARCHED_SHELVES:
            self._count(_On(workspace, target), terms, 1)
            self._come[place] = _On(workspace, target), terms
        self._moves += 1
        if self._moves >= _MOVES_MOST:
            self._write_places()
            if sum(map(len, self._terms.values())) > _TERMS_MOST:
                self.write()

    def _count(self, on: _On, terms: list[str], facts: int) -> None:
        counter = self._terms.setdefault(on, Counter())
        for term in set(terms):
            counter[term] += facts
        before = self._totals.get(on, _Totals(0, 0))
        self._totals[on] = _Totals(before.facts + facts, before.terms + facts * len(terms))

    def write(self) -> None:
        """Bring the tables up to what was moved."""
        counted, totals = self._terms, self._totals
        self._terms, self._totals = {}, {}
        for on, changes in counted.items():
            self._count_terms(on, changes)
        self._write_places()
        for on, total in totals.items():
            self._connection.execute(
                "INSERT INTO shelves (workspace, shelf, facts, terms) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (workspace, shelf) DO UPDATE "
                "SET facts = shelves.facts + excluded.facts, terms = shelves.terms + excluded.terms",
                (*on, *total),
            )

    def _write_places(self) -> None:
        """Bring the places alone up to what was moved: they are many, where the counters are few and change often."""
        gone, come = self._gone, self._come
        self._gone, self._come, self._moves = set(), {}, 0
        self._take_out(gone)
        self._put_in(come)

    def _take_out(self, gone: Iterable[tuple[int, int]]) -> None:
        rows: dict[int, list[int]] = {}
        for workspace, row in gone:
            rows.setdefault(workspace, []).append(row)
        for workspace, those in rows.items():
            self._connection.execute(
                "DELETE FROM places WHERE workspace = ? AND row = ANY (?) AND row > 0", (workspace, those)
            )

    def _count_terms(self, on: _On, changes: Mapping[str, int]) -> None:
        """Count facts to and from terms."""
        self._number_terms(on, changes)
        # One by one, by their key: a join of many would be planned by statistics that a new table has not.
        self._connection.executemany(
            "UPDATE frequencies SET facts = facts + ? WHERE workspace = ? AND shelf = ? AND term = ?",
            [(facts, *on, term) for term, facts in changes.items() if facts],
        )
        no_more = [term for term, facts in changes.items() if facts <= 0]
        if no_more:
            # A word that no fact has any more leaves the database with it.
            rows = self._connection.execute(
                "DELETE FROM frequencies WHERE workspace = ? AND shelf = ? AND term = ANY (CAST(? AS varchar[])) "
                "AND facts = 0 RETURNING term",
                (*on, no_more),
            )
            for (term,) in rows:
                del self._numbers[on][term]

    def _number_terms(self, on: _On, terms: Iterable[str]) -> Mapping[str, int]:
        """The numbers of terms; those that are new get one, and are counted later."""
        known = self._numbers.setdefault(on, {})
        missing = {term for term in terms if term not in known}
        if missing:
            rows = self._connection.execute(
                "SELECT term, number FROM frequencies WHERE workspace = ? AND shelf = ? "
                "AND term = ANY (CAST(? AS varchar[]))",
                (*on, list(missing)),
            ).fetchall()
            known.update(rows)
        new = [term for term in missing if term not in known]
        if new:
            # Not by ON CONFLICT, which uses up a number whenever it finds one.
            rows = self._connection.execute(
                "INSERT INTO frequencies (workspace, shelf, term, facts) "
                "SELECT ?, ?, term, 0 FROM unnest(CAST(? AS varchar[])) AS new (term) RETURNING term, number",
                (*on, new),
            ).fetchall()
            known.update(rows)
        return known

    def _put_in(self, come: Mapping[tuple[int, int], tuple[_On, list[str]]]) -> None:
        needed: dict[_On, set[str]] = {}
        for on, terms in come.values():
            needed.setdefault(on, set()).update(terms)
        numbers = {on: self._number_terms(on, terms) for on, terms in needed.items()}
        stretches: dict[_On, _Stretches] = {}
        workspaces: list[int] = []
        rows: list[int] = []
        found_by: list[str] = []
        for workspace, row in sorted(come):
            on, terms = come[workspace, row]
            if on not in stretches:
                stretches[on] = _Stretches(self._connection, on)
            stretch = stretches[on].of(row)
            workspaces.append(workspace)
            rows.append(row)
            found_by.append(f"{{{','.join([str(stretch), *(str(numbers[on][term]) for term in terms)])}}}")
        for each in stretches.values():
            each.write()
        if rows:
            self._connection.execute(
                "INSERT INTO places (workspace, row, found_by) SELECT workspace, row, CAST(found_by AS integer[]) "
                "FROM unnest(CAST(? AS bigint[]), CAST(? AS bigint[]), CAST(? AS varchar[])) "
                "AS come (workspace, row, found_by)",
                (workspaces, rows, found_by),
            )


class _Stretches:
    """The stretches of a shelf: its facts in the order of their rows, about so many together.

    A stretch has a number as a term has, and every place in it has that number: so the index finds the facts of a
    stretch that have some terms, without going through all the facts that have them.
    """

    def __init__(self, connection: "PostgresConnection", on: _On) -> None:
        self._connection = connection
        self._on = on
        self._first = 0
        self._last = 0
        self._facts = 0
        self._number = 0
        self._is_newest = False
        self._is_changed = False

    def of(self, row: int) -> int:
        """The number of the stretch that a fact comes to. Rows are asked for in their order."""
        if not self._is_newest:
            self.write()
            self._find(row)
        if self._is_newest and row > self._last and (not self._number or self._facts >= STRETCH):
            self.write()
            self._first, self._facts = row, 0
            (self._number,) = self._connection.execute(
                "INSERT INTO stretches (workspace, shelf, first_row, last_row, facts) VALUES (?, ?, ?, ?, 0) "
                "RETURNING number",
                (*self._on, row, row),
            ).fetchone()
        self._last = max(self._last, row)
        self._facts += 1
        self._is_changed = True
        return self._number

    def _find(self, row: int) -> None:
        found = self._look(row)
        if found is None:
            self._is_newest = True
            return
        self._first, self._last, self._facts, self._number, self._is_newest = found
        if row < self._first:
            self._connection.execute(
                "UPDATE stretches SET first_row = ? WHERE workspace = ? AND shelf = ? AND first_row = ?",
                (row, *self._on, self._first),
            )
            self._first = row

    def _look(self, row: int) -> tuple[int, int, int, int, bool] | None:
        columns = (
            "SELECT first_row, last_row, facts, number, NOT EXISTS (SELECT 1 FROM stretches AS later "
            "WHERE later.workspace = stretches.workspace AND later.shelf = stretches.shelf "
            "AND later.first_row > stretches.first_row) FROM stretches WHERE workspace = ? AND shelf = ?"
        )
        found: tuple[int, int, int, int, bool] | None = self._connection.execute(
            f"{columns} AND first_row <= ? ORDER BY first_row DESC LIMIT 1", (*self._on, row)
        ).fetchone()
        # Where all begin later, it comes to the first of them.
        return found or self._connection.execute(f"{columns} ORDER BY first_row LIMIT 1", self._on).fetchone()

    def write(self) -> None:
        if self._is_changed:
            self._connection.execute(
                "UPDATE stretches SET last_row = ?, facts = ? WHERE workspace = ? AND shelf = ? AND first_row = ?",
                (self._last, self._facts, *self._on, self._first),
            )
            self._is_changed = False

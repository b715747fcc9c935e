"""Facts read from the store through a viewer's sight. Nothing here takes anything but a viewer."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final, Protocol

from brainctl.engine.disclosure import Shelf, Sight, Viewer, sight_of
from brainctl.engine.facts import Sought, StoredFact, Totals, Vectors
from brainctl.engine.store.connection import Connection, Query
from brainctl.engine.store.vectors import read_model

_COLUMNS: Final = (
    "facts.row, facts.fact_id, facts.text, facts.kind, facts.origin, facts.subject, facts.subject_key, "
    "facts.person_id, facts.confidence, facts.recorded_time, facts.pinned, facts.terms"
)
_BY_SUBJECT: Final = "facts_on_shelf_by_subject"
_TOLD_TOGETHER: Final = "facts_told_together"


def _stored_fact(row: tuple[Any, ...]) -> StoredFact:
    return StoredFact._make((*row[:-2], row[-2] == 1, tuple(row[-1].split())))


class Remembered(Protocol):
    """Vectors that need not be read again."""

    def vectors(self, connection: Any, which: Viewer, read: Callable[[], Vectors]) -> Vectors: ...


class View:
    """The facts one viewer may see. Its statistics are of those facts alone."""

    def __init__(self, connection: Connection, viewer: Viewer, remembered: Remembered) -> None:
        self._connection = connection
        self._dialect = connection.dialect
        self._remembered = remembered
        self.viewer = viewer
        self._sight: Sight = sight_of(viewer)

    def _facts(self, source: str, where: str, parameters: Sequence[Any]) -> list[StoredFact]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM {source} WHERE {where}", parameters)
        return [_stored_fact(row) for row in rows]

    def general_totals(self) -> Totals:
        """Of the facts about nobody who is bound to an id."""
        (facts, terms) = self._connection.execute(
            "SELECT CAST(coalesce(sum(facts), 0) AS BIGINT), CAST(coalesce(sum(terms), 0) AS BIGINT) FROM shelves "
            f"WHERE workspace = ? AND shelf IN ({', '.join('?' * len(self._sight.shelves))})",
            (self.viewer.workspace, *self._sight.shelves),
        ).fetchone()
        return Totals(facts, terms)

    def general_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many facts about nobody bound to an id each term occurs."""
        return self._dialect.frequencies(self._connection, self.viewer.workspace, self._sight.shelves, terms)

    def general_alike(self, term: str, start: int) -> list[tuple[str, int]]:
        """Terms of facts about nobody bound to an id that begin with the same letters and are about as long, and in
        how many facts each occurs.
        """
        return self._dialect.alike(self._connection, self.viewer.workspace, self._sight.shelves, term, start)

    def general_found(self, sought: Iterable[Sought]) -> list[StoredFact]:
        """The facts about nobody bound to an id that any of what is sought finds; one may be among them twice."""
        queries = [
            self._by_words(shelf, each) for each in sought if each.terms for shelf in self._sight.shelves
        ]
        asked = [
            Query(
                f"SELECT {_COLUMNS} FROM {source} WHERE {where} AND {self._sight.general}",
                (*parameters, *self._sight.general_parameters),
            )
            for source, where, parameters in self._dialect.among(queries)
        ]
        return [_stored_fact(row) for rows in self._connection.ask(asked) for row in rows]

    def _by_words(self, shelf: Shelf, sought: Sought) -> Query:
        find = self._dialect.matching if sought.first == "best" else self._dialect.newest
        return find(self.viewer.workspace, shelf, sought.terms, sought.most)

    def general_subjects(self, names: Iterable[str], *, people: bool = False) -> list[str]:
        """Which of the names are the subject of a fact about nobody bound to an id, or only those of people."""
        source = f"facts {self._dialect.by_index(_BY_SUBJECT)}"
        one = f"SELECT 1 FROM {source} WHERE facts.shelf = ? AND facts.subject_key = asked.name"
        condition = f"{self._sight.general}{' AND facts.judged = ?' if people else ''}"
        any_of = " OR ".join(f"EXISTS ({one} AND {condition})" for _ in self._sight.shelves)
        asked = list(names)
        if not asked:
            return []
        values = (*self._sight.general_parameters, *(("person",) if people else ()))
        rows = self._connection.execute(
            f"WITH asked (name) AS (VALUES {', '.join(['(?)'] * len(asked))}) SELECT name FROM asked WHERE {any_of}",
            (*asked, *(each for shelf in self._sight.shelves for each in (shelf, *values))),
        )
        return [name for (name,) in rows]

    def general_about(self, subject: str, most: int, span: tuple[int, int] | None = None) -> list[StoredFact]:
        """The newest facts of a subject about nobody bound to an id, at most so many a shelf.

        A span is two times, in milliseconds since 1970, between which they were recorded, the second one not.
        """
        where, values = "facts.subject_key = ?", (subject, *(span or ()))
        if span:
            where += " AND facts.recorded_time >= ? AND facts.recorded_time < ?"
        return self._on_shelves(_BY_SUBJECT, where, values, "facts.recorded_time DESC, facts.row DESC", most)

    def general_beside(
        self, facts: Sequence[StoredFact]
    ) -> list[tuple[StoredFact | None, StoredFact | None]]:
        """For each of the facts, those that were told right before and right after, by the same source at the same time.

        Only what is taken in from a source has such an order, and only facts about nobody bound to an id count.
        """
        asked = [
            self._of_shelves(
                _TOLD_TOGETHER,
                f"facts.origin = 'ingested' AND facts.recorded_time = ? AND facts.row {side} ?",
                (fact.recorded_time, fact.row),
                f"facts.row {order}",
                1,
            )
            for fact in facts
            for side, order in (("<", "DESC"), (">", "ASC"))
        ]
        found = [[_stored_fact(row) for row in rows] for rows in self._connection.ask(asked)]
        # Of several shelves the one that stands nearest.
        before = [max(each, key=lambda fact: fact.row, default=None) for each in found[::2]]
        after = [min(each, key=lambda fact: fact.row, default=None) for each in found[1::2]]
        return list(zip(before, after, strict=True))

    def _on_shelves(
        self, index: str, where: str, values: Sequence[str | int], order: str, most: int
    ) -> list[StoredFact]:
        """Facts about nobody bound to an id by way of an index, at most so many a shelf."""
        return [
            _stored_fact(row)
            for row in self._connection.execute(*self._of_shelves(index, where, values, order, most))
        ]

    def _of_shelves(
        self, index: str, where: str, values: Sequence[str | int], order: str, most: int
    ) -> Query:
        one = (
            f"SELECT * FROM (SELECT {_COLUMNS} FROM facts {self._dialect.by_index(index)} WHERE facts.shelf = ? "
            f"AND {where} AND {self._sight.general} ORDER BY {order} LIMIT ?) AS chosen"
        )
        return Query(
            " UNION ALL ".join([one] * len(self._sight.shelves)),
            [
                each
                for shelf in self._sight.shelves
                for each in (shelf, *values, *self._sight.general_parameters, most)
            ],
        )

    def general_rows(self, rows: Sequence[int]) -> list[StoredFact]:
        """The facts in these rows that are about nobody bound to an id."""
        where = f"facts.row IN ({', '.join('?' * len(rows))}) AND {self._sight.general}"
        return self._facts("facts", where, (*rows, *self._sight.general_parameters)) if rows else []

    def model(self) -> str | None:
        """The digest of the model whose vectors are kept; None where there are none."""
        return read_model(self._connection, self.viewer.workspace)

    def vectors(self) -> Vectors:
        """Those of all facts the viewer may see, those about the named person too."""
        return self._remembered.vectors(self._connection, self.viewer, self._vectors)

    def _vectors(self) -> Vectors:
        where, values = self._sight.general, self._sight.general_parameters
        if self._sight.personal is not None:
            where = f"({where}) OR ({self._sight.personal})"
            values += self._sight.personal_parameters
        found = self._connection.execute(
            "SELECT vectors.row, vectors.vector FROM vectors CROSS JOIN facts WHERE facts.row = vectors.row "
            f"AND vectors.workspace = ? AND ({where}) ORDER BY vectors.row",
            (self.viewer.workspace, *values),
        ).fetchall()
        return Vectors([row for row, _ in found], b"".join([vector for _, vector in found]))

    def personal(self) -> list[StoredFact]:
        """All facts about the person the viewer names; none where nobody is named."""
        if self._sight.personal is None:
            return []
        return self._facts("facts", self._sight.personal, self._sight.personal_parameters)

    def pinned(self) -> list[StoredFact]:
        """The pinned facts about nobody bound to an id. A person's own are among `personal`."""
        return self._facts(
            "facts", f"facts.pinned = 1 AND {self._sight.general}", self._sight.general_parameters
        )

"""Facts read from SQLite through a viewer's sight. Nothing here takes anything but a viewer."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any, Final

from brainctl.engine.disclosure import Sight, Viewer, sight_of
from brainctl.engine.facts import StoredFact, Totals

_COLUMNS: Final = (
    "facts.row, facts.fact_id, facts.text, facts.kind, facts.origin, facts.subject, facts.subject_key, "
    "facts.person_id, facts.confidence, facts.recorded_time, facts.pinned, facts.terms"
)


def _stored_fact(row: tuple[Any, ...]) -> StoredFact:
    *plain, pinned, terms = row
    return StoredFact._make((*plain, bool(pinned), tuple(terms.split())))


def _quoted(term: str) -> str:
    # Quoted, a term is a word to look for whatever it says; terms hold letters and digits only.
    return f'"{term}"'


class View:
    """The facts one viewer may see. Its statistics are of those facts alone."""

    def __init__(self, connection: sqlite3.Connection, viewer: Viewer) -> None:
        self._connection = connection
        self.viewer = viewer
        self._sight: Sight = sight_of(viewer)

    def _facts(self, source: str, where: str, parameters: Sequence[str | int]) -> list[StoredFact]:
        rows = self._connection.execute(f"SELECT {_COLUMNS} FROM {source} WHERE {where}", parameters)
        return [_stored_fact(row) for row in rows]

    def general_totals(self) -> Totals:
        """Of the facts about nobody who is bound to an id."""
        (facts, terms) = self._connection.execute(
            "SELECT coalesce(sum(facts), 0), coalesce(sum(terms), 0) FROM shelves "
            f"WHERE workspace = ? AND shelf IN ({', '.join('?' * len(self._sight.shelves))})",
            (self.viewer.workspace, *self._sight.shelves),
        ).fetchone()
        return Totals(facts, terms)

    def general_frequencies(self, terms: Iterable[str]) -> dict[str, int]:
        """In how many facts about nobody bound to an id each term occurs."""
        found = dict.fromkeys(terms, 0)
        for shelf in self._sight.shelves:
            for term in found:
                row = self._connection.execute(
                    f"SELECT doc FROM {shelf}_vocabulary WHERE term = ?", (term,)
                ).fetchone()
                found[term] += row[0] if row else 0
        return found

    def general_matching(self, terms: Sequence[str], most: int) -> list[StoredFact]:
        """Facts about nobody bound to an id that have any of the terms: at most so many a shelf, the best ones."""
        return self._general_found(" OR ".join(map(_quoted, terms)), "bm25({index}), rowid", most)

    def general_newest(self, terms: Sequence[str], most: int) -> list[StoredFact]:
        """Facts about nobody bound to an id that have all of the terms: at most so many a shelf, the newest ones."""
        return self._general_found(" AND ".join(map(_quoted, terms)), "rowid DESC", most)

    def _general_found(self, match: str, order: str, most: int) -> list[StoredFact]:
        if not match:
            return []
        found: list[StoredFact] = []
        for shelf in self._sight.shelves:
            index = f"{shelf}_index"
            best = (
                f"SELECT rowid AS found FROM {index} WHERE {index} MATCH ? "
                f"ORDER BY {order.format(index=index)} LIMIT ?"
            )
            found += self._facts(
                f"({best}) CROSS JOIN facts ON facts.row = found",
                self._sight.general,
                (match, most, *self._sight.general_parameters),
            )
        return found

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

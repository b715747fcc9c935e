"""The notes that checking an archive takes."""

import sqlite3
from collections.abc import Iterator
from typing import Self


class Seen:
    """The facts of an archive met so far, kept on disk: an archive may hold more than memory does."""

    def __init__(self) -> None:
        # An empty name: a file of SQLite's own that nobody else sees and that goes when it is closed.
        self._connection = sqlite3.connect("", isolation_level=None)
        self._connection.execute(
            "CREATE TABLE seen (fact_id TEXT PRIMARY KEY, said BLOB NOT NULL) WITHOUT ROWID"
        )
        self._connection.execute("CREATE TABLE links (line INTEGER NOT NULL, target TEXT NOT NULL)")
        self._connection.execute("BEGIN")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def add(self, fact_id: str, said: bytes) -> bytes | None:
        """Note a fact and a digest of what it says; the reply is the digest noted before, if it was met before."""
        try:
            self._connection.execute("INSERT INTO seen VALUES (?, ?)", (fact_id, said))
        except sqlite3.IntegrityError:
            (before,) = self._connection.execute(
                "SELECT said FROM seen WHERE fact_id = ?", (fact_id,)
            ).fetchone()
            return bytes(before)
        return None

    def link(self, line: int, target: str) -> None:
        """Note that a line's fact was superseded by another."""
        self._connection.execute("INSERT INTO links VALUES (?, ?)", (line, target))

    def link_count(self) -> int:
        (count,) = self._connection.execute("SELECT count(*) FROM links").fetchone()
        return int(count)

    def loose(self) -> Iterator[tuple[int, str]]:
        """The links to facts that were not met, as lines and ids."""
        yield from self._connection.execute(
            "SELECT line, target FROM links WHERE target NOT IN (SELECT fact_id FROM seen) ORDER BY line"
        )

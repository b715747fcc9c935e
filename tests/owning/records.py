"""Archives as tests write and read them, and what must hold in any brain's file."""

import io
import json
import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import closing
from pathlib import Path
from typing import IO, Any

from brainctl.engine.archive.loading import Loaded
from brainctl.engine.owner import Owner
from brainctl.engine.store.opening import is_database
from tests.spot import raw

STORE = ".local/share/brainctl/local.db"
"""Where `brain init` puts a brain, below the home folder."""

HEAD: dict[str, Any] = {"type": "brain", "format": 1, "workspace": "local"}
END: dict[str, Any] = {"type": "end"}
HOSTILE = "\x1b]0;owned\x07\x1b[2J\u202eevil\x9b31m \x00\r\n[red]x[/red]"
"""What would act on a terminal, were it let through."""


def fact(number: int, text: str, **changed: Any) -> dict[str, Any]:
    """A fact's line as export writes it."""
    return {
        "type": "fact",
        "fact_id": f"fact_{number:026}",
        "text": text,
        "kind": "decision",
        "origin": "user_stated",
        "subject": "opening hours",
        "confidence": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
        "pinned": False,
        "stated": True,
        "judged": "general",
        **changed,
    }


def dumped(records: Iterable[Mapping[str, Any]]) -> bytes:
    """Lines as export writes them."""
    return "".join(
        json.dumps(each, ensure_ascii=False, separators=(",", ":")) + "\n" for each in records
    ).encode()


def exported(owner: Owner, *, answers: bool = False) -> list[dict[str, Any]]:
    return list(owner.export(answers=answers))


def nothing(*_: int) -> None:
    """Is told of progress, and does nothing about it."""


def loaded(owner: Owner, records: Iterable[Mapping[str, Any]]) -> Loaded:
    """Import the lines, as the command does."""
    stream: IO[bytes] = io.BytesIO(dumped(records))
    plan = owner.check_archive(stream, "archive", nothing)
    stream.seek(0)
    return owner.load_archive(stream, plan, nothing)


def everything_in(path: Path | str) -> bytes:
    """All bytes of a brain's file and what lies beside it."""
    return b"".join(each.read_bytes() for each in sorted(Path(path).parent.glob(f"{Path(path).name}*")))


def assert_consistent(path: Path | str) -> None:
    """Nothing dangles, and the indexes, totals and frequencies are of the facts; a file is sound besides."""
    if is_database(str(path)):
        assert_database_consistent(str(path))
        return
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
        facts: Counter[str] = Counter()
        sizes: Counter[str] = Counter()
        words: Counter[tuple[str, str]] = Counter()
        for shelf, terms in connection.execute(
            "SELECT shelf, terms FROM facts WHERE shelf IN ('open', 'inner')"
        ):
            facts[shelf] += 1
            sizes[shelf] += len(terms.split())
            words.update((shelf, term) for term in set(terms.split()))
        kept = connection.execute("SELECT shelf, facts, terms FROM shelves WHERE facts > 0 ORDER BY shelf")
        assert kept.fetchall() == [(shelf, facts[shelf], sizes[shelf]) for shelf in sorted(facts)]
        for shelf in ("open", "inner"):
            connection.execute(f"INSERT INTO {shelf}_index ({shelf}_index) VALUES ('integrity-check')")
            found = dict(connection.execute(f"SELECT term, doc FROM {shelf}_vocabulary"))
            assert found == {term: count for (of, term), count in words.items() if of == shelf}


def assert_database_consistent(address: str) -> None:
    """In every workspace, places, stretches, totals and frequencies are of its facts."""
    on = "workspace, shelf"
    searched = "shelf IN ('open', 'inner')"
    with raw(address) as connection:

        def rows(sql: str) -> list[Any]:
            return list(connection.execute(sql).fetchall())

        facts: Counter[Any] = Counter()
        sizes: Counter[Any] = Counter()
        words: Counter[Any] = Counter()
        standing: dict[Any, Any] = {}
        for *shelf, row, terms in rows(f"SELECT {on}, row, terms FROM facts WHERE {searched}"):
            key = tuple(shelf)
            standing[key[0], row] = key, terms.split()
            facts[key] += 1
            sizes[key] += len(terms.split())
            words.update((*key, term) for term in set(terms.split()))
        kept = rows(f"SELECT {on}, facts, terms FROM shelves WHERE facts > 0 OR terms <> 0")
        assert sorted(kept) == sorted((*key, facts[key], sizes[key]) for key in facts)
        counted = rows(f"SELECT {on}, term, facts, number FROM frequencies")
        assert {tuple(each[:3]): each[3] for each in counted} == words
        known = {each[4]: tuple(each[:3]) for each in counted}
        assert len(known) == len(counted)
        stretches = rows(f"SELECT {on}, first_row, number FROM stretches ORDER BY first_row")
        assert known.keys().isdisjoint(each[3] for each in stretches)
        places = rows("SELECT workspace, row, found_by FROM places")
        assert {(workspace, row) for workspace, row, _ in places} == standing.keys()
        for workspace, row, (stretch, *numbers) in places:
            key, terms = standing[workspace, row]
            assert [known[number] for number in numbers] == [(*key, term) for term in terms]
            covering = [each[3] for each in stretches if tuple(each[:2]) == key and each[2] <= row]
            assert stretch == covering[-1]

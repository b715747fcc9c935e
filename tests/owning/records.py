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
    """The file is sound, nothing in it dangles, and its indexes, totals and frequencies are of its facts."""
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

"""A disk without room: what was there stays whole, and goes on once there is room. (Files may not grow past a limit.)"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.asking.saying import accepted
from tests.cli.hosted import Hosting, inside
from tests.cli.shell import Shell

SECRET = "ak_live_" + "x7f4" * 8
BLOCK = 1024
"""Bytes of a unit of `ulimit -f`."""


def contents(home: Path) -> dict[str, bytes]:
    """Every file but the locks, which are empty."""
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.suffix != ".lock"
    }


def add(name: str, limit: int) -> str:
    return f"{full(limit)}; printf %s {SECRET} | brainctl keys add {name} --key-stdin --no-check"


def full(limit: int) -> str:
    """From here on no file grows past so many units: ours, while Python would cut its own compiled modules short."""
    return f"export PYTHONDONTWRITEBYTECODE=1; ulimit -f {limit}"


def test_no_key_is_half_saved_and_none_is_lost(shell: Shell) -> None:
    for number in range(8):
        assert inside(shell, "keys", "add", f"k{number}", "--key-stdin", "--no-check", stdin=SECRET).code == 0
    before = contents(shell.home)
    (config,) = (name for name in before if name.endswith("config.json"))
    (secrets,) = (name for name in before if name.endswith("secrets.json"))
    failed = shell.sh(add("new", 0))
    assert (failed.code, failed.out) == (1, "")
    assert "make room or check the disk" in failed.err
    assert "--verbose" not in failed.err
    assert contents(shell.home) == before
    # There is room for the secrets and none for the configuration, which is the larger of the two.
    assert len(before[secrets]) + 60 < BLOCK < len(before[config])
    assert shell.sh(add("new", 1)).code == 1
    left = contents(shell.home)
    assert left.keys() == before.keys()
    assert left[config] == before[config]
    kept, kept_before = (json.loads(each[secrets])["secrets"] for each in (left, before))
    assert kept_before.items() <= kept.items()
    assert shell.sh(add("new", 100)).code == 0
    assert len(inside(shell, "keys", "list").out.splitlines()) == 9


def rows(path: Path) -> list[dict[str, Any]]:
    """The lines of the journal that are whole."""
    found = []
    for line in path.read_bytes().splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            continue
    return found


@pytest.mark.parametrize("room", [0, 40])
def test_a_journal_without_room_keeps_what_it_has_and_goes_on(hosting: Hosting, room: int) -> None:
    hosted = hosting(accepted("event_1"), accepted("event_2"), accepted("event_3"))
    assert inside(hosted.shell, "ask", "first", "--no-wait").code == 0
    (path,) = hosted.shell.home.rglob("answers.jsonl")
    path.write_bytes(path.read_bytes().ljust(BLOCK - room, b"\n"))
    before = rows(path)
    without_room = hosted.shell.sh(f"{full(1)}; brainctl ask second --no-wait")
    assert (without_room.code, without_room.out) == (0, "event_2\n")
    assert "cannot be written" in without_room.err
    assert path.stat().st_size == BLOCK
    assert rows(path) == before
    assert inside(hosted.shell, "ask", "third", "--no-wait").code == 0
    assert rows(path)[: len(before)] == before
    assert {row.get("answer_id") for row in rows(path)} == {None, "event_1", "event_3"}
    # The half of a line that the full disk took does not swallow the next one.
    assert [row["request"]["input"] for row in rows(path) if "request" in row] == ["first", "third"]

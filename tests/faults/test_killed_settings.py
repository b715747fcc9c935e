"""A process killed at any of its writes: keys, configuration and journal parse, and nothing in them is lost or doubled."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import PASSED_ON
from tests.faults.killing_settings import COMMANDS, IN_THE_KEYRING, OPEN, SECRETS

SCRIPT = Path(__file__).with_name("killing_settings.py")
ROOT = Path(__file__).parents[2]
A, B, C, D = (SECRETS[name] for name in "abcd")
BEFORE = {"production/a": A, "production/b": B, "dev/c": C}
AFTER = {
    "add": {**BEFORE, "production/d": D},
    "replace": {**BEFORE, "production/a": D},
    "use": BEFORE,
    "rename": {"production/z": A, "production/b": B, "dev/c": C},
    "remove": {"production/b": B, "dev/c": C},
    "remove the environment": {"production/a": A, "production/b": B},
}
CURRENT = {
    "use": {"production/b", "dev/c"},
    "rename": {"production/z", "dev/c"},
    "remove": {"dev/c"},
    "remove the environment": {"production/a"},
}
"""The current profile of each environment, where a command changes one."""

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks off")


def killed_everywhere(folder: Path, *kind: str) -> list[dict[str, Any]]:
    environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    done = subprocess.run(
        [sys.executable, SCRIPT, folder / "home", *kind],
        env={**environ, "HOME": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    # Both ways of dying were tried until there was no write left to die at.
    assert sorted(row["torn"] for row in rows if not row["killed"]) == [False, True]
    return rows


def keys_of(files: dict[str, Any]) -> dict[str, str]:
    """The secret of each profile that is listed; fails where a profile has none."""
    return {slot: files["secrets"][slot] for slot in files["profiles"]}


@pytest.mark.parametrize(
    ("kind", "where"),
    [*((kind, ()) for kind in COMMANDS), *((kind, ("keyring",)) for kind in IN_THE_KEYRING)],
)
def test_every_profile_has_its_key_at_every_moment_and_no_key_outlives_its_profile(
    tmp_path: Path, kind: str, where: tuple[str, ...]
) -> None:
    rows = killed_everywhere(tmp_path, kind, *where)
    assert len(rows) >= 8
    current = CURRENT.get(kind, {"production/a", "dev/c"})
    for row in rows:
        # A key that takes another's place is written in one step: it is the one, or it is the other.
        assert keys_of(row["left"]) in (BEFORE, AFTER[kind]), row
        assert keys_of(row["again"]) == AFTER[kind], row
        assert {slot for slot, is_current in row["again"]["profiles"].items() if is_current} == current, row
        # What had been done before the kill cannot be done once more: the name is not there any longer.
        was_done = keys_of(row["left"]) == AFTER[kind] and AFTER[kind].keys() != BEFORE.keys()
        assert row["code"] in ({0, 2} if was_done else {0}), row
        # A key whose profile has just gone may outlive it; no key that was there before is ever missing.
        assert AFTER[kind].items() <= row["again"]["secrets"].items() <= {**BEFORE, **AFTER[kind]}.items(), (
            row
        )
        # What the kill left goes with the next change of any key, and nothing else does.
        assert keys_of(row["later"]) == row["later"]["secrets"] == AFTER[kind], row
        assert row["torn_files"] == [], row


def test_a_question_is_asked_once_and_older_ones_are_kept(tmp_path: Path) -> None:
    rows = killed_everywhere(tmp_path, "ask")
    # The journal is also made small in each run, which writes the whole of it anew.
    assert len(rows) >= 14
    for row in rows:
        assert row["left"]["open"] == row["again"]["open"] == OPEN, row
        # Killed before it was on the disk that the question would be asked, it was not asked: there is nothing to find.
        assert (row["waited"], row["left"]["runs"], row["again"]["runs"]) in {
            (0, 0, 1),
            (0, 1, 1),
            (5, 0, 0),
        }, row
    assert {row["again"]["runs"] for row in rows} == {0, 1}

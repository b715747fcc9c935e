"""A process killed at any of its writes: what it leaves behind parses, and the same command once more brings all of it, once."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.bulk.killing import FACTS, QUESTIONS
from tests.cli.shell import PASSED_ON

SCRIPT = Path(__file__).with_name("killing.py")
ROOT = Path(__file__).parents[2]

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks off")


def killed_everywhere(folder: Path, kind: str) -> list[dict[str, Any]]:
    environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
    done = subprocess.run(
        [sys.executable, SCRIPT, folder / "home", kind],
        env={**environ, "HOME": str(folder), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    # Both ways of dying were tried until there was no write left to die at.
    assert sorted(row["torn"] for row in rows if not row["killed"]) == [False, True]
    return rows


def test_a_teaching(tmp_path: Path) -> None:
    rows = killed_everywhere(tmp_path, "teach")
    assert len(rows) > 12
    for row in rows:
        assert row["code"] == 0, row
        assert row["lines"] == list(range(1, FACTS + 1)), row
        assert row["facts"] == FACTS, row
        assert (row["failed"], row["rejected"], row["left"]) == ([], [], []), row


def test_a_batch_of_questions(tmp_path: Path) -> None:
    rows = killed_everywhere(tmp_path, "ask")
    assert len(rows) > 16
    for row in rows:
        assert row["code"] == 0, row
        assert row["questions"] == QUESTIONS, row
        assert len(set(row["ids"])) == len(set(row["keys"])) == row["runs"] == len(QUESTIONS), row
        assert row["left"] == [], row


def test_a_batch_of_searches(tmp_path: Path) -> None:
    rows = killed_everywhere(tmp_path, "search")
    assert len(rows) > 4
    for row in rows:
        assert (row["code"], row["queries"]) == (0, QUESTIONS), row

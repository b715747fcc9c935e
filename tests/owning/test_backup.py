"""A copy of a brain that is in use."""

import os
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import Owner, open_owner
from tests.engine.house import House
from tests.owning.records import assert_consistent, exported, nothing

ASKED = {"conversation_id": None, "end_user_id": None, "end_user_name": None, "idempotency_key": None}


def fill(house: House, megabytes: int) -> None:
    """Make the file larger than what is copied in one step."""
    house.key("internal")
    key_id = house.owner.keys()[0].key_id
    with house.owner.store.transaction() as connection:
        for number in range(megabytes * 8):
            connection.execute(
                "INSERT INTO answers (answer_id, workspace, mode, key_id, audience, input, agent_slug, status, "
                "output_text, created, finished) VALUES (?, 1, 'queued', ?, 'internal', 'x', 'main', 'completed', ?, 1, 2)",
                (f"event_{number}", key_id, f"{number} ".ljust(125_000, "x")),
            )


def pair(owner: Owner, number: int) -> None:
    """Two facts that are written together, so that nobody may ever see one without the other."""
    owner.load_facts(
        {
            "text": f"Side {side} of pair {number}.",
            "kind": "decision",
            "origin": "ingested",
            "subject": f"pair {number}",
            "confidence": 0.9,
            "recorded_time": "2026-07-14T09:12:44.318Z",
        }
        for side in (1, 2)
    )


def backed_up(house: House, to: Path, tell: Callable[[int, int], None] = nothing) -> Any:
    return house.owner.back_up(str(to), replace=False, tell=tell)


def test_a_copy_is_the_brain_as_it_was_for_its_owner_alone(house: House, tmp_path: Path) -> None:
    secret = house.key("internal")
    house.brain(secret).teach({"facts": [{"text": "We close at eight."}]})
    copy = tmp_path / "copy.db"
    counted = backed_up(house, copy)
    assert (counted.facts, counted.keys) == (1, 1)
    assert stat.S_IMODE(copy.stat().st_mode) == 0o600
    assert sorted(each.name for each in tmp_path.glob("copy*")) == ["copy.db"]
    house.brain(secret).teach({"facts": [{"text": "We are never closed."}]})
    with open_brain(str(copy), secret, clock=house.clock) as brain:
        assert [each["fact_text"] for each in brain.search({"query": "close"})["facts"]] == [
            "We close at eight."
        ]
        assert brain.teach({"facts": [{"text": "Lunch is at noon."}]})["created"] == 1
    assert_consistent(copy)


def test_a_copy_made_while_others_write_holds_one_state(house: House, tmp_path: Path) -> None:
    fill(house, 10)
    pair(house.owner, 0)
    steps: list[int] = []

    with open_owner(house.path) as writer:

        def tell(done: int, pages: int) -> None:
            steps.append(pages)
            pair(writer, len(steps))

        counted = backed_up(house, tmp_path / "copy.db", tell)
    assert len(steps) > 1
    assert len(set(steps)) == 1
    assert counted.facts == 2
    assert house.owner.fact_count() == 2 * (len(steps) + 1)
    with open_owner(str(tmp_path / "copy.db")) as copy:
        assert copy.fact_count() == 2
        assert [each["type"] for each in exported(copy, answers=True)].count("answer") == 80
    assert_consistent(tmp_path / "copy.db")
    assert_consistent(house.path)


def test_a_file_that_is_there_is_kept_unless_it_may_go(house: House, tmp_path: Path) -> None:
    there = tmp_path / "there.db"
    there.write_bytes(b"precious")
    with pytest.raises(BrainError, match="--force") as refused:
        backed_up(house, there)
    assert refused.value.code == "usage"
    assert there.read_bytes() == b"precious"
    house.owner.back_up(str(there), replace=True, tell=nothing)
    assert_consistent(there)


def test_the_log_of_a_replaced_brain_is_not_replayed_into_the_copy(
    new_house: Callable[[], House], tmp_path: Path
) -> None:
    house, other = new_house(), new_house()
    other.add("of the other one")
    log = Path(f"{other.path}-wal").read_bytes()
    assert log
    there = tmp_path / "there.db"
    there.write_bytes(Path(other.path).read_bytes())
    Path(f"{there}-wal").write_bytes(log)
    house.owner.back_up(str(there), replace=True, tell=nothing)
    with open_owner(str(there)) as copy:
        assert copy.fact_count() == 0


@pytest.mark.parametrize("where", ["", "-wal"])
def test_a_brain_is_never_replaced_by_its_own_copy(house: House, where: str) -> None:
    house.add("kept")
    with pytest.raises(BrainError, match="own file"):
        house.owner.back_up(house.path + where, replace=True, tell=nothing)
    assert house.owner.fact_count() == 1


def test_what_is_no_place_for_a_file_is_told(house: House, tmp_path: Path) -> None:
    for place in (tmp_path / "missing" / "copy.db", tmp_path, Path(os.devnull)):
        with pytest.raises(BrainError) as refused:
            house.owner.back_up(str(place), replace=True, tell=nothing)
        assert refused.value.code == "usage"
    assert Path(os.devnull).is_char_device()


def test_a_damaged_brain_is_not_passed_off_as_a_backup(house: House, tmp_path: Path) -> None:
    house.add("a fact")
    with closing(sqlite3.connect(house.path, isolation_level=None)) as other:
        other.execute("PRAGMA foreign_keys = OFF")
        other.execute("UPDATE facts SET superseded_by = 'fact_of_nobody', shelf = 'past'")
    with pytest.raises(BrainError, match="not sound") as refused:
        backed_up(house, tmp_path / "copy.db")
    assert refused.value.code == "store_error"
    assert list(tmp_path.glob("copy*")) == []


def test_a_file_with_a_broken_page_is_not_passed_off_as_a_backup(house: House, tmp_path: Path) -> None:
    house.put(*(house.fact(f"fact {number}") for number in range(200)))
    house.owner.close()
    whole = Path(house.path).read_bytes()
    place = whole.rindex(b"fact 150")
    Path(house.path).write_bytes(whole[: place - 2000] + b"\xff" * 4000 + whole[place + 2000 :])
    with open_owner(house.path) as owner, pytest.raises(BrainError) as refused:
        owner.back_up(str(tmp_path / "copy.db"), replace=False, tell=nothing)
    assert refused.value.code == "store_error"
    assert list(tmp_path.glob("copy*")) == []

"""The file that remembers what was asked: many writers, torn lines, and never too large."""

import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from brainctl.cli.asking.journal import COMPACT_BYTES, FILE, KEEP_FINISHED, Asked, Journal
from brainctl.contract.errors import BrainError
from tests.asking.conftest import JournalFile
from tests.asking.saying import accepted
from tests.cli.hosted import Hosting

MARK = "https://brain.example the profile default"
REQUEST = {"input": "x" * 1000}


@pytest.fixture
def kept(tmp_path: Path) -> Journal:
    return Journal(str(tmp_path / "state"))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "answers.jsonl"


def open_ids(journal: Journal) -> list[str | None]:
    """The ids of all open questions, newest first; closes them."""
    ids = []
    while (asked := journal.newest_open(MARK)) is not None:
        ids.append(asked.answer_id)
        journal.finish(MARK, answer_id=asked.answer_id, idempotency_key=asked.idempotency_key)
    return ids


def test_a_question_is_one_from_its_key_to_its_end(kept: Journal) -> None:
    kept.intend(MARK, "ak_live_x7f4", "key", REQUEST, 1.0)
    assert kept.newest_open(MARK) == Asked(MARK, None, "ak_live_x7f4", "key", REQUEST)
    kept.learn(MARK, "event_1", "key", 2.0)
    assert kept.newest_open(MARK) == Asked(MARK, "event_1", "ak_live_x7f4", "key", REQUEST)
    kept.finish(MARK, answer_id="event_1")
    assert kept.newest_open(MARK) is None


def test_marks_are_apart(kept: Journal) -> None:
    kept.learn(MARK, "event_1", None, 1.0)
    kept.learn("another", "event_2", None, 2.0)
    kept.learn("another", "event_1", None, 3.0)
    kept.finish("another", answer_id="event_1")
    assert open_ids(kept) == ["event_1"]


def test_a_key_used_again_after_it_was_refused_is_open_and_newest(kept: Journal) -> None:
    kept.intend(MARK, "ak", "key", REQUEST, 1.0)
    kept.finish(MARK, idempotency_key="key")
    kept.learn(MARK, "event_1", None, 2.0)
    kept.intend(MARK, "ak", "key", REQUEST, 3.0)
    assert kept.newest_open(MARK) == Asked(MARK, None, "ak", "key", REQUEST)


@pytest.mark.parametrize(
    "torn",
    [
        b'{"mark": "' + MARK.encode() + b'", "answer_id": "event_9"',
        b"\xff\xfe\x00garbage",
        b"[" * 100_000,
        b'["not", "an object"]',
        b'{"mark": 5, "answer_id": "event_9"}',
        b'{"mark": "' + MARK.encode() + b'", "answer_id": ["event_9"], "idempotency_key": {}}',
        b"\x00" * 4096,
    ],
)
def test_a_torn_line_costs_no_other(kept: Journal, path: Path, torn: bytes) -> None:
    kept.learn(MARK, "event_1", None, 1.0)
    with path.open("ab") as file:
        file.write(torn)
    kept.learn(MARK, "event_2", None, 2.0)
    assert open_ids(kept) == ["event_2", "event_1"]


def test_a_journal_grown_large_is_made_small_and_keeps_what_is_open(kept: Journal, path: Path) -> None:
    kept.intend(MARK, "ak_live_x7f4", "unanswered", REQUEST, 0.0)
    kept.learn(MARK, "event_open", "known", 0.0)
    rows: list[dict[str, object]] = []
    for number in range(1200):
        rows.append({"mark": MARK, "idempotency_key": f"k{number}", "request": REQUEST})
        rows.append({"mark": MARK, "idempotency_key": f"k{number}", "answer_id": f"event_{number}"})
        rows.append({"mark": MARK, "answer_id": f"event_{number}", "finished": True})
    with path.open("a") as file:
        file.writelines(f"{json.dumps(row)}\n" for row in rows)
    assert path.stat().st_size > COMPACT_BYTES
    kept.learn(MARK, "event_new", None, 1.0)
    assert path.stat().st_size < COMPACT_BYTES / 10
    assert path.stat().st_mode & 0o777 == 0o600
    assert path.read_text().count('"finished": true') == KEEP_FINISHED
    assert f"event_{1199}" in path.read_text()
    newest = kept.newest_open(MARK)
    assert newest is not None
    assert newest.answer_id == "event_new"
    kept.finish(MARK, answer_id="event_new")
    kept.finish(MARK, answer_id="event_open")
    assert kept.newest_open(MARK) == Asked(MARK, None, "ak_live_x7f4", "unanswered", REQUEST)


def test_many_open_questions_whose_ids_are_known_do_not_keep_their_texts(kept: Journal, path: Path) -> None:
    kept.learn(MARK, "event_first", None, 0.0)
    with path.open("a") as file:
        for number in range(1200):
            row = {"mark": MARK, "idempotency_key": f"k{number}", "request": REQUEST}
            file.write(f"{json.dumps(row)}\n")
            row = {"mark": MARK, "idempotency_key": f"k{number}", "answer_id": f"event_{number}"}
            file.write(f"{json.dumps(row)}\n")
    kept.learn(MARK, "event_last", None, 1.0)
    assert path.stat().st_size < COMPACT_BYTES / 3
    kept_ids = [json.loads(line)["answer_id"] for line in path.read_text().splitlines() if line]
    assert kept_ids == ["event_first", *(f"event_{number}" for number in range(1200)), "event_last"]


def test_many_writers_at_once_lose_nothing(tmp_path: Path, path: Path) -> None:
    def write(number: int) -> None:
        mine = Journal(str(tmp_path / "state"))
        for turn in range(10):
            mine.learn(MARK, f"event_{number}_{turn}", None, 1.0)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(write, range(20)))
    ids = {json.loads(line)["answer_id"] for line in path.read_text().splitlines() if line}
    assert ids == {f"event_{number}_{turn}" for number in range(20) for turn in range(10)}


def test_writers_while_it_is_made_small_lose_nothing(tmp_path: Path, path: Path) -> None:
    first = Journal(str(tmp_path / "state"))
    first.learn(MARK, "event_first", None, 0.0)
    with path.open("a") as file:
        for number in range(1100):
            file.write(
                f"{json.dumps({'mark': MARK, 'answer_id': f'old_{number}', 'finished': True, 'pad': 'x' * 1000})}\n"
            )

    def write(number: int) -> None:
        Journal(str(tmp_path / "state")).learn(MARK, f"event_{number}", None, 1.0)

    with ThreadPoolExecutor(20) as pool:
        list(pool.map(write, range(20)))
    assert path.stat().st_size < COMPACT_BYTES
    assert set(open_ids(first)) == {"event_first", *(f"event_{number}" for number in range(20))}


def test_twenty_asks_at_once_are_all_found_again(hosting: Hosting, journal: JournalFile) -> None:
    hosted = hosting(*(accepted(f"event_{number}") for number in range(20)))
    running = [hosted.shell.start("ask", f"q{number}", "--no-wait") for number in range(20)]
    said = [process.communicate()[0].decode().strip() for process in running]
    assert sorted(said) == sorted(f"event_{number}" for number in range(20))
    learnt = {row["answer_id"] for row in journal.rows if "answer_id" in row}
    assert learnt == set(said)


def test_a_full_disk_is_told_and_nothing_of_it_is_taken_for_written(tmp_path: Path) -> None:
    (tmp_path / FILE).symlink_to("/dev/full")
    with pytest.raises(BrainError) as caught:
        Journal(str(tmp_path)).learn(MARK, "event_1", None, 1.0)
    assert "cannot be written" in caught.value.message

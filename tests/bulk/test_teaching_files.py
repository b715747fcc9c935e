"""What a teaching leaves behind: a report of each fact, and the facts that were not accepted."""

import hashlib
import json
import signal
from itertools import repeat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import Hosted, Hosting, data, inside, refused
from tests.cli.shell import eventually, posix
from tests.doors.faults import Fault, Reply

FACTS = [f"fact {number}" for number in range(50)]
LINES = "\n".join(FACTS)
COUNTERS = ("accepted_fact_count", "created", "superseded", "skipped")


def accepted(count: int) -> Fault:
    return data(dict(zip(COUNTERS, (count, count - 1, 0, 1), strict=True)), 202)


def bad_call() -> Reply:
    return refused("validation_error", 422, "One of them is no fact", {"fields": [{"field": "facts[3]"}]})


def taught(hosted: Hosted) -> list[list[str]]:
    return [[each["text"] for each in body["facts"]] for body in hosted.bodies]


class Folder:
    def __init__(self, path: Path) -> None:
        self.facts = path / "facts.txt"
        self.facts.write_text(LINES)
        self.report = path / "report.jsonl"
        self.rejected = path / "rejected.jsonl"

    @property
    def arguments(self) -> list[str]:
        return [
            *("teach", "-f", str(self.facts)),
            *("--report", str(self.report), "--rejected", str(self.rejected)),
        ]

    @property
    def rows(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.report.read_text().splitlines()]

    @property
    def texts(self) -> list[str]:
        return [json.loads(line)["text"] for line in self.rejected.read_text().splitlines()]


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_a_report_has_a_row_for_each_fact(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(20), accepted(20), accepted(10))
    done = inside(hosted.shell, *folder.arguments)
    assert done.code == 0, done.err
    assert [row["line"] for row in folder.rows] == list(range(1, 51))
    assert [row["call"] for row in folder.rows] == [1] * 20 + [2] * 20 + [3] * 10
    assert folder.rows[49] == {
        "source": str(folder.facts),
        "line": 50,
        "sha256": hashlib.sha256(b"fact 49").hexdigest(),
        "call": 3,
        "accepted_fact_count": 10,
        "created": 9,
        "superseded": 0,
        "skipped": 1,
    }
    assert folder.texts == []


def test_every_source_is_named(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(3))
    folder.facts.write_text("# heading\n\nfrom a file")
    done = inside(
        hosted.shell, *folder.arguments, "an argument", "-", stdin='{"text":"piped"}', at_terminal=False
    )
    assert done.code == 0, done.err
    assert [(row["source"], row["line"]) for row in folder.rows] == [
        ("argument", 1),
        (str(folder.facts), 3),
        ("standard input", 1),
    ]


def test_a_call_that_is_refused_does_not_keep_back_the_others(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(20), bad_call(), accepted(10))
    done = inside(hosted.shell, *folder.arguments)
    assert (done.code, len(taught(hosted))) == (2, 3)
    assert done.out == "accepted\t30\ncreated\t28\nsuperseded\t0\nskipped\t2\n"
    assert "20 of 50 facts were not accepted; --rejected has them. The first: call 2, one of them" in done.err
    assert folder.texts == FACTS[20:40]
    errors = [row["error"] for row in folder.rows if "error" in row]
    assert len(errors) == 20
    assert errors[0]["code"] == "validation_error"
    assert errors[0]["details"] == {"fields": [{"field": "facts[3]"}]}


def test_what_was_rejected_can_be_taught_again(hosting: Hosting, folder: Folder) -> None:
    texts = ["# not a heading", 'with "quotes"', "two\nlines\r\n", "ünïcode — 漢", "one\u2028line"]
    folder.facts = folder.facts.with_suffix(".jsonl")
    folder.facts.write_text("".join(f"{json.dumps({'text': text})}\n" for text in texts))
    hosted = hosting(bad_call(), accepted(5))
    assert inside(hosted.shell, *folder.arguments).code == 2
    assert inside(hosted.shell, "teach", "-f", str(folder.rejected)).code == 0
    assert taught(hosted) == [texts, texts]


def test_a_brain_that_takes_fewer_than_it_was_given_has_not_taken_them(
    hosting: Hosting, folder: Folder
) -> None:
    hosted = hosting(accepted(20), accepted(0), accepted(10))
    done = inside(hosted.shell, *folder.arguments, "--json")
    assert done.code == 11
    assert json.loads(done.out)["accepted_fact_count"] == 30
    assert "20 of 50 facts were not accepted" in json.loads(done.err)["error"]["message"]
    assert folder.texts == FACTS[20:40]


def test_where_it_stops_every_fact_that_is_left_has_its_row(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(20), refused("out_of_credits", 402))
    done = inside(hosted.shell, *folder.arguments)
    assert (done.code, "20 of 50 facts were taught: run the same command" in done.err) == (8, True)
    codes = [row.get("error", {}).get("code") for row in folder.rows]
    assert codes == [None] * 20 + ["out_of_credits"] * 20 + ["not_sent"] * 10
    assert [row["call"] for row in folder.rows[40:]] == [None] * 10
    assert folder.texts == FACTS[20:]


def test_going_on_tells_of_the_calls_before_too(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(bad_call(), accepted(20), refused("out_of_credits", 402), accepted(10))
    assert inside(hosted.shell, *folder.arguments).code == 8
    done = inside(hosted.shell, *folder.arguments, "--json")
    assert taught(hosted)[3:] == [FACTS[40:]]
    assert (done.code, json.loads(done.out)["accepted_fact_count"]) == (2, 30)
    assert "20 of 50 facts were not accepted" in done.err
    assert [row["call"] for row in folder.rows] == [1] * 20 + [2] * 20 + [3] * 10
    assert [row.get("skipped") for row in folder.rows] == [None] * 20 + [1] * 30
    assert folder.texts == FACTS[:20]
    # It came to its end: the next run starts over.
    again = inside(hosted.shell, *folder.arguments, "--dry-run")
    assert "Going on" not in again.err


class Silence:
    """The request arrives, and nothing ever comes back."""

    def meet(self, request: bytes, road: Any) -> None:
        road.wait()


@posix
def test_an_interruption_leaves_no_fact_without_a_word(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(20), Silence())
    running = hosted.shell.start(*folder.arguments)
    eventually(lambda: len(hosted.road.requests) == 2)
    running.send_signal(signal.SIGINT)
    running.communicate(timeout=60)
    assert running.returncode == 130
    codes = [row.get("error", {}).get("code") for row in folder.rows]
    assert codes == [None] * 20 + ["interrupted"] * 20 + ["not_sent"] * 10
    assert folder.texts == FACTS[20:]


def test_bad_lines_are_all_in_the_report_and_nothing_is_sent(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting()
    folder.facts.write_text("ok\n" + f"{'x' * 4001}\n" * 1100)
    done = inside(hosted.shell, *folder.arguments, "--json")
    assert (done.code, hosted.road.requests) == (2, [])
    assert len(json.loads(done.err)["error"]["details"]["fields"]) == 1001
    assert [row["line"] for row in folder.rows] == list(range(2, 1102))
    assert folder.rows[0]["error"]["message"] == "must be at most 4000 characters, and has 4001"
    assert not folder.rejected.exists()


def test_a_secret_that_a_brain_repeats_is_masked(hosting: Hosting, folder: Folder) -> None:
    secret = "ak_live_x7f4Qm2Zr9TtLw0VbN8cKd"
    hosted = hosting(
        refused("validation_error", 422, f"No: {secret}", {"key": secret}), *repeat(accepted(20), 2)
    )
    done = inside(hosted.shell, *folder.arguments)
    assert done.code == 2
    assert secret not in folder.report.read_text() + done.err
    assert "ak_live_x7f4…" in folder.report.read_text()


@pytest.mark.parametrize(
    ("report", "rejected", "said"),
    [
        ("facts.txt", "r.jsonl", "--report"),
        ("r.jsonl", "./r.jsonl", "--report"),
        ("r.jsonl", "rejected.txt", "--rejected writes JSON lines"),
        ("nowhere/r.jsonl", "r.jsonl", "cannot be written"),
        ("r.jsonl", "link.jsonl", "--rejected"),
    ],
)
def test_files_that_cannot_be_meant_are_refused_before_anything_is_sent(
    hosting: Hosting, folder: Folder, tmp_path: Path, report: str, rejected: str, said: str
) -> None:
    hosted = hosting()
    (tmp_path / "link.jsonl").symlink_to(folder.facts)
    done = inside(
        hosted.shell,
        *("teach", "-f", str(folder.facts)),
        *("--report", str(tmp_path / report), "--rejected", str(tmp_path / rejected)),
    )
    assert (done.code, hosted.road.requests, said in done.err) == (2, [], True), done.err
    assert folder.facts.read_text() == LINES


def test_a_dry_run_writes_neither(hosting: Hosting, folder: Folder) -> None:
    assert inside(hosting().shell, *folder.arguments, "--dry-run").code == 0
    assert not folder.report.exists()
    assert not folder.rejected.exists()


def test_a_dry_run_in_json_is_one_document_however_long(hosting: Hosting, folder: Folder) -> None:
    done = inside(hosting().shell, *folder.arguments, "--dry-run", "--json")
    assert json.loads(done.out) == {"facts": [{"text": fact} for fact in FACTS]}


def test_two_teachings_of_the_same_facts_at_once_lose_none(hosting: Hosting, folder: Folder) -> None:
    hosted = hosting(accepted(20), Silence(), accepted(20), refused("out_of_credits", 402))
    slow = hosted.shell.unmeasured.start(*folder.arguments)
    eventually(lambda: len(hosted.road.requests) == 2)
    slow.kill()
    slow.communicate()
    # Each has noted its first call; both notes together are not two calls.
    ledger = next((hosted.shell.home / ".local/state/brainctl/teaching").iterdir())
    ledger.write_bytes(ledger.read_bytes() * 2)
    assert inside(hosted.shell, *folder.arguments).code == 8
    assert taught(hosted)[2] == FACTS[20:40]

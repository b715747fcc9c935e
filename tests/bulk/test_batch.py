"""Many searches, or packets, in one run."""

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import SECRET, Hosting, data, facts, inside, refused
from tests.cli.shell import Result, Shell, posix
from tests.doors.faults import Reply

INPUT = '\ufeffrefund policy\r\n\n  {"query": "dates", "limit": 3}\n# not a comment\n{"query":"who","end_user":{"id":"c"}}'
REQUESTS = [
    {"query": "refund policy", "limit": 7},
    {"query": "dates", "limit": 3},
    {"query": "# not a comment", "limit": 7},
    {"query": "who", "end_user": {"id": "c"}, "limit": 7},
]


def written(folder: Path, content: str | bytes, name: str = "batch.jsonl") -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def found(row: dict[str, Any]) -> list[str]:
    return [fact["fact_text"] for fact in row["data"]["facts"]]


# What is read, and what comes out


def test_each_line_is_a_row_in_the_order_of_the_input(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(*(facts(f"fact {number}") for number in range(4)))
    done = inside(hosted.shell, "search", "--batch", written(tmp_path, INPUT), "-n", "7")
    assert (done.code, done.err) == (0, "")
    assert hosted.bodies == REQUESTS
    assert [row["request"] for row in rows(done.out)] == REQUESTS
    assert [found(row) for row in rows(done.out)] == [[f"fact {number}"] for number in range(4)]


def test_standard_input_is_read_and_options_are_for_all_rows(hosting: Hosting) -> None:
    hosted = hosting(facts("a"), facts("b"))
    arguments = "search", "--batch", "-", "--end-user", "cust_419", "--end-user-name", "Maria"
    done = inside(hosted.shell, *arguments, stdin='one\n{"query":"two","end_user":{"id":"other"}}\n')
    assert done.code == 0
    assert hosted.bodies == [
        {"query": "one", "end_user": {"id": "cust_419", "name": "Maria"}},
        {"query": "two", "end_user": {"id": "other"}},
    ]


@pytest.mark.parametrize("form", ["human", "json", "jsonl"])
def test_the_rows_are_lines_of_json_whatever_the_form(hosting: Hosting, form: str) -> None:
    hosted = hosting(facts("a"), facts("ü \x9b \u202e"))
    done = inside(hosted.shell, "search", "--batch", "-", "-o", form, stdin="one\ntwo")
    assert [found(row) for row in rows(done.out)] == [["a"], ["ü \x9b \u202e"]]
    assert "\x9b" not in done.out
    assert "ü" in done.out


def test_packets_come_whole_and_one_of_another_version_is_an_error(hosting: Hosting) -> None:
    packets: list[dict[str, Any]] = [
        {"packet_version": version, "rendered": "# Memory", "facts": []} for version in (1, 2)
    ]
    hosted = hosting(*map(data, packets))
    done = inside(
        hosted.shell, "context", "--batch", "-", "--expect-version", "1", "-b", "200", stdin="one\ntwo"
    )
    assert hosted.bodies == [{"query": query, "token_budget": 200} for query in ("one", "two")]
    first, second = rows(done.out)
    assert (done.code, first["data"], second["error"]["code"]) == (11, packets[0], "bad_response")


def test_a_brain_on_this_machine_answers_batches_too(company: Shell) -> None:
    done = inside(company, "search", "--batch", "-", stdin="refundable deposits\nwedding")
    assert done.code == 0
    first, second = rows(done.out)
    alone = json.loads(inside(company, "search", "--json", "refundable deposits").out)
    assert (first["data"], len(second["data"]["facts"]) > 1) == (alone, True)


# What is refused, before anything is sent


@pytest.mark.parametrize(
    ("command", "content", "problems"),
    [
        (
            "search",
            b'ok\n{"query":"x","limit":0}\n{"query":" "}\n\xff\n{\n{"query":"a","query":"b"}\n{"text":"x"}\n'
            + b"x" * 2001,
            [
                (2, "limit must be from 1 to 100"),
                (3, "query must not be empty"),
                (4, "is not UTF-8: byte 1 does not fit"),
                (5, "is not JSON: Expecting property name enclosed in double quotes"),
                (6, "has a field twice"),
                (7, "text unknown field"),
                (7, "query is required"),
                (8, "query must be at most 2000 characters, and has 2001"),
            ],
        ),
        ("context", b'{"query":"x","token_budget":99}', [(1, "token_budget must be from 100 to 20000")]),
        (
            "ask",
            b'{"input":"x","stream":false}\n{"query":"x"}',
            [(1, "stream unknown field"), (2, "query unknown field"), (2, "input is required")],
        ),
    ],
)
def test_every_bad_line_is_named_and_nothing_is_sent(
    hosting: Hosting, tmp_path: Path, command: str, content: bytes, problems: list[tuple[int, str]]
) -> None:
    hosted = hosting()
    path = written(tmp_path, content)
    failed = inside(hosted.shell, command, "--batch", path, "--json")
    assert (failed.code, failed.out, hosted.road.requests) == (2, "", [])
    fields = json.loads(failed.err)["error"]["details"]["fields"]
    assert [(each["field"], each["message"]) for each in fields] == [
        (f"{path}:{line}", said) for line, said in problems
    ]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("search", "query", "--batch", "-"), "Give QUERY or --batch"),
        (("ask", "query", "--batch", "-"), "Give INPUT or --batch"),
        (("search", "query", "--resume", "x"), "--resume goes with --batch"),
        (("ask", "query", "--concurrency", "2"), "--concurrency goes with --batch"),
        (("ask", "--batch", "-", "--stream"), "--batch queues its questions"),
        (("ask", "--batch", "-", "--interactive"), "--batch queues its questions"),
        (("ask", "--batch", "-", "--idempotency-key", "k"), "--batch queues its questions"),
        (("ask", "--batch", "-", "--concurrency", "0"), "--concurrency"),
        (("search", "--batch", "-"), "holds nothing to ask"),
        (("search", "--batch", "/nowhere"), "/nowhere cannot be read"),
        (("search", "--batch", "/"), "/ cannot be read"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    hosting: Hosting, arguments: tuple[str, ...], said: str
) -> None:
    hosted = hosting()
    failed = inside(hosted.shell, *arguments, stdin="\n \n")
    assert (failed.code, failed.out, hosted.road.requests, said in failed.err) == (2, "", [], True), failed


# Rows that fail


def test_a_row_that_fails_has_its_error_and_the_others_their_data(hosting: Hosting) -> None:
    hosted = hosting(
        facts("a"),
        refused("validation_error", 422, "No such query", {"n": 1}),
        facts("c"),
        refused("not_found", 404),
    )
    done = inside(hosted.shell, "search", "--batch", "-", stdin="one\ntwo\nthree\nfour")
    got = rows(done.out)
    assert done.code == 2
    assert [("data" in row, "error" in row) for row in got] == [(True, False), (False, True)] * 2
    assert got[1]["error"] == {
        "code": "validation_error",
        "message": "No such query",
        "details": {"n": 1},
        "http_status": 422,
    }
    assert (
        "error: 2 of 4 rows have no answer; --resume with the rows' file asks those again. The first, on line 2: "
        in done.err
    )


def test_what_is_in_the_way_of_all_rows_is_met_once(hosting: Hosting) -> None:
    hosted = hosting(facts("a"), refused("api_key_revoked", 401))
    done = inside(hosted.shell, "search", "--batch", "-", stdin="one\ntwo\nthree")
    assert (done.code, len(hosted.road.requests)) == (3, 2)
    assert [row.get("error", {}).get("code") for row in rows(done.out)] == [None, *["api_key_revoked"] * 2]


def test_no_key_is_no_batch(shell: Shell) -> None:
    failed = inside(shell, "ask", "--batch", "-", stdin="one")
    assert (failed.code, failed.out) == (3, "")


def test_a_secret_that_a_brain_repeats_is_masked(hosting: Hosting) -> None:
    hosted = hosting(refused("validation_error", 422, f"No {SECRET}", {"key": SECRET}))
    done = inside(hosted.shell, "search", "--batch", "-", stdin="one")
    assert SECRET not in done.out + done.err


# Going on


def resumed(shell: Shell, folder: Path, queries: str) -> Result:
    return inside(shell, "search", "--batch", "-", "--resume", str(folder / "out.jsonl"), stdin=queries)


def output(folder: Path) -> list[tuple[str, Any]]:
    """Query and first fact, or error code, of each row in the file."""
    return [
        (row["request"]["query"], found(row)[0] if "data" in row else row["error"]["code"])
        for row in rows((folder / "out.jsonl").read_text())
    ]


def test_what_has_an_answer_is_not_asked_again(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), facts("b"), facts("c"))
    assert resumed(hosted.shell, tmp_path, "one\ntwo").out == ""
    done = resumed(hosted.shell, tmp_path, "one\ntwo\nthree")
    assert (done.code, done.out, done.err) == (0, "", "2 of 3 rows have their answer already.\n")
    assert output(tmp_path) == [("one", "a"), ("two", "b"), ("three", "c")]
    assert resumed(hosted.shell, tmp_path, "one\ntwo\nthree").code == 0
    assert len(hosted.road.requests) == 3


def test_the_same_query_twice_is_two_rows(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), facts("b"), facts("c"))
    resumed(hosted.shell, tmp_path, "one\none")
    resumed(hosted.shell, tmp_path, "one\none\none")
    assert output(tmp_path) == [("one", "a"), ("one", "b"), ("one", "c")]


def test_a_row_that_failed_is_asked_again_and_stands_in_its_place(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), refused("not_found", 404), facts("c"), facts("b"))
    assert resumed(hosted.shell, tmp_path, "one\ntwo\nthree").code == 5
    assert output(tmp_path)[1] == ("two", "not_found")
    assert resumed(hosted.shell, tmp_path, "one\ntwo\nthree").code == 0
    assert output(tmp_path) == [("one", "a"), ("two", "b"), ("three", "c")]


def test_another_limit_is_another_request(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), facts("b"))
    resumed(hosted.shell, tmp_path, "one")
    resumed(hosted.shell, tmp_path, '{"query":"one","limit":3}')
    assert output(tmp_path) == [("one", "a"), ("one", "b")]


@posix
def test_a_row_half_written_is_asked_again(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), facts("b"), facts("b"))
    resumed(hosted.shell, tmp_path, "one\ntwo")
    path = tmp_path / "out.jsonl"
    path.write_bytes(path.read_bytes()[:-5])
    path.chmod(0o640)
    assert resumed(hosted.shell, tmp_path, "one\ntwo").code == 0
    assert output(tmp_path) == [("one", "a"), ("two", "b")]
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


@pytest.mark.parametrize(
    "content", ["one\ntwo\n", '{"query":"one"}\n', '{"request":{}}\n', '{"data":1}\n', "[]\n"]
)
def test_a_file_that_no_batch_wrote_is_left_alone(hosting: Hosting, tmp_path: Path, content: str) -> None:
    hosted = hosting()
    path = tmp_path / "out.jsonl"
    path.write_text(content)
    failed = resumed(hosted.shell, tmp_path, "one")
    assert (failed.code, hosted.road.requests, path.read_text()) == (2, [], content)
    assert "out.jsonl:1 is no row of a batch's output" in failed.err


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("no/out.jsonl", "there is no folder"),
        ("a folder", "no file that rows can be kept in"),
        pytest.param("a pipe", "no file that rows can be kept in", marks=posix),
    ],
)
@pytest.mark.parametrize("command", ["search", "ask"])
def test_where_rows_cannot_go_nothing_is_asked(
    hosting: Hosting, tmp_path: Path, command: str, path: str, said: str
) -> None:
    hosted = hosting()
    (tmp_path / "a folder").mkdir()
    if path == "a pipe":
        os.mkfifo(tmp_path / path)
    failed = inside(hosted.shell, command, "--batch", "-", "--resume", str(tmp_path / path), stdin="a\nb")
    assert (failed.code, failed.out, len(hosted.road.requests)) == (2, "", 0)
    assert said in failed.err
    assert "BRAINCTL_HOME" not in failed.err
    assert "--verbose" not in failed.err


class Elsewhere:
    """While the request is on its way, the same batch is begun once more."""

    def __init__(self, shell: Shell, folder: Path) -> None:
        self._again = shell, folder
        self.result: Result | None = None

    def meet(self, request: bytes, road: Any) -> None:
        shell, folder = self._again
        self.result = shell.run("search", "--batch", "-", "--resume", str(folder / "out.jsonl"), stdin="one")
        facts("a").meet(request, road)


def test_two_batches_do_not_write_the_same_file(hosting: Hosting, tmp_path: Path) -> None:
    other = hosting()
    elsewhere = Elsewhere(other.shell, tmp_path)
    hosted = hosting(elsewhere)
    assert resumed(hosted.shell, tmp_path, "one").code == 0
    assert elsewhere.result is not None
    assert elsewhere.result.code == 2
    assert "is being written by another batch" in elsewhere.result.err
    assert output(tmp_path) == [("one", "a")]


def test_where_nothing_can_be_remembered_a_batch_goes_through(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), BRAINCTL_HOME="/dev/null/nowhere")
    assert resumed(hosted.shell, tmp_path, "one").code == 0
    assert output(tmp_path) == [("one", "a")]
    assert os.listdir(tmp_path / "home") == []


def test_a_page_in_place_of_a_reply_is_a_rows_error(hosting: Hosting) -> None:
    hosted = hosting(Reply(200, b"<html>", "text/html"), facts("b"))
    done = inside(hosted.shell, "search", "--batch", "-", stdin="one\ntwo")
    assert (done.code, [("error" in row) for row in rows(done.out)]) == (11, [True, False])

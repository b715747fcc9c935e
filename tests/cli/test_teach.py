import json
import os
import signal
from collections.abc import Callable
from itertools import repeat
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.hosted import Hosted, Hosting, data, inside, refused
from tests.cli.shell import Result, Shell, eventually, posix
from tests.doors.faults import Fault, Road, gateway


def accepted(count: int, *, skipped: int = 0) -> Fault:
    """A call accepted whole."""
    told = {
        "accepted_fact_count": count,
        "created": count - skipped,
        "superseded": 0,
        "skipped": skipped,
        "new": 1,
    }
    return data(told, 202)


class Silence(NamedTuple):
    """The request arrives, and nothing ever comes back."""

    def meet(self, request: bytes, road: Road) -> None:
        assert request
        road.wait()


def taught(hosted: Hosted) -> list[list[str]]:
    """The texts of each call so far."""
    return [[each["text"] for each in body["facts"]] for body in hosted.bodies]


def written(folder: Path, name: str, content: str | bytes) -> str:
    path = folder / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return str(path)


TEXT = "# a heading\n\n  one  \r\n   # indented\ntwo # not a heading\n\t\nüç"
JSONL = '\ufeff{"text": "one"}\n\n{"text": "two\\nlines"}\r\n{"text":"# kept"}'
CSV = 'id,Text,more\n1,"one, with ""quotes""",x\n2,"two\nlines",y\n\n3,three,'


# What is read


@pytest.mark.parametrize(
    ("name", "content", "texts"),
    [
        ("facts.txt", TEXT, ["one", "two # not a heading", "üç"]),
        ("facts", TEXT, ["one", "two # not a heading", "üç"]),
        ("facts.md", "a", ["a"]),
        ("facts.jsonl", JSONL, ["one", "two\nlines", "# kept"]),
        ("FACTS.NDJSON", '{"text":"a"}', ["a"]),
        ("facts.csv", CSV, ['one, with "quotes"', "two\nlines", "three"]),
        ("bom.csv", "\ufefftext\r\none\r\n", ["one"]),
        ("facts.CSV", "text\none", ["one"]),
    ],
)
def test_a_files_suffix_says_its_format(
    hosting: Hosting, tmp_path: Path, name: str, content: str, texts: list[str]
) -> None:
    hosted = hosting(accepted(len(texts)))
    done = inside(hosted.shell, "teach", "-f", written(tmp_path, name, content))
    assert (done.code, taught(hosted)) == (0, [texts]), done.err


def test_the_format_given_wins_and_is_for_standard_input_too(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(accepted(1), accepted(1), accepted(1))
    path = written(tmp_path, "facts.txt", '{"text": "one"}\n')
    for arguments, stdin in (
        (("-f", path, "--format", "jsonl"), None),
        (("--format", "csv"), "text\none\n"),
        (("-f", "-", "--format", "text"), "one\n"),
    ):
        assert inside(hosted.shell, "teach", *arguments, stdin=stdin).code == 0
    assert taught(hosted) == [["one"]] * 3


def test_arguments_files_and_standard_input_come_in_one_order(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(accepted(5))
    first = written(tmp_path, "a.txt", "c")
    second = written(tmp_path, "b.csv", "text\nd")
    done = inside(hosted.shell, "teach", "a", "# b", "-", "-f", first, "-f", second, stdin="e\n")
    assert (done.code, taught(hosted)) == (0, [["a", "# b", "c", "d", "e"]])


def test_a_named_pipe_is_read(hosting: Hosting) -> None:
    hosted = hosting(accepted(2))
    done = hosted.shell.sh("brainctl teach -f <(printf 'one\\ntwo\\n')")
    assert (done.code, taught(hosted)) == (0, [["one", "two"]]), done.err


def test_facts_too_many_for_arguments_come_by_standard_input(hosting: Hosting) -> None:
    hosted = hosting(accepted(20))
    lines = [f"{number:02d}" + "漢" * 3998 for number in range(20)]
    assert inside(hosted.shell, "teach", stdin="\n".join(lines)).code == 0
    assert taught(hosted) == [lines]


# What is refused, before anything is sent


def refusals(hosted: Hosted, *arguments: str, stdin: bytes | None = None) -> list[tuple[str, str]]:
    """Where and why, for each line that cannot be taught."""
    failed = inside(hosted.shell, "teach", *arguments, "--json", stdin=stdin)
    assert (failed.code, failed.out, hosted.road.requests) == (2, "", [])
    error = json.loads(failed.err)["error"]
    # No brain has said it.
    assert (error["code"], "http_status" in error) == ("validation_error", False)
    return [(field["field"], field["message"]) for field in error["details"]["fields"]]


def test_every_bad_line_is_named_by_file_and_line(hosting: Hosting, tmp_path: Path) -> None:
    text = written(tmp_path, "facts.txt", b"ok\n" + b"x" * 4001 + b"\nbad \xff byte\nok\n")
    rows = written(
        tmp_path,
        "facts.jsonl",
        '{"text":"ok"}\n{"text":" "}\nnot json\n{"text":3}\n{"text":"a","id":1}\n[]\n{"text":"\\ud800"}\n'
        + "[" * 9999
        + '\n{"text":"a","text":"b"}\n',
    )
    table = written(tmp_path, "facts.csv", "id,text\n1,ok\n2,\n3\n")
    found = refusals(hosting(), "-f", text, "-f", rows, "-f", table, "")
    assert found == [
        ("argument 1", "must not be empty"),
        (f"{text}:2", "must be at most 4000 characters, and has 4001"),
        (f"{text}:3", "is not UTF-8: byte 5 does not fit"),
        (f"{rows}:2", "must not be empty"),
        (f"{rows}:3", "is not JSON: Expecting value"),
        (f"{rows}:4", "text must be a string"),
        (f"{rows}:5", 'must be {"text": "…"} and nothing else'),
        (f"{rows}:6", 'must be {"text": "…"} and nothing else'),
        (f"{rows}:7", "must be valid Unicode text"),
        (f"{rows}:8", "is not JSON: it is nested too deep"),
        (f"{rows}:9", "has a field twice"),
        (f"{table}:3", "must not be empty"),
        (f"{table}:4", "has too few columns"),
    ]


@pytest.mark.parametrize(
    ("content", "where", "why"),
    [
        (b"id,words\n1,a\n", 1, "has no column named text"),
        (b'text\n"never closed\n', 3, "is not CSV"),
        (b"text\na\xff\n", 2, "is not UTF-8"),
        (b'{"text": "a"}\n', 1, "has no column named text"),
        ("text\na\n".encode("utf-16"), 1, "is not UTF-8"),
    ],
)
def test_a_table_that_is_none_is_refused(
    hosting: Hosting, tmp_path: Path, content: bytes, where: int, why: str
) -> None:
    path = written(tmp_path, "facts.csv", content)
    place, problem = refusals(hosting(), "-f", path)[0]
    assert place.startswith(f"{path}:")
    assert (int(place.rpartition(":")[2]) - where in {0, -1}, why in problem) == (True, True), (
        place,
        problem,
    )


def test_a_person_reads_each_problem_on_a_line_of_its_own(hosting: Hosting) -> None:
    failed = inside(hosting().shell, "teach", "a", "", " ")
    assert failed.err.splitlines() == [
        "error: 2 facts cannot be taught, so nothing was sent.",
        "argument 2: must not be empty",
        "argument 3: must not be empty",
    ]


def test_four_thousand_characters_are_counted_as_characters(hosting: Hosting) -> None:
    hosted = hosting(accepted(1))
    assert inside(hosted.shell, "teach", "\N{BICYCLE}" * 4000).code == 0
    assert refusals(hosting(), "\N{BICYCLE}" * 4001)[0][0] == "argument 1"


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("-f", "/nowhere/facts.txt"), None, "/nowhere/facts.txt cannot be read: No such file"),
        (("-f", "/"), None, "/ cannot be read: Is a directory"),
        (("a", "--format", "xml"), None, "--format is one of text, jsonl, csv"),
        ((), "", "There is nothing to teach"),
        ((), "# only\n\n", "There is nothing to teach"),
        (("--format", "csv"), "text\n", "There is nothing to teach"),
        (("--", "\udcff"), None, "An argument is not valid UTF-8"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(
    hosting: Hosting, arguments: tuple[str, ...], stdin: str | None, said: str
) -> None:
    hosted = hosting()
    failed = inside(hosted.shell, "teach", *arguments, stdin=stdin)
    assert (failed.code, failed.out, hosted.road.requests) == (2, "", [])
    assert said in failed.err


def test_at_a_terminal_nothing_given_is_a_usage_error(company: Shell) -> None:
    screen = company.terminal("teach")
    assert (screen.code, "TEXT is missing" in screen.text) == (2, True)


# What is sent, and what is told of it


def test_more_than_twenty_go_in_calls_of_twenty(hosting: Hosting) -> None:
    hosted = hosting(accepted(20), accepted(20), accepted(5))
    done = inside(hosted.shell, "teach", stdin="".join(f"fact {n}\n" for n in range(45)))
    assert [len(call) for call in taught(hosted)] == [20, 20, 5]
    assert (done.code, done.err) == (0, "")
    assert done.out == "accepted\t45\ncreated\t45\nsuperseded\t0\nskipped\t0\n"


def test_json_is_the_counters_of_all_calls(hosting: Hosting) -> None:
    hosted = hosting(accepted(20, skipped=20), accepted(1))
    done = inside(hosted.shell, "teach", "--json", stdin="x\n" * 21)
    assert json.loads(done.out) == {
        "accepted_fact_count": 21,
        "created": 1,
        "superseded": 0,
        "skipped": 20,
    }


def test_jsonl_tells_call_by_call_and_in_all(hosting: Hosting) -> None:
    hosted = hosting(accepted(20), accepted(1, skipped=1))
    done = inside(hosted.shell, "teach", "-o", "jsonl", stdin="x\n" * 21)
    calls = [json.loads(line) for line in done.out.splitlines()]
    assert [(call["accepted_fact_count"], call["skipped"], call["new"]) for call in calls] == [
        (20, 0, 1),
        (1, 1, 1),
    ]
    assert done.err == "21 accepted, 20 created, 0 superseded, 1 skipped.\n"


def test_a_dry_run_prints_what_would_be_sent_and_sends_nothing(hosting: Hosting) -> None:
    hosted = hosting()
    facts = [f"fact {number}" for number in range(21)]
    plain = inside(hosted.shell, "teach", "--dry-run", *facts, "tab\there")
    whole = inside(hosted.shell, "teach", "--dry-run", "--json", *facts)
    calls = inside(hosted.shell, "teach", "--dry-run", "-o", "jsonl", *facts)
    assert plain.out.splitlines() == [*facts, "tab\\there"]
    assert plain.err == "Facts: 22, calls: 2. Nothing was sent.\n"
    assert json.loads(whole.out) == {"facts": [{"text": text} for text in facts]}
    assert [len(json.loads(line)["facts"]) for line in calls.out.splitlines()] == [20, 1]
    assert hosted.road.requests == []


@pytest.mark.parametrize("count", [20, 21])
def test_without_a_key_that_is_all_there_is_to_tell(shell: Shell, count: int) -> None:
    told = inside(shell, "teach", stdin="".join(f"fact {number}\n" for number in range(count)))
    assert (told.code, told.out) == (3, "")
    assert told.err.startswith("error: No key is set")
    assert told.err.count("No key is set") == 1
    assert "interrupted" not in told.err


def test_a_dry_run_needs_no_key(shell: Shell) -> None:
    assert inside(shell, "teach", "--dry-run", "a")[:2] == (0, "a\n")
    assert inside(shell, "teach", "--dry-run", "").code == 2


def test_a_call_whose_reply_was_lost_is_sent_again(hosting: Hosting) -> None:
    hosted = hosting(gateway(502), accepted(1))
    done = inside(hosted.shell, "teach", "a", "--retries", "1")
    assert (done.code, taught(hosted)) == (0, [["a"], ["a"]])
    assert "trying again" in done.err


def test_a_brain_on_this_machine_skips_what_it_knows(shell: Shell) -> None:
    inside(shell, "brain", "init")
    first = json.loads(inside(shell, "teach", "--json", "We close on public holidays.").out)
    again = json.loads(inside(shell, "teach", "--json", "We close on public holidays.").out)
    assert (first["accepted_fact_count"], first["created"]) == (1, 1)
    assert (again["accepted_fact_count"], again["created"], again["skipped"]) == (1, 0, 1)


def test_progress_is_shown_at_a_terminal_and_leaves_nothing_behind(hosting: Hosting) -> None:
    hosted = hosting(accepted(20), accepted(1))
    screen = hosted.shell.terminal("teach", *(f"fact {number}" for number in range(21)))
    assert b"Teaching: 20 of 21 facts" in screen.raw
    assert screen.text == "21 accepted · 21 created · 0 superseded · 0 skipped"


# Going on after an interruption


FACTS = [f"fact {number}" for number in range(50)]
LINES = "\n".join(FACTS)


def ledgers(shell: Shell) -> list[str]:
    folder = shell.home / ".local/state/brainctl/teaching"
    return sorted(os.listdir(folder)) if folder.exists() else []


@posix
def test_a_teaching_killed_in_the_middle_goes_on_after_the_last_accepted_call(
    hosting: Hosting, tmp_path: Path
) -> None:
    hosted = hosting(accepted(20), Silence(), accepted(20, skipped=20), accepted(10))
    path = written(tmp_path, "facts.txt", LINES)
    killed = hosted.shell.unmeasured.start("teach", "-f", path)
    eventually(lambda: len(hosted.road.requests) == 2)
    killed.send_signal(signal.SIGKILL)
    killed.communicate()
    done = inside(hosted.shell, "teach", "--json", stdin=LINES)
    assert taught(hosted) == [FACTS[:20], FACTS[20:40], FACTS[20:40], FACTS[40:]]
    assert json.loads(done.out) == {
        "accepted_fact_count": 50,
        "created": 30,
        "superseded": 0,
        "skipped": 20,
    }
    assert "Going on after 20 facts" in done.err
    assert ledgers(hosted.shell) == []


def stopped_by(number: signal.Signals, hosted: Hosted, requests: int, *arguments: str) -> Result:
    """A teaching that a signal ends while it waits for the reply to its last request."""
    with hosted.shell.start("teach", *arguments, *FACTS) as process:
        eventually(lambda: len(hosted.road.requests) == requests)
        process.send_signal(number)
        out, err = process.communicate()
    return Result(process.returncode, out.decode(), err.decode())


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_an_interrupted_teaching_says_how_far_it_got_and_how_to_go_on(
    hosting: Hosting, number: signal.Signals, code: int
) -> None:
    hosted = hosting(accepted(20), Silence(), Silence())
    assert stopped_by(number, hosted, 2) == (
        code,
        "",
        "error: Interrupted. 20 of 50 facts were taught: run the same command again to go on.\n",
    )
    again = stopped_by(number, hosted, 3, "--json", "--no-resume")
    assert (again.code, again.out, again.err.count("\n")) == (code, "", 1)
    error = json.loads(again.err)["error"]
    assert error["code"] == "wait_interrupted"
    assert "No reply had come yet: run the same command again without --no-resume" in error["message"]


def interrupted(hosting: Hosting, *after: Fault) -> Hosted:
    """A teaching of which one call was accepted, and a shell to try things in."""
    hosted = hosting(accepted(20), refused("out_of_credits", 402), *after)
    failed = inside(hosted.shell, "teach", stdin=LINES)
    assert failed.code == 8
    assert "20 of 50 facts were taught: run the same command again to go on." in failed.err
    assert len(ledgers(hosted.shell)) == 1
    return hosted


def test_other_facts_start_at_their_beginning(hosting: Hosting) -> None:
    hosted = interrupted(hosting, *repeat(accepted(20), 2), accepted(11))
    assert inside(hosted.shell, "teach", stdin=f"{LINES}\none more").err == ""
    assert taught(hosted)[2][0] == FACTS[0]


def test_another_key_starts_at_the_beginning(hosting: Hosting) -> None:
    hosted = interrupted(hosting, *repeat(accepted(20), 2), accepted(10))
    added = inside(
        hosted.shell,
        *("keys", "add", "other", "--env", "dev", "--no-check", "--key-env", "ALFERA_API_KEY"),
        *("--base-url", hosted.road.base_url),
    )
    assert added.code == 0, added.err
    assert inside(hosted.shell, "teach", "-p", "dev/other", stdin=LINES).code == 0
    assert taught(hosted)[2] == FACTS[:20]


def test_no_resume_starts_over_and_forgets_how_far_it_was(hosting: Hosting) -> None:
    hosted = interrupted(hosting, *repeat(accepted(20), 2), accepted(10))
    done = inside(hosted.shell, "teach", "--no-resume", "--json", stdin=LINES)
    assert json.loads(done.out)["accepted_fact_count"] == 50
    assert taught(hosted)[2] == FACTS[:20]
    assert ledgers(hosted.shell) == []


def spoil_nothing(path: Path) -> None:
    path.write_bytes(b"")


def spoil_tail(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b'{"facts": 20, "re')


def spoil_all(path: Path) -> None:
    path.write_bytes(b'\x00\xff\n[]\n{"facts": 1e999}\n')


@pytest.mark.parametrize(
    ("spoil", "first"), [(spoil_nothing, 0), (spoil_tail, 20), (spoil_all, 0)], ids=["empty", "torn", "junk"]
)
def test_a_damaged_record_costs_repeated_calls_at_most(
    hosting: Hosting, spoil: Callable[[Path], None], first: int
) -> None:
    hosted = interrupted(hosting, *repeat(accepted(20), 3))
    folder = hosted.shell.home / ".local/state/brainctl/teaching"
    spoil(folder / ledgers(hosted.shell)[0])
    assert inside(hosted.shell, "teach", stdin=LINES).code == 0
    assert taught(hosted)[2][0] == FACTS[first]


def test_where_no_record_can_be_kept_everything_is_taught_all_the_same(hosting: Hosting) -> None:
    hosted = hosting(accepted(20), accepted(20), accepted(10), BRAINCTL_HOME="/dev/null/nowhere")
    done = inside(hosted.shell, "teach", stdin=LINES)
    assert (done.code, len(taught(hosted))) == (0, 3)
    assert done.err.count("warning: ") == 1
    assert "Should this be interrupted, it starts over." in done.err


def test_a_call_that_stands_alone_keeps_no_record(hosting: Hosting) -> None:
    hosted = hosting(accepted(1))
    assert inside(hosted.shell, "teach", "a").code == 0
    assert ledgers(hosted.shell) == []

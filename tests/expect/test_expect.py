"""The command: what it prints, what it sends, and what it exits with."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import SECRET, Hosting, facts, inside, refused
from tests.cli.shell import Shell
from tests.doors.faults import Reply


def checks_in(folder: Path, *checks: Any) -> str:
    """A file of checks: strings are lines as they are."""
    file = folder / "checks.jsonl"
    lines = [check if isinstance(check, str) else json.dumps(check) for check in checks]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return str(file)


def outcomes(out: str) -> list[str]:
    return [line.split("\t")[0] for line in out.splitlines()]


def test_what_the_brain_knows_passes_in_silence(company: Shell) -> None:
    found = inside(company, "expect", "are dogs allowed", "--contains", "dogs are welcome", "--top", "3")
    assert (found.code, found.err) == (0, "")
    outcome, name, expected, said, fact_id = found.out.rstrip("\n").split("\t")
    assert (outcome, name, expected) == ("passed", "are dogs allowed", "“dogs are welcome”")
    assert said.startswith("fact 1 of ")
    assert fact_id.startswith("fact_")


def test_what_it_does_not_know_exits_12(company: Shell) -> None:
    found = inside(company, "expect", "are dogs allowed", "--contains", "cats")
    assert (found.code, found.err) == (12, "1 of 1 expectation does not hold.\n")
    assert outcomes(found.out) == ["failed"]


def test_the_external_key_does_not_see_what_the_owner_sees(company: Shell) -> None:
    hidden = ("expect", "margins", "--contains", "58%")
    assert inside(company, *hidden).code == 0
    assert inside(company, *hidden, "--absent", "--profile", "widget").code == 0
    assert inside(company, *hidden, "--absent").code == 12
    assert inside(company, *hidden, "--profile", "widget").code == 12


def test_facts_are_counted_and_known_by_id(company: Shell) -> None:
    reply = json.loads(inside(company, "search", "dogs", "--json").out)
    fact_id = reply["facts"][0]["fact_id"]
    assert inside(company, "expect", "dogs", "--fact-id", fact_id).code == 0
    assert inside(company, "expect", "deposit", "--min-facts", "3").code == 0
    assert inside(company, "expect", "deposit", "--min-facts", "100").code == 12


def test_a_file_looks_through_the_key_that_each_check_names(company: Shell, tmp_path: Path) -> None:
    file = checks_in(
        tmp_path,
        {"query": "margins", "contains": "58%"},
        "",
        {"query": "margins", "min_facts": 1, "absent": True, "profile": "widget"},
        {"query": "lilies", "contains": "no lilies", "absent": True, "profile": "local/widget"},
        {"query": "lilies", "contains": "no lilies", "profile": "widget", "end_user": "cust_419"},
    )
    found = inside(company, "expect", "--file", file)
    assert (found.code, found.err) == (0, "All 4 expectations hold.\n")
    assert outcomes(found.out) == ["passed"] * 4
    assert "\tnothing found\tno facts\t\n" in found.out


def test_checks_come_through_a_pipe_too(company: Shell) -> None:
    line = '\ufeff{"query": "dogs", "contains": "cats"}\r\n'
    found = inside(company, "expect", "-f", "-", stdin=line)
    assert (found.code, outcomes(found.out)) == (12, ["failed"])


def test_all_are_made_whatever_comes_of_one(hosting: Hosting, tmp_path: Path) -> None:
    file = checks_in(
        tmp_path,
        {"query": "a", "contains": "known"},
        {"query": "b", "contains": "known"},
        {"query": "c", "contains": "known"},
    )
    hosted = hosting(facts("nothing"), refused("validation_error", 422, "Not so"), facts("is known"))
    found = inside(hosted.shell, "expect", "-f", file, "--json")
    assert (found.code, found.err) == (12, "")
    document = json.loads(found.out)
    assert [row["outcome"] for row in document["checks"]] == ["failed", "error", "passed"]
    assert hosted.bodies == [{"query": query, "limit": 20} for query in "abc"]


def test_what_could_not_be_checked_exits_as_its_error_does(hosting: Hosting, tmp_path: Path) -> None:
    file = checks_in(
        tmp_path, *({"query": query, "contains": "x", "absent": True} for query in ("a", "b", "c"))
    )
    hosted = hosting(facts(), refused("api_key_revoked", 401, f"The key {SECRET} was revoked"))
    found = inside(hosted.shell, "expect", "-f", file, "-o", "jsonl")
    rows = [json.loads(line) for line in found.out.splitlines()]
    assert found.code == 3
    assert [row["outcome"] for row in rows] == ["passed", "error", "error"]
    assert rows[1]["error"]["code"] == "api_key_revoked"
    assert len(hosted.lines) == 2, "the third would have met the same refusal"
    assert SECRET not in found.out + found.err


def test_absence_is_not_proven_by_a_page_that_is_not_the_brain(hosting: Hosting) -> None:
    hosted = hosting(Reply(200, b"<html>", "text/html"))
    found = inside(hosted.shell, "expect", "x", "--contains", "y", "--absent", "--retries", "0")
    assert found.code == 11
    assert outcomes(found.out) == ["error"]


def test_json_has_what_was_checked_and_how_it_came_out(hosting: Hosting) -> None:
    hosted = hosting(facts("one", "two"))
    found = inside(
        hosted.shell, "expect", "x", "--contains", "TWO", "--end-user", "c", "--top", "5", "--json"
    )
    document = json.loads(found.out)
    row = document["checks"][0]
    assert {name: document[name] for name in ("passed", "failed", "errors")} == {
        "passed": 1,
        "failed": 0,
        "errors": 0,
    }
    fact_id = row.pop("matched_fact_id")
    assert row == {
        "name": "x",
        "query": "x",
        "contains": "TWO",
        "top": 5,
        "absent": False,
        "end_user": "c",
        "outcome": "passed",
        "message": "fact 2 of 2",
        "found": 2,
        "rank": 2,
    }
    assert fact_id.startswith("fact_")


def test_everything_is_found_good_before_anything_is_sent(hosting: Hosting, tmp_path: Path) -> None:
    file = checks_in(
        tmp_path,
        {"query": "good", "contains": "x"},
        "{broken",
        {"query": "x"},
        {"query": "x", "contains": "y", "wat": 1, "top": 0},
        '{"query": "x", "query": "y", "contains": "z"}',
        "[" * 100_000,
    )
    with open(file, "ab") as more:
        more.write(b'{"query": "\xff"}\n')
    hosted = hosting()
    found = inside(hosted.shell, "expect", "--file", file, "--json")
    assert (found.code, found.out, hosted.lines) == (2, "", [])
    error = json.loads(found.err)["error"]
    lines = [field["field"].rpartition(":")[2] for field in error["details"]["fields"]]
    assert lines == ["2", "3", "4", "4", "5", "6", "7"]
    assert error["message"] == "6 checks cannot be made, so nothing was sent"


def test_a_profile_that_is_not_there_is_named_by_its_line(company: Shell, tmp_path: Path) -> None:
    file = checks_in(
        tmp_path,
        {"query": "dogs", "contains": "dogs"},
        {"query": "dogs", "contains": "dogs", "profile": "nobody"},
    )
    found = inside(company, "expect", "--file", file)
    assert (found.code, found.out) == (2, "")
    assert f"{file}:2: profile: There is no profile nobody" in found.err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("dogs",), "Nothing is expected: give --contains, --fact-id or --min-facts"),
        (
            ("dogs", "--contains", "x", "--min-facts", "2"),
            "Give one of --contains, --fact-id and --min-facts",
        ),
        (("dogs", "--min-facts", "0"), "--min-facts must be from 1 to 100."),
        (("dogs", "--contains", "x", "--top", "101"), "--top must be from 1 to 100."),
        (("dogs", "--min-facts", "9", "--top", "3"), "--min-facts must not be more than top"),
        (("", "--contains", "x"), "QUERY must not be empty."),
        (("--contains", "x"), "QUERY is missing"),
        (("dogs", "--file", "x"), "With --file, each check says all that it expects"),
        (("--file", "x", "--top", "3"), "With --file, each check says all that it expects"),
        (("--file", "no/such/file"), "no/such/file cannot be read"),
        (("dogs", "--contains", "x", "--junit", "/no/such/folder/x.xml"), "there is no folder"),
        (("dogs", "--contains", "x", "--junit", "/"), "/ is a folder"),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(company: Shell, arguments: tuple[str, ...], said: str) -> None:
    found = inside(company, "expect", *arguments)
    assert (found.code, found.out) == (2, "")
    assert said in found.err


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_that_checks_nothing_does_not_pass(company: Shell, content: str) -> None:
    found = inside(company, "expect", "--file", "-", stdin=content)
    assert (found.code, found.out) == (2, "")
    assert "holds no check" in found.err


def test_without_a_key_nothing_passes(shell: Shell) -> None:
    found = inside(shell, "expect", "margins", "--contains", "58%", "--absent")
    assert found.code == 3


@pytest.mark.parametrize("columns", [80, 40])
def test_a_person_sees_each_check_and_how_it_came_out(company: Shell, tmp_path: Path, columns: int) -> None:
    file = checks_in(
        tmp_path,
        {"name": "dogs\u001b[2J [b]", "query": "dogs", "contains": "welcome"},
        {"query": "dogs", "contains": "cats"},
    )
    screen = company.terminal("expect", "--file", file, columns=columns)
    assert screen.code == 12
    assert "passed" in screen.text
    assert "failed" in screen.text
    assert "dogs [b]" in screen.text
    assert screen.text.endswith("1 of 2 expectations does not hold.")
    assert max(len(line) for line in screen.lines) <= columns
    assert b"\x1b[2J" not in screen.raw

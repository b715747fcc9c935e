import json
import os
import subprocess
from typing import Any

import pytest

from tests.cli.hosted import Hosting, data, fact, facts, inside
from tests.cli.shell import BRAINCTL, Shell


def test_a_pipe_gets_one_tab_separated_line_a_fact_and_no_header(company: Shell) -> None:
    found = company.run("search", "refundable deposits")
    assert (found.code, found.err) == (0, "")
    first = found.out.splitlines()[0].split("\t")
    assert first[0].startswith("fact_")
    assert first[1:] == [
        "decision",
        "user_stated",
        "company",
        "0.9",
        "2026-07-14T09:12:00.318Z",
        "Deposits are refundable until 30 days before the event.",
    ]


def test_json_is_the_data_of_the_api_whatever_it_holds(hosting: Hosting) -> None:
    whole = {"facts": [fact("Über uns", weather={"of": [1, None, 2.50]})], "more": "añadido", "next": None}
    found = inside(hosting(data(whole)).shell, "search", "x", "--json")
    assert json.loads(found.out) == whole
    assert "Über uns" in found.out
    assert (found.out.count("\n"), found.out[-1], found.err) == (1, "\n", "")


def test_jsonl_is_one_fact_a_line(hosting: Hosting) -> None:
    found = inside(hosting(facts("one\ntwo", "three")).shell, "search", "x", "-o", "jsonl")
    assert [json.loads(line) for line in found.out.splitlines()] == [fact("one\ntwo"), fact("three")]


@pytest.mark.parametrize("form", [(), ("--json",), ("-o", "jsonl")])
def test_nothing_found_is_success(hosting: Hosting, form: tuple[str, ...]) -> None:
    found = inside(hosting(data({"facts": []})).shell, "search", "x", *form)
    assert (found.code, found.out, found.err) == (0, '{"facts":[]}\n' if form == ("--json",) else "", "")


def test_what_was_given_is_sent_and_nothing_else(hosting: Hosting) -> None:
    hosted = hosting(facts(), facts())
    inside(hosted.shell, "search", " refund  policy ", "-n", "5", "--end-user", "c 1", "--end-user-name", "M")
    inside(hosted.shell, "search", "dates")
    assert hosted.bodies == [
        {"query": " refund  policy ", "end_user": {"id": "c 1", "name": "M"}, "limit": 5},
        {"query": "dates"},
    ]
    assert hosted.lines == ["POST /v1/memory/search HTTP/1.1"] * 2


@pytest.mark.parametrize(
    ("arguments", "stdin", "query"),
    [
        ((), "refund policy\n", "refund policy"),
        (("-",), "refund policy\r\n", "refund policy"),
        ((), "\ufefftwo\nlines\n\n", "two\nlines\n"),
        (("--", "- foo"), None, "- foo"),
        (("--", "--json"), None, "--json"),
        (("given",), "and not read", "given"),
        ((), "\N{BICYCLE} " * 1000, "\N{BICYCLE} " * 1000),
    ],
)
def test_where_the_query_comes_from(
    hosting: Hosting, arguments: tuple[str, ...], stdin: str | None, query: str
) -> None:
    hosted = hosting(facts())
    assert inside(hosted.shell, "search", *arguments, stdin=stdin).code == 0
    assert hosted.bodies == [{"query": query}]


@pytest.mark.parametrize(
    ("arguments", "stdin", "said"),
    [
        (("search",), b"", "standard input was empty"),
        (("search", "-"), b" \n\n", "standard input was empty"),
        (("search",), b"a\xffb", "byte 2 does not fit"),
        (("search", "- foo"), None, "goes after `--`"),
        (("search", "a", "b"), None, "unexpected extra argument"),
        (("search", "x", "-n", "1e3"), None, "'1e3' is not a whole number. "),
        (("search", "x", "-n", ""), None, "not a whole number"),
        (("search", "x", "--retries", "1e9"), None, "'1e9' is not a whole number from 0."),
        (("search", "x", "--retries", "-1"), None, "'-1' is not a whole number from 0."),
        (("wait", "event_x", "-w", "-1"), None, "'-1' is not a number from 0."),
        (("search", "x", "--end-user-name", "Maria"), None, "--end-user-name goes with --end-user"),
        (("search", "x", "-o", "yaml"), None, "--output is one of human, json, jsonl"),
        (("search", "x", "-o", "jsonl", "--json"), None, "contradict each other"),
        (("search", "x", "--color", "sometimes"), None, "--color is one of"),
        (("search", "x", "--retries", "-1"), None, "--retries"),
        (("search", "x", "--timeout", "0"), None, "--timeout"),
        (("search", "x", "--timeout", "nan"), None, "--timeout"),
        (("search", "x", "--timeout", "inf"), None, "--timeout"),
        (("serach", "x"), None, "search"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_sent(
    hosting: Hosting, arguments: tuple[str, ...], stdin: bytes | None, said: str
) -> None:
    hosted = hosting()
    refused = inside(hosted.shell, *arguments, stdin=stdin)
    assert (refused.code, refused.out, hosted.road.requests) == (2, "", [])
    assert said in refused.err
    assert refused.err.startswith('{"error":' if "--json" in arguments else "error: ")


@pytest.mark.parametrize("limit", ["0", "-1", "101", "99999999999999999999"])
def test_a_limit_out_of_bounds_is_named(hosting: Hosting, limit: str) -> None:
    hosted = hosting()
    refused = inside(hosted.shell, "search", "x", f"--limit={limit}", "--json")
    error = json.loads(refused.err)["error"]
    assert (refused.code, error["code"], hosted.road.requests) == (2, "validation_error", [])
    assert error["message"] == "limit: must be from 1 to 100"


def test_an_empty_query_is_named(hosting: Hosting) -> None:
    for query in ("", "   ", "\n"):
        refused = inside(hosting().shell, "search", query)
        assert (refused.code, refused.err) == (2, "error: query: must not be empty.\n")


@pytest.mark.parametrize(
    "query",
    [
        *(
            '"',
            "*",
            "AND",
            "a AND",
            "-x",
            "refund-policy",
            "(x",
            "C++",
            "don't",
            "^a",
            "{",
            "NEAR(a b)",
            "col:x",
        ),
        *("\N{GRINNING FACE}", "'; DROP TABLE facts; --", "%", "_", "\\", "\x00", "\u202e", "a" * 2000),
    ],
)
def test_any_text_is_a_query(company: Shell, query: str) -> None:
    found = inside(company, "search", "--json", "--", query)
    assert found.code == 0, found.err
    assert isinstance(json.loads(found.out)["facts"], list)


def test_a_shells_loop_over_lines_runs_once_for_each(company: Shell) -> None:
    looped = company.sh(
        "printf '%s\\n' deposit wedding aforo | while read -r line; do brainctl search \"$line\" -n 1; done"
    )
    assert (looped.code, len(looped.out.splitlines())) == (0, 3)


def test_an_open_pipe_on_standard_input_is_not_waited_for(company: Shell) -> None:
    read_end, write_end = os.pipe()
    try:
        done = subprocess.run(
            [BRAINCTL, "search", "deposits"],
            stdin=read_end,
            capture_output=True,
            env=company.environ,
            timeout=60,
            check=False,
        )
    finally:
        os.close(read_end)
        os.close(write_end)
    assert (done.returncode, done.stderr) == (0, b"")


def test_at_a_terminal_a_missing_query_is_a_usage_error(company: Shell) -> None:
    screen = company.terminal("search")
    assert screen.code == 2
    assert "QUERY is missing" in screen.text


def test_a_customers_facts_come_with_their_id(company: Shell) -> None:
    def texts(*arguments: str) -> list[Any]:
        found = inside(company, "search", "wedding", "--json", *arguments)
        return [each["fact_text"] for each in json.loads(found.out)["facts"]]

    assert any("Maria moved" in text for text in texts("--end-user", "cust_419"))


@pytest.mark.parametrize("reply", [{}, {"facts": None}, {"facts": {}}, {"facts": ["x"]}, {"facts": [None]}])
def test_a_reply_without_facts_is_not_the_brain_api(hosting: Hosting, reply: Any) -> None:
    refused = inside(hosting(data(reply)).shell, "search", "x", "--json")
    assert (refused.code, refused.out) == (11, "")
    assert json.loads(refused.err)["error"]["code"] == "bad_response"


def test_a_fact_of_odd_fields_is_still_shown(hosting: Hosting) -> None:
    odd = {"facts": [{"fact_text": None, "kind": 3, "subject": {"a": 1}}, {}]}
    found = inside(hosting(data(odd)).shell, "search", "x")
    assert (found.code, found.out) == (0, "\t3\t\t{'a': 1}\t\t\t\n\t\t\t\t\t\t\n")

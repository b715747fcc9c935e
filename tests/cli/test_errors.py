import json
import re
from pathlib import Path
from typing import Any

import pytest

from brainctl.cli import exits
from brainctl.contract.errors import ALL_CODES, API_CODES
from tests.cli.hosted import PREFIX, SECRET, Hosting, data, fact, inside, refused
from tests.cli.shell import Shell
from tests.doors.faults import Fault, Lose, Reply, Road, gateway, redirect

EXITS = {
    "internal_error": 1,
    "fault": 1,
    "unwritable": 1,
    "store_error": 1,
    "usage": 2,
    "validation_error": 2,
    "method_not_allowed": 2,
    "no_key": 3,
    "api_key_invalid": 3,
    "api_key_revoked": 3,
    "api_key_expired": 3,
    "scope_missing": 4,
    "forbidden": 4,
    "not_found": 5,
    "conversation_busy": 6,
    "idempotency_key_reused": 6,
    "rate_limited": 7,
    "out_of_credits": 8,
    "run_failed": 9,
    "wait_interrupted": 130,
    "interrupted": 130,
    "not_sent": 1,
    "unreachable": 11,
    "bad_response": 11,
}


def error_of(err: str) -> Any:
    """The error of standard error that holds one line of JSON and nothing else."""
    assert err.count("\n") == 1
    return json.loads(err)["error"]


def test_every_code_has_its_exit_code() -> None:
    assert set(exits.OUTCOMES) == set(ALL_CODES)
    assert {code: outcome.exit_code for code, outcome in exits.OUTCOMES.items()} == EXITS


def test_no_error_is_made_with_a_code_of_its_own() -> None:
    package = Path(exits.__file__).parents[1]
    made = re.compile(r'(?:BrainError|ExchangeError)\(\s*"(\w+)"')
    found = {code for path in package.rglob("*.py") for code in made.findall(path.read_text("utf-8"))}
    assert found
    assert found <= set(ALL_CODES)


@pytest.mark.parametrize("code", sorted(code for code, row in API_CODES.items() if row.http_status))
def test_what_the_brain_refuses_with(hosting: Hosting, code: str) -> None:
    status = API_CODES[code].http_status or 0
    reply = refused(code, status, "Why [not]", {"why": "so", "retry_after_seconds": 3})
    hosted = hosting(reply, reply)
    human = inside(hosted.shell, "search", "x", "--retries", "0")
    machine = inside(hosted.shell, "search", "x", "--retries", "0", "--json")
    assert (human.code, human.out, machine.code, machine.out) == (EXITS[code], "", EXITS[code], "")
    assert human.err.startswith("error: Why [not].\nwhy: so\n")
    assert error_of(machine.err) == {
        "code": code,
        "message": "Why [not]",
        "details": {"why": "so", "retry_after_seconds": 3},
        "http_status": status,
    }


@pytest.mark.parametrize(
    ("status", "code"),
    [(401, 3), (402, 8), (403, 4), (404, 5), (409, 6), (422, 2), (429, 7), (500, 1), (418, 11)],
)
def test_a_code_of_tomorrow_exits_as_its_status_says(hosting: Hosting, status: int, code: int) -> None:
    hosted = hosting(refused("quota_of_tomorrow", status))
    failed = inside(hosted.shell, "search", "x", "--retries", "0", "-o", "jsonl")
    assert (failed.code, error_of(failed.err)["code"]) == (code, "quota_of_tomorrow")


def test_a_person_is_told_the_scope_the_key_and_what_to_do(hosting: Hosting, shell: Shell) -> None:
    reply = refused(
        "scope_missing", 403, "This API key is missing a scope", {"missing_scope": "memory.write"}
    )
    hosted = hosting(reply)
    inside(shell, "brain", "init")
    told = inside(hosted.shell, "teach", "x")
    assert (told.code, told.err.splitlines()) == (
        4,
        [
            "error: This API key is missing a scope.",
            "missing_scope: memory.write",
            "Scopes are fixed at creation: create a key that has it.",
        ],
    )


def test_every_broken_field_is_a_line_of_its_own(hosting: Hosting) -> None:
    details = {
        "fields": [{"field": "query", "message": "too long"}, {"field": "limit", "message": "too high"}]
    }
    failed = inside(hosting(refused("validation_error", 422, "No", details)).shell, "search", "x")
    assert failed.err.splitlines() == ["error: No.", "query: too long", "limit: too high"]


@pytest.mark.parametrize(
    "details", [None, [], "text", 3, [{"a": 1}], {"fields": "x"}, {"fields": [1]}, {"a": {"b": None}}]
)
def test_details_of_any_shape_are_shown(hosting: Hosting, details: Any) -> None:
    reply = refused("validation_error", 422, "No", details)
    hosted = hosting(reply, reply)
    assert inside(hosted.shell, "search", "x").code == 2
    assert error_of(inside(hosted.shell, "search", "x", "--json").err).get("details") == details


def test_a_request_id_is_passed_on(hosting: Hosting) -> None:
    body = json.dumps({"error": {"code": "internal_error", "message": "Oops"}}).encode()
    reply = Reply(500, body, headers={"X-Request-Id": "req_7"})
    hosted = hosting(reply, reply)
    assert "Request id: req_7" in inside(hosted.shell, "search", "x", "--retries", "0").err
    machine = inside(hosted.shell, "search", "x", "--retries", "0", "--json")
    assert error_of(machine.err)["request_id"] == "req_7"


class HangUp:
    """The connection ends without a byte of a reply."""

    def meet(self, request: bytes, road: Road) -> None:
        """Say nothing."""


NOT_THE_API = {
    "a page": gateway(502),
    "a page that says 200": Reply(200, b"<html><title>Welcome</title></html>", "text/html"),
    "nothing": Reply(200, b""),
    "no content": Reply(204),
    "an array": Reply(200, b"[]"),
    "null": Reply(200, b"null"),
    "no data": Reply(200, b"{}"),
    "two documents": Reply(200, b"{}{}"),
    "an error that is none": Reply(200, b'{"error": "oops"}'),
    "an error without a code": Reply(400, b'{"error": {"code": null}}'),
    "not UTF-8": Reply(200, b'{"data": "\xff"}'),
    "NaN": Reply(200, b'{"data": {"facts": [], "a": NaN}}'),
    "half a character": Reply(200, b'{"data": {"facts": [{"fact_text": "\\ud800"}]}}'),
    "nested past reading": Reply(200, b'{"data":' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
    "compressed nonsense": Reply(200, b"nonsense", headers={"Content-Encoding": "gzip"}),
    "a redirect": redirect("https://evil.example/v1/memory/search", 307),
    "a redirect to nowhere": Reply(302),
}


@pytest.mark.parametrize("name", sorted(NOT_THE_API))
def test_what_is_not_the_api_is_told_in_a_sentence(hosting: Hosting, name: str) -> None:
    hosted = hosting(NOT_THE_API[name], NOT_THE_API[name])
    human = inside(hosted.shell, "search", "x", "--retries", "0")
    machine = inside(hosted.shell, "search", "x", "--retries", "0", "--json")
    assert (human.code, human.out, machine.code, machine.out) == (11, "", 11, ""), human.err
    assert error_of(machine.err)["code"] == "bad_response"
    assert human.err.startswith("error: ")


@pytest.mark.parametrize("fault", [HangUp(), Lose()])
def test_a_connection_that_ends_is_unreachable(hosting: Hosting, fault: Fault) -> None:
    failed = inside(hosting(fault).shell, "search", "x", "--retries", "0", "--json")
    assert (failed.code, error_of(failed.err)["code"]) == (11, "unreachable")


def test_nobody_at_the_address_is_unreachable(shell: Shell) -> None:
    nobody = shell.with_(ALFERA_API_KEY=SECRET, BRAINCTL_BASE_URL="http://127.0.0.1:1")
    failed = inside(nobody, "search", "x", "--retries", "0", "--json")
    assert (failed.code, error_of(failed.err)["code"]) == (11, "unreachable")


def test_what_may_pass_is_tried_again_and_said(hosting: Hosting) -> None:
    hosted = hosting(gateway(503), data({"facts": [fact("at last")]}))
    done = inside(hosted.shell, "search", "x")
    assert (done.code, len(hosted.road.requests)) == (0, 2)
    assert "at last" in done.out
    assert "trying again in" in done.err


def test_quiet_leaves_errors_alone(hosting: Hosting) -> None:
    hosted = hosting(gateway(503), data({"facts": []}), refused("out_of_credits", 402))
    assert inside(hosted.shell, "search", "x", "--quiet") == (0, "", "")
    assert inside(hosted.shell, "-q", "search", "x").err.startswith("error: ")


def test_what_will_not_pass_is_not_tried_again(hosting: Hosting) -> None:
    for reply in (refused("out_of_credits", 402), refused("api_key_invalid", 401), redirect("/x")):
        hosted = hosting(reply)
        assert inside(hosted.shell, "search", "x").code != 0
        assert len(hosted.road.requests) == 1


def test_no_request_follows_a_redirect(hosting: Hosting) -> None:
    target = hosting()
    for status in (301, 302, 303, 307, 308):
        hosted = hosting(redirect(f"{target.road.base_url}/v1/memory/search", status))
        failed = inside(hosted.shell, "search", "x")
        assert (failed.code, "redirect" in failed.err) == (11, True)
    assert target.road.requests == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "--json"),
        ("--json", "search"),
        ("search", "x", "--bogus", "--json"),
        ("search", "x", "--bogus", "-o", "json"),
        ("search", "x", "--bogus", "-ojson"),
        ("search", "x", "--bogus", "--output=jsonl"),
        ("--output", "json", "search", "x", "--bogus"),
        ("bogus", "--json"),
        ("keys", "bogus", "--json"),
        ("search", "x", "--json", "--limit"),
        ("search", "x", "--json", "--limit", "many"),
        ("--json", "--bogus"),
    ],
)
def test_a_usage_error_is_json_wherever_json_was_asked_for(shell: Shell, arguments: tuple[str, ...]) -> None:
    failed = inside(shell, *arguments)
    assert (failed.code, failed.out) == (2, "")
    assert error_of(failed.err)["code"] == "usage"


def test_what_comes_after_two_dashes_asks_for_nothing(shell: Shell) -> None:
    failed = inside(shell, "search", "--", "x", "--json")
    assert failed.err.startswith("error: ")


@pytest.mark.parametrize("arguments", [(), ("keys",), ("brain",), ("brain", "people")])
def test_a_group_alone_shows_its_help_and_exits_2(shell: Shell, arguments: tuple[str, ...]) -> None:
    shown = inside(shell, *arguments)
    assert (shown.code, shown.out) == (2, "")
    assert "Usage: brainctl" in shown.err


def test_a_mistyped_name_is_guessed(shell: Shell) -> None:
    assert "search" in inside(shell, "serach", "x").err
    assert "list" in inside(shell, "keys", "lits").err


def test_an_echoed_key_is_cut_to_its_prefix(hosting: Hosting) -> None:
    other = "ak_test_" + "z" * 40
    reply = refused("forbidden", 403, f"{SECRET} and {other}", {SECRET: {"x": [other]}})
    hosted = hosting(reply, reply)
    for form in ((), ("--json",)):
        failed = inside(hosted.shell, "search", "x", *form)
        assert failed.code == 4
        assert SECRET not in failed.err
        assert other not in failed.err
        assert f"{PREFIX}…" in failed.err


def test_a_reply_cut_off_is_told_of(hosting: Hosting) -> None:
    whole = json.dumps({"data": {"facts": [fact("x" * 500)]}}).encode()
    cut = Reply(200, whole[:200])
    failed = inside(hosting(cut).shell, "search", "x", "--retries", "0")
    assert failed.code == 11


@pytest.mark.parametrize("group", [(), ("keys",), ("brain", "people")])
@pytest.mark.parametrize("form", [("--json",), ("-o", "jsonl")])
def test_a_group_without_a_command_is_an_error_on_one_line_for_a_program(
    shell: Shell, group: tuple[str, ...], form: tuple[str, ...]
) -> None:
    failed = inside(shell, *form, *group)
    assert (failed.code, failed.out) == (2, "")
    error = error_of(failed.err)
    path = " ".join(("brainctl", *group))
    assert (error["code"], error["message"]) == ("usage", f"Missing command. See `{path} --help`.")


def test_a_quiet_group_without_a_command_says_what_is_wrong(shell: Shell) -> None:
    assert inside(shell, "-q", "keys") == (2, "", "error: Missing command. See `brainctl keys --help`.\n")


@pytest.mark.parametrize("columns", [20, 40, 60, 80, 100])
def test_a_command_to_copy_is_never_broken_by_a_line_end(shell: Shell, columns: int) -> None:
    narrow = shell.with_(COLUMNS=str(columns), NO_COLOR="1")
    failed = inside(narrow, "brain", "keys", "--bogus", at_terminal=True)
    assert "`brainctl brain keys --help`" in failed.err
    without = failed.err.removeprefix("\r\x1b[2K").replace("`brainctl brain keys --help`", "")
    assert all(len(line) <= columns for line in without.splitlines())

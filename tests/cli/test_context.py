import json

import pytest

from tests.cli.hosted import Hosting, data, inside
from tests.cli.shell import Shell

PACKET = "<workspace_memory>\nNotes:\n- [decision · user_stated · 2026-07-14] A [b] \\n  c\td\x1b[31m\u202e\n</workspace_memory>"
EMPTY = {"packet_version": 1, "rendered": "", "facts": []}


def packet(rendered: str = PACKET, version: object = 1) -> dict[str, object]:
    return {"packet_version": version, "rendered": rendered, "facts": [], "tokens": 40}


def test_a_pipe_gets_the_packet_byte_for_byte_and_a_line_end(hosting: Hosting) -> None:
    found = inside(hosting(data(packet())).shell, "context", "x")
    assert (found.code, found.out, found.err) == (0, PACKET + "\n", "")


def test_an_empty_packet_prints_nothing(hosting: Hosting) -> None:
    found = inside(hosting(data(EMPTY)).shell, "context", "x")
    assert (found.code, found.out, found.err) == (0, "", "")


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_json_is_the_data_of_the_api(hosting: Hosting, form: str) -> None:
    found = inside(hosting(data(packet())).shell, "context", "x", "-o", form)
    assert json.loads(found.out) == packet()
    assert found.out.count("\n") == 1


def test_what_was_given_is_sent_and_nothing_else(hosting: Hosting) -> None:
    hosted = hosting(data(EMPTY), data(EMPTY))
    inside(hosted.shell, "context", "x", "-b", "400", "--end-user", "cust_419", "--expect-version", "1")
    inside(hosted.shell, "context", stdin="y\n")
    assert hosted.bodies == [
        {"query": "x", "end_user": {"id": "cust_419"}, "token_budget": 400},
        {"query": "y"},
    ]
    assert hosted.lines[0] == "POST /v1/memory/context HTTP/1.1"


@pytest.mark.parametrize("budget", ["99", "20001", "0", "-5"])
def test_a_budget_out_of_bounds_is_named(hosting: Hosting, budget: str) -> None:
    refused = inside(hosting().shell, "context", "x", "-b", budget)
    assert (refused.code, refused.err) == (2, "error: token_budget: must be from 100 to 20000.\n")


def test_another_version_than_expected_is_an_error(hosting: Hosting) -> None:
    refused = inside(hosting(data(packet(version=2))).shell, "context", "x", "--expect-version", "1")
    assert (refused.code, refused.out) == (11, "")
    assert "version 2, and version 1 was expected" in refused.err


def test_a_version_of_tomorrow_is_warned_of_and_shown(hosting: Hosting) -> None:
    hosted = hosting(data(packet("p", 2)), data(packet("p", 2)), data(packet("p", 2)))
    assert inside(hosted.shell, "context", "x")[:2] == (0, "p\n")
    assert "warning: The packet has version 2" in inside(hosted.shell, "context", "x").err
    assert inside(hosted.shell, "context", "x", "--expect-version", "2").err == ""


@pytest.mark.parametrize("reply", [{}, {"rendered": None}, {"rendered": 3, "facts": []}])
def test_a_reply_without_a_packet_is_not_the_brain_api(hosting: Hosting, reply: dict[str, object]) -> None:
    refused = inside(hosting(data(reply)).shell, "context", "x")
    assert (refused.code, refused.out) == (11, "")


def test_a_brain_on_this_machine_renders_the_same_bytes_in_every_form(company: Shell) -> None:
    plain = inside(company, "context", "refunds", "--end-user", "cust_419")
    whole = json.loads(inside(company, "context", "refunds", "--end-user", "cust_419", "--json").out)
    assert plain.out == whole["rendered"] + "\n"
    assert plain.out.startswith("<workspace_memory")
    assert whole["packet_version"] == 1

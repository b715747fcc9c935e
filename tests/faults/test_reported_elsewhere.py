"""What was reported of other programs, and is tested nowhere else: `tests/README.md` has the whole list."""

import re

import pytest
from wcwidth import wcswidth

from tests.asking.saying import accepted, body
from tests.cli.hosted import Hosting, data, fact, facts, inside

WIDE = "\u26a0\ufe0f \U0001f468\u200d\U0001f469\u200d\U0001f467 漢字 "


@pytest.mark.parametrize("columns", [40, 79])
def test_signs_of_odd_widths_stay_within_the_screen(hosting: Hosting, columns: int) -> None:
    hosted = hosting(data({"facts": [fact(WIDE * 12), fact("the next one", subject=WIDE)]}))
    screen = hosted.shell.terminal("search", "x", columns=columns, rows=40)
    assert screen.code == 0
    plain = re.sub("\x1b\\[[0-9;]*m", "", screen.raw.decode())
    assert plain.count("漢字") == 13
    for line in plain.split("\r\n"):
        assert wcswidth(line) <= columns, line


def test_a_question_that_begins_with_a_dash_is_a_question(hosting: Hosting) -> None:
    hosted = hosting(accepted())
    assert inside(hosted.shell, "ask", "--no-wait", "--", "- Update").code == 0
    assert body(hosted.road.requests[0])["input"] == "- Update"


@pytest.mark.parametrize("limit", ["1e3", "0x5", "5.0", "five", "", "1_0", "1_000"])
def test_a_number_is_written_in_digits(hosting: Hosting, limit: str) -> None:
    hosted = hosting()
    refused = inside(hosted.shell, "search", "x", "--limit", limit)
    assert (refused.code, refused.out, hosted.road.requests) == (2, "", [])


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "x", "--retries", "1_0"),
        ("search", "x", "--timeout", "1_0"),
        ("--timeout", "1_0", "search", "x"),
        ("context", "x", "--token-budget", "1_0000"),
        ("ask", "x", "--wait", "1_0"),
        ("ask", "x", "-w1_0.5"),
        ("wait", "event_1", "-w", "1_0"),
        ("expect", "x", "--min-facts", "1_0"),
    ],
)
def test_no_option_takes_underscores_for_digits(hosting: Hosting, arguments: tuple[str, ...]) -> None:
    hosted = hosting()
    refused = inside(hosted.shell, *arguments)
    assert (refused.code, refused.out, hosted.road.requests) == (2, "", [])
    assert "is not a whole number" in refused.err or "is not a number" in refused.err


@pytest.mark.parametrize(("limit", "meant"), [("٣", 3), ("\uff11\uff10", 10), ("+5", 5), (" 5", 5)])
def test_digits_of_any_script_are_the_number_that_they_write(
    hosting: Hosting, limit: str, meant: int
) -> None:
    hosted = hosting(facts("x"))
    done = inside(hosted.shell, "search", "x", "--limit", limit)
    assert (done.code, body(hosted.road.requests[0])["limit"]) == (0, meant)

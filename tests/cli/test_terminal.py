"""At a terminal: nothing is lost, and no line is wider than the screen."""

import re

import pytest

from tests.cli.hosted import Hosted, Hosting, data, fact, identity, inside
from tests.cli.shell import Screen, Shell

WIDTHS = [80, 40, 20]
LONG = "Deposits are refundable until 30 days before the event, minus 40 euros for Bürokram and 漢字漢字漢字漢字漢字漢字漢字漢字."
ENDLESS = "https://example.com/" + "x" * 100 + "/end"
SUBJECT = "Maria-Magdalena von der Bergstrasse"


def plain(text: str) -> str:
    """The letters of a text, whatever lines and columns it was laid out in."""
    return re.sub(r"[\s·|─│]+", "", text)


def fits(screen: Screen, columns: int) -> None:
    assert screen.code == 0, screen.text
    for line in re.sub("\x1b\\[[0-9;]*m", "", screen.raw.decode()).split("\r\n"):
        width = sum(2 if "\u2e80" <= letter <= "\u9fff" else 1 for letter in line)
        assert width <= columns, line


@pytest.fixture
def wordy(hosting: Hosting) -> Hosted:
    """A brain whose one fact is long in every way."""
    long = fact(f"{LONG} {ENDLESS}", kind="a_kind_longer_than_any_of_the_others", subject=SUBJECT)
    return hosting(data({"facts": [fact("first"), long, fact("last", subject=None)]}))


@pytest.mark.parametrize("columns", WIDTHS)
def test_search_loses_nothing(wordy: Hosted, columns: int) -> None:
    screen = wordy.shell.terminal("search", "x", columns=columns, rows=12)
    fits(screen, columns)
    joined = plain(screen.text)
    for word in [*LONG.replace("漢", "").replace("字", "").split(), "first", "last"]:
        assert plain(word)[:8] in joined, word
    assert screen.text.count("漢") == LONG.count("漢")
    assert screen.text.count("x") >= 100
    assert "…" not in screen.text
    assert "2026-07-14" in screen.text


def test_facts_stand_in_the_brains_order(wordy: Hosted) -> None:
    screen = wordy.shell.terminal("search", "x", columns=100)
    assert screen.text.index("first") < screen.text.index("Deposits") < screen.text.index("last")


@pytest.mark.parametrize("columns", [80, 40])
def test_a_search_on_this_machine_fits(company: Shell, columns: int) -> None:
    screen = company.terminal("search", "refunds for weddings", columns=columns)
    fits(screen, columns)
    assert "Priya" in screen.text


def test_nothing_found_is_said(hosting: Hosting) -> None:
    screen = hosting(data({"facts": []})).shell.terminal("search", "x")
    assert (screen.code, screen.text) == (0, "No facts match.")


PACKET = f"<workspace_memory>\nPinned:\n- [decision · user_stated · 2026-07-14] {LONG}\n- [odd\n\nOther facts:\n- [a] b\n</workspace_memory>"


@pytest.mark.parametrize("columns", WIDTHS)
def test_a_packet_loses_nothing(hosting: Hosting, columns: int) -> None:
    packet = {"packet_version": 1, "rendered": PACKET, "facts": []}
    screen = hosting(data(packet)).shell.terminal("context", "x", "--quiet", columns=columns, rows=10)
    assert screen.code == 0
    assert plain(screen.text) == plain(PACKET)


def test_a_packet_on_a_wide_terminal_stands_line_for_line(hosting: Hosting) -> None:
    packet = {"packet_version": 1, "rendered": PACKET, "facts": []}
    screen = hosting(data(packet)).shell.terminal("context", "x", "--quiet", columns=200)
    assert screen.text == PACKET


@pytest.mark.parametrize("columns", [80, 40])
def test_lists_of_keys_lose_nothing(shell: Shell, columns: int) -> None:
    inside(shell, "brain", "init")
    inside(
        shell,
        *("brain", "keys", "create", "support-bot-of-the-night", "--audience", "external"),
        *("--scope", "memory.read", "--scope", "answers.write", "--expires", "90d", "--save-as", "night"),
    )
    for arguments in (("keys", "list"), ("brain", "keys", "list"), ("keys", "show", "night"), ("whoami",)):
        piped = inside(shell, *arguments).out
        screen = shell.terminal(*arguments, columns=columns, rows=40)
        fits(screen, columns)
        assert "…" not in screen.text.replace("…", "", piped.count("…") + 2)
        shown = plain(screen.text)
        for cell in piped.replace("\n", "\t").split("\t"):
            for word in cell.split():
                # A person is shown the day a key expires; a program reads the whole time.
                day = re.sub(r"T[0-9:.]{12}Z$", "", word)
                parts = re.findall(r"[A-Za-z0-9]{3,}", day)
                assert all(part[:3] in shown for part in parts), (arguments, word, screen.text)


def test_a_kind_of_key_without_anything_known(shell: Shell) -> None:
    from tests.cli.hosted import SECRET

    inside(shell, "keys", "add", "x", "--no-check", "--key-stdin", stdin=SECRET)
    screen = shell.terminal("keys", "list", columns=200)
    assert "ak_live_x7f4…" in screen.text


def test_whoami_at_a_terminal(hosting: Hosting) -> None:
    screen = hosting(identity()).shell.terminal("whoami", columns=80)
    assert "support-bot" in screen.text
    assert "120 requests per 60 s" in screen.text

"""`context` at a terminal says what of the budget was used, and how many facts did not fit."""

from tests.cli.hosted import inside
from tests.cli.shell import Shell
from tests.explaining.reading import said, teach

FACTS = [f"The {name} barn has a door." for name in ("red", "blue", "green", "white", "brown")]


def test_what_was_used_and_left_out_is_said_at_a_terminal(own: Shell) -> None:
    teach(own, *FACTS)
    small = own.terminal("context", "barn door", "-b", "130", columns=100).text
    kept = said(own, "context", "barn door", "-b", "130")
    left = len(FACTS) - len(kept["facts"])
    assert left > 0
    used = -(-len(kept["rendered"]) // 4)
    assert f"{used} of 130 tokens used for {len(kept['facts'])} facts; {left} more did not fit" in small
    assert "none was left out" in own.terminal("context", "barn door", columns=100).text


def test_a_pipe_json_and_quiet_are_not_told(own: Shell) -> None:
    teach(own, *FACTS)
    assert inside(own, "context", "barn door").err == ""
    assert set(said(own, "context", "barn door")) == {"packet_version", "rendered", "facts"}
    assert "tokens" not in own.terminal("context", "barn door", "-q").text
    assert "tokens used" not in own.terminal("context", "barn door", "--json").text

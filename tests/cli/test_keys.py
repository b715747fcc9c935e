import json
import stat
import subprocess
import sys
from typing import Any

import pytest

from tests.asking.screens import READY, Window
from tests.cli.hosted import PREFIX, SECRET, WHOAMI, Hosted, Hosting, facts, identity, inside, refused
from tests.cli.shell import Result, Shell, posix

TEST_SECRET = "ak_test_q1w2" + "E" * 28


def rows(shell: Shell, *arguments: str) -> dict[str, Any]:
    """Every profile of `keys list --json`, by environment and name."""
    found = json.loads(inside(shell, "keys", "list", "--json", *arguments).out)["profiles"]
    return {f"{row['environment']}/{row['name']}": row for row in found}


def added(shell: Shell, slot: str, secret: str = SECRET, *arguments: str) -> Result:
    """A key saved without asking a brain."""
    environment, _, name = slot.partition("/")
    done = inside(
        shell,
        "keys",
        "add",
        name,
        "--env",
        environment,
        "--key-stdin",
        "--no-check",
        *arguments,
        stdin=secret,
    )
    assert done.code == 0, done.err
    return done


def secrets_file(shell: Shell) -> Any:
    return shell.home / ".local/share/brainctl/secrets.json"


# keys add


def test_a_key_is_proven_and_kept_with_what_the_brain_says_of_it(hosting: Hosting) -> None:
    hosted = hosting(identity())
    done = inside(
        hosted.shell, "keys", "add", "bot", "--env", "dev", "--base-url", hosted.road.base_url, "--key-stdin",
        "--json", stdin=SECRET,
    )  # fmt: skip
    assert (done.code, hosted.lines) == (0, ["POST /v1/mcp HTTP/1.1"])
    assert json.loads(done.out) == {
        "environment": "dev",
        "name": "bot",
        "current": True,
        "address": hosted.road.base_url,
        "workspace": None,
        "key_name": "support-bot",
        "key_prefix": PREFIX,
        "key_audience": "external",
        "scopes": ["memory.read", "answers.write"],
        "kept_in": f"the file {secrets_file(hosted.shell)}",
    }
    assert "its key lies in the file" in done.err
    assert stat.S_IMODE(secrets_file(hosted.shell).stat().st_mode) == 0o600


def test_a_key_that_the_brain_refuses_is_not_saved(hosting: Hosting) -> None:
    hosted = hosting(refused("api_key_revoked", 401))
    arguments = ("keys", "add", "bot", "--env", "dev", "--base-url", hosted.road.base_url, "--key-stdin")
    assert inside(hosted.shell, *arguments, stdin=SECRET).code == 3
    assert rows(hosted.shell) == {}
    assert list(hosted.shell.home.rglob("secrets.json")) == []


@pytest.mark.parametrize(
    "given", [SECRET, f"{SECRET}\n", f"{SECRET}\r\n", f"\ufeff{SECRET}\r\n", f"\ufeff{SECRET}"]
)
def test_what_shells_add_to_a_key_is_taken_off(shell: Shell, hosting: Hosting, given: str) -> None:
    hosted = hosting(identity())
    url = ("--env", "dev", "--base-url", hosted.road.base_url)
    assert inside(shell, "keys", "add", "bot", "--key-stdin", *url, stdin=given).code == 0
    assert f"Authorization: Bearer {SECRET}\r\n".encode().lower() in hosted.road.requests[0].lower()


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (b"", "it is empty"),
        (b"\n", "it is empty"),
        (f"{SECRET}\n\n".encode(), "white space"),
        (f"{SECRET}\u00a0".encode(), "white space"),
        (f"{SECRET}\u200b".encode(), "U+200B"),
        (f"\u201c{SECRET}\u201d".encode(), "U+201C"),
        (f'"{SECRET}"'.encode(), "quotes"),
        (f"Bearer {SECRET}".encode(), "Bearer"),
        (b"${ALFERA_API_KEY}", "not expanded"),
        (SECRET.encode("utf-16"), "not UTF-8"),
        (f"{SECRET}\0".encode(), "U+0000"),
    ],
)
def test_what_cannot_be_a_key_is_told_without_its_value(shell: Shell, given: bytes, why: str) -> None:
    failed = inside(shell, "keys", "add", "bot", "--key-stdin", stdin=given)
    assert (failed.code, failed.out) == (2, "")
    assert why in failed.err
    assert SECRET[8:] not in failed.err


def test_a_key_is_never_taken_from_an_argument(shell: Shell) -> None:
    for arguments in (
        ("keys", "add", SECRET),
        ("keys", "add", "x", SECRET),
        ("keys", "add", "x", "--key", SECRET),
    ):
        failed = inside(shell, *arguments)
        assert failed.code == 2
        assert SECRET not in failed.err
    for option in ("--key-env", "--key-command"):
        failed = inside(shell, "keys", "add", "x", option, SECRET)
        assert (failed.code, SECRET in failed.err) == (2, False)


def test_ways_to_give_a_key_exclude_each_other(shell: Shell) -> None:
    failed = inside(shell, "keys", "add", "x", "--key-stdin", "--key-env", "A", stdin=SECRET)
    assert (failed.code, "exclude each other" in failed.err) == (2, True)


def test_without_a_terminal_nobody_is_asked(shell: Shell) -> None:
    failed = inside(shell, "keys", "add", "x")
    assert failed.code == 2
    assert "--key-stdin" in failed.err


def test_at_a_terminal_the_key_is_asked_for_and_not_shown(hosting: Hosting) -> None:
    hosted = hosting(identity())
    screen = hosted.shell.terminal(
        "keys", "add", "bot", "--env", "dev", "--base-url", hosted.road.base_url, columns=200,
        keys=[("Key: ", f"{SECRET}\n")],
    )  # fmt: skip
    assert screen.code == 0
    assert SECRET[8:].encode() not in screen.raw
    assert "Saved dev/bot" in screen.text


@posix
def test_a_prompt_that_was_stopped_asks_again_and_shows_no_key(hosting: Hosting) -> None:
    hosted = hosting(identity())
    with Window.of_bash(hosted.shell, columns=200) as window:
        window.type(f"brainctl keys add bot --env dev --base-url {hosted.road.base_url}\n")
        window.until("Key: ")
        window.type("\x1a")
        window.until(READY)
        window.type("fg\n")
        window.until("Key: ")
        window.type(f"{SECRET}\n")
        window.until("Saved dev/bot")
        window.until(READY)
        window.type("exit\n")
        assert window.end() == 0
    assert SECRET[8:].encode() not in window.raw


@posix
def test_a_prompt_that_is_stopped_gives_the_terminal_back_as_it_was(hosting: Hosting) -> None:
    # Not every shell puts right what a stopped command left behind.
    with Window.of_bash(hosting().shell, columns=200) as window:
        window.type("exec sh -i\n")
        window.until(READY)
        window.type("brainctl keys add bot\n")
        window.until("Key: ")
        window.type("\x1a")
        window.until(READY)
        window.type("stty -a\n")
        window.until(READY)
        assert b" echo " in window.raw
        window.type("kill %1\nexit\nexit\n")
        window.end()


def test_a_prompt_left_with_control_c_or_d_saves_nothing(shell: Shell) -> None:
    ended = shell.terminal("keys", "add", "bot", keys=[("Key: ", "\x04")])
    assert (ended.code, "it is empty" in ended.text) == (2, True), ended.text
    interrupted = shell.terminal("keys", "add", "bot", interrupt_after="Key: ")
    assert (interrupted.code, "Traceback" in interrupted.text) == (130, False)
    assert rows(shell) == {}


@pytest.mark.parametrize("name", ["a.b", "", "..", "café", "a/b/c", "x" * 65, "-x", "a b", "[/x]", "\x1b[2J"])
def test_names_that_cannot_be_used_are_refused(shell: Shell, name: str) -> None:
    for arguments in (("keys", "add", "--key-stdin", "--", name), ("keys", "add", "x", f"--env={name}")):
        failed = inside(shell, *arguments, stdin=SECRET)
        assert failed.code == 2
        assert "\x1b" not in failed.err
    assert list(shell.home.iterdir()) == []


@pytest.mark.parametrize(
    "url",
    [
        "http://brain.example.com",
        "brain.example.com",
        "https://u:p4ss@h",
        "https://h/?a=1",
        " https://h",
        "ftp://h",
    ],
)
def test_an_address_that_cannot_be_used_is_refused(shell: Shell, url: str) -> None:
    failed = inside(shell, "keys", "add", "x", "--env", "dev", "--base-url", url, "--key-stdin", stdin=SECRET)
    assert (failed.code, "p4ss" in failed.err) == (2, False)


def test_production_keeps_its_address_and_its_keys(shell: Shell) -> None:
    moved = inside(
        shell, "keys", "add", "x", "--base-url", "https://evil.example", "--key-stdin", stdin=SECRET
    )
    assert (moved.code, "stays so" in moved.err) == (2, True)
    test_key = inside(shell, "keys", "add", "x", "--key-stdin", stdin=TEST_SECRET)
    assert (test_key.code, "was not sent" in test_key.err) == (2, True)


# The others of the group


def test_listing_nothing_says_how_to_begin(shell: Shell) -> None:
    assert inside(shell, "keys", "list")[:2] == (0, "")
    assert "brainctl keys add" in inside(shell, "keys", "list").err
    assert json.loads(inside(shell, "keys", "list", "--json").out) == {"profiles": []}
    assert inside(shell, "keys", "list", "-o", "jsonl") == (0, "", "")


def test_a_pipe_gets_one_line_a_profile(shell: Shell) -> None:
    added(shell, "production/bot")
    added(shell, "dev/ci", TEST_SECRET, "--base-url", "https://dev.example.com")
    place = f"the file {secrets_file(shell)}"
    assert inside(shell, "keys", "list").out == (
        f"*\tproduction\tbot\t{PREFIX}…\t\t\t{place}\n\tdev\tci\tak_test_q1w2…\t\t\t{place}\n"
    )
    assert list(rows(shell, "--env", "dev")) == ["dev/ci"]
    assert inside(shell, "keys", "list", "--env", "nowhere").code == 2


def test_use_show_rename_and_remove(shell: Shell) -> None:
    added(shell, "production/a")
    added(shell, "production/b")
    assert json.loads(inside(shell, "keys", "use", "b", "--json").out) == {
        "environment": "production",
        "profile": "b",
    }
    renamed = json.loads(inside(shell, "keys", "rename", "b", "c", "--json").out)
    assert (renamed["name"], renamed["current"]) == ("c", True)
    assert json.loads(inside(shell, "keys", "show", "--json").out) == renamed
    assert inside(shell, "keys", "rename", "c", "a").code == 2
    gone = inside(shell, "keys", "remove", "production/c", "--yes", "--json")
    assert json.loads(gone.out) == {"removed": ["production/c"]}
    assert list(rows(shell)) == ["production/a"]
    assert SECRET in secrets_file(shell).read_text()
    inside(shell, "keys", "remove", "a", "-y")
    assert SECRET not in secrets_file(shell).read_text()
    assert inside(shell, "keys", "show").code == 2


def test_an_environment_goes_with_all_its_profiles(shell: Shell) -> None:
    added(shell, "dev/a", TEST_SECRET, "--base-url", "https://dev.example.com")
    added(shell, "dev/b", TEST_SECRET)
    gone = inside(shell, "keys", "remove", "--environment", "--env", "dev", "--yes")
    assert gone.out == "dev/a\ndev/b\n"
    assert inside(shell, "keys", "use", "--env", "dev").code == 2
    assert inside(shell, "keys", "remove", "--environment", "--env", "production", "-y").code == 2
    assert inside(shell, "keys", "remove", "--environment", "x", "--env", "dev", "-y").code == 2


def test_removing_asks_first_and_without_a_terminal_names_the_flag(shell: Shell) -> None:
    added(shell, "production/a")
    failed = inside(shell, "keys", "remove", "a", stdin="y\n")
    assert (failed.code, "--yes" in failed.err) == (2, True)
    for answer in ("\n", "no\n", "\x04"):
        assert shell.terminal("keys", "remove", "a", keys=[("[y/N]", answer)]).code == 2
    assert shell.terminal("keys", "remove", "a", interrupt_after="[y/N]").code == 130
    assert list(rows(shell)) == ["production/a"]
    assert shell.terminal("keys", "remove", "a", keys=[("[y/N]", "y\n")]).code == 0
    assert rows(shell) == {}


def test_what_is_missing_is_named(shell: Shell) -> None:
    for arguments, said in (
        (("use",), "NAME is missing"),
        (("remove",), "NAME is missing"),
        (("use", "nobody"), "nobody"),
        (("show", "dev/nobody"), "no environment dev"),
        (("check", "nobody"), "nobody"),
    ):
        failed = inside(shell, "keys", *arguments)
        assert (failed.code, said in failed.err) == (2, True), failed.err


def test_check_proves_a_key_and_notes_what_it_may_do(hosting: Hosting) -> None:
    hosted = hosting(identity(), refused("api_key_expired", 401))
    added(hosted.shell, "dev/bot", SECRET, "--base-url", hosted.road.base_url)
    assert rows(hosted.shell)["dev/bot"]["scopes"] is None
    checked = inside(hosted.shell, "keys", "check", "dev/bot", "--json")
    assert (checked.code, json.loads(checked.out)) == (0, WHOAMI)
    assert rows(hosted.shell)["dev/bot"]["scopes"] == WHOAMI["scopes"]
    assert inside(hosted.shell, "keys", "check", "dev/bot").code == 3


@posix
def test_a_key_lies_where_it_was_said_to(hosting: Hosting) -> None:
    hosted = hosting(identity(), facts(), identity(), facts())
    shell = hosted.shell.with_(ALFERA_API_KEY="", MY_KEY=SECRET)
    url = ("--env", "dev", "--base-url", hosted.road.base_url)
    assert inside(shell, "keys", "add", "a", *url, "--key-env", "MY_KEY").code == 0
    assert inside(shell, "search", "x", "-p", "a").code == 0
    assert (
        inside(shell, "keys", "add", "b", *url, "--key-command", f"printf {SECRET[:8]}%s {SECRET[8:]}").code
        == 2
    )
    command = shell.home / "key"
    command.write_text(f"#!/bin/sh\necho {SECRET}\n")
    command.chmod(0o700)
    assert inside(shell, "keys", "add", "b", *url, "--key-command", str(command)).code == 0
    assert inside(shell, "search", "x", "-p", "b").code == 0
    assert rows(shell)["dev/a"]["kept_in"] == "the variable MY_KEY"
    assert rows(shell)["dev/b"]["kept_in"] == f"the command {command}"
    assert not secrets_file(shell).exists()
    unset = inside(shell.with_(MY_KEY=""), "search", "x", "-p", "a")
    assert (unset.code, "MY_KEY" in unset.err) == (3, True)


def test_a_key_command_that_fails_is_told_of(hosting: Hosting) -> None:
    shell = hosting().shell
    for command in ("false", "/nowhere/pass show", "printf 'two words'", "true"):
        failed = inside(shell, "keys", "add", "b", "--key-command", command)
        assert (failed.code, failed.out) == (3, ""), failed.err


# Which key


@pytest.fixture
def crowded(hosting: Hosting) -> Hosted:
    """Profiles in two environments, each answering `whoami`; production/live is current."""
    hosted = hosting.endless(iter(identity, None))
    shell = hosted.shell.with_(ALFERA_API_KEY="", BRAINCTL_BASE_URL="")
    for slot in ("one/a", "one/b", "two/c"):
        added(shell, slot, SECRET, "--base-url", hosted.road.base_url)
    assert inside(shell, "keys", "use", "two/c").code == 0
    return Hosted(shell, hosted.road)


@pytest.mark.parametrize(
    ("arguments", "variables", "source"),
    [
        ((), {}, "profile c of the environment two"),
        ((), {"BRAINCTL_ENV": "one"}, "profile a of the environment one"),
        ((), {"BRAINCTL_PROFILE": "b", "BRAINCTL_ENV": "two"}, "profile b of the environment one"),
        ((), {"BRAINCTL_PROFILE": "one/b"}, "profile b of the environment one"),
        ((), {"ALFERA_API_KEY": SECRET, "BRAINCTL_PROFILE": "b"}, "the variable ALFERA_API_KEY"),
        (
            ("-e", "one"),
            {"ALFERA_API_KEY": SECRET, "BRAINCTL_PROFILE": "c"},
            "profile a of the environment one",
        ),
        (("--env=one",), {"BRAINCTL_ENV": "two"}, "profile a of the environment one"),
        (("-p", "b"), {"ALFERA_API_KEY": SECRET, "BRAINCTL_ENV": "two"}, "profile b of the environment one"),
        (("-p", "two/c"), {"BRAINCTL_PROFILE": "a"}, "profile c of the environment two"),
        (("-e", "one", "-p", "b"), {}, "profile b of the environment one"),
        (
            (),
            {"BRAINCTL_ENV": "", "BRAINCTL_PROFILE": "", "ALFERA_API_KEY": ""},
            "profile c of the environment two",
        ),
    ],
)
def test_the_first_that_is_set_wins(
    crowded: Hosted, arguments: tuple[str, ...], variables: dict[str, str], source: str
) -> None:
    shell = crowded.shell.with_(**variables)
    if "ALFERA_API_KEY" in source:
        shell = shell.with_(BRAINCTL_BASE_URL=crowded.road.base_url)
    before, after = inside(shell, *arguments, "whoami"), inside(shell, "whoami", *arguments)
    assert before.code == 0, before.err
    assert before.out == after.out
    assert f"from\tthe {source.removeprefix('the ')}\n" in before.out


@pytest.mark.parametrize(
    ("arguments", "variables", "code"),
    [
        (("-e", "nowhere"), {}, 2),
        (("-p", "nobody"), {}, 2),
        (("-e", "two", "-p", "b"), {}, 2),
        (("-e", "production"), {}, 3),
        ((), {"BRAINCTL_PROFILE": "nobody"}, 2),
        ((), {"BRAINCTL_ENV": "nowhere"}, 2),
        ((), {"ALFERA_API_KEY": "two words"}, 3),
        ((), {"ALFERA_API_KEY": TEST_SECRET}, 2),
        ((), {"ALFERA_API_KEY": SECRET, "BRAINCTL_BASE_URL": "http://brain.example.com"}, 2),
    ],
)
def test_what_is_named_and_not_there_is_never_replaced_by_another(
    crowded: Hosted, arguments: tuple[str, ...], variables: dict[str, str], code: int
) -> None:
    failed = inside(crowded.shell.with_(**variables), "whoami", *arguments)
    assert (failed.code, failed.out) == (code, ""), failed.err
    assert crowded.road.requests == []


def test_no_key_names_three_ways_on_and_no_brain_of_ones_own_steps_in(shell: Shell) -> None:
    def refusal() -> Result:
        failed = inside(shell, "search", "x", "-o", "json")
        assert failed.code == 3
        return failed

    error = json.loads(refusal().err)["error"]
    assert error["code"] == "no_key"
    for way in ("ALFERA_API_KEY", "brainctl keys add", "brainctl brain init"):
        assert way in error["message"]
    inside(shell, "brain", "init")
    inside(shell, "keys", "use", "--env", "production")
    refusal()


def test_an_address_without_a_key_of_its_own_is_warned_of(crowded: Hosted) -> None:
    shell = crowded.shell.with_(BRAINCTL_BASE_URL="https://elsewhere.example")
    for arguments in (("whoami",), ("api", "GET", "/v1/x")):
        assert "warning: BRAINCTL_BASE_URL is not used" in inside(shell, *arguments).err


# Many at once


AT_ONCE = """
import os, sys
from brainctl.cli.commands.keys import add, use
from brainctl.cli.main import main
children = []
for name, secret in zip(sys.argv[1::2], sys.argv[2::2]):
    child = os.fork()
    if not child:
        read_end, write_end = os.pipe()
        os.write(write_end, secret.encode())
        os.close(write_end)
        os.dup2(read_end, 0)
        os._exit(main(["keys", "add", name, "--key-stdin", "--no-check"]) or main(["keys", "use", name]))
    children.append(child)
sys.exit(max(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children))
"""
"""Processes of one start, so that they are all at it in the same moment."""


@posix
def test_twenty_shells_may_add_and_use_keys_at_once(shell: Shell) -> None:
    secrets = {f"k{number}": f"{SECRET[:-3]}{number:03d}" for number in range(20)}
    done = subprocess.run(
        [sys.executable, "-c", AT_ONCE, *(word for pair in secrets.items() for word in pair)],
        capture_output=True,
        env=shell.environ,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    found = rows(shell)
    assert sorted(found) == sorted(f"production/{name}" for name in secrets)
    assert sum(row["current"] for row in found.values()) == 1
    kept = secrets_file(shell).read_text()
    assert all(secret in kept for secret in secrets.values())


# Nothing shows a key


def test_verbose_shows_requests_and_replies_and_no_key(hosting: Hosting) -> None:
    echo = refused("validation_error", 422, f"Bad {SECRET}", {"sent": {SECRET: [f"Bearer {SECRET}"]}})
    hosted = hosting.endless(iter(lambda: echo, None))
    for arguments in (
        ("search", "x"),
        ("context", "x", "--json"),
        ("teach", "x"),
        ("whoami", "-o", "jsonl"),
        ("ask", "x", "--no-stream"),
        ("ask", "x", "--stream"),
        ("api", "POST", "/v1/memory/search", "-f", f"query={SECRET}"),
    ):
        failed = inside(hosted.shell, *arguments, "--verbose")
        assert failed.code == 2, (arguments, failed.err)
        assert "> POST /v1/" in failed.err.replace(hosted.road.base_url, "")
        assert f"Bearer {PREFIX}…" in failed.err
        assert SECRET not in failed.out + failed.err, arguments


def test_no_command_about_keys_shows_one(shell: Shell) -> None:
    said = [added(shell, "production/a"), added(shell, "dev/b", TEST_SECRET, "--base-url", "https://h")]
    for arguments in (
        ("list",),
        ("list", "--json"),
        ("show", "a"),
        ("show", "dev/b", "--json"),
        ("use", "a", "--verbose"),
        ("rename", "a", "c"),
        ("remove", "c", "--yes", "--json"),
    ):
        done = inside(shell, "keys", *arguments)
        assert done.code == 0, done.err
        said.append(done)
    whole = "".join(each.out + each.err for each in said)
    assert SECRET not in whole
    assert TEST_SECRET not in whole


def test_a_fault_of_ours_shows_no_key(company: Shell, hosting: Hosting) -> None:
    """A reply nested past reading, with the key in a local variable of every frame."""
    from tests.doors.faults import Reply

    deep = b'{"data":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    hosted = hosting(Reply(200, deep))
    failed = inside(hosted.shell, "search", "x", "--verbose")
    assert failed.code == 11
    assert SECRET not in failed.err

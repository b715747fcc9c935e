"""What is wrong with a set-up is found, said with what to do, and never with a secret."""

import json
import os
import sqlite3
import sys
from collections.abc import Iterator, Mapping
from email.utils import formatdate
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from brainctl.cli.diagnosis.examination import examine
from brainctl.cli.diagnosis.program import on_path
from brainctl.cli.diagnosis.road import clock_against
from brainctl.cli.environment import Environment
from brainctl.cli.session import Session
from brainctl.engine.owner import open_owner
from tests.cli.hosted import SECRET, Hosted, Hosting, identity, inside, refused
from tests.cli.shell import BRAINCTL, Result, Shell
from tests.doors.faults import Reply, Road

posix = pytest.mark.skipif(sys.platform == "win32", reason="modes are a POSIX thing")

NOT_FOUND = b'{"error":{"code":"not_found","message":"Nothing here"}}'


def findings(result: Result) -> dict[str, dict[str, str]]:
    found = json.loads(result.out)["findings"]
    return {each["check"]: each for each in found}


def doctor(shell: Shell, *arguments: str) -> tuple[int, dict[str, dict[str, str]]]:
    result = inside(shell, "doctor", "--json", *arguments)
    assert result.err == ""
    return result.code, findings(result)


class Dated(NamedTuple):
    """What a brain says of a route that it has not, with a date so many seconds off as it says so."""

    seconds_off: float = 0.0

    def meet(self, request: bytes, road: Road) -> None:
        date = formatdate(Environment.of_process().now() + self.seconds_off, usegmt=True)
        Reply(404, NOT_FOUND, headers={"Date": date}).meet(request, road)


def store_of(shell: Shell) -> Path:
    return shell.home / ".local/share/brainctl/local.db"


def test_a_brain_of_ones_own_that_is_well(own: Shell) -> None:
    code, found = doctor(own)
    assert code == 0
    assert {each["state"] for name, each in found.items() if name != "program"} == {"ok"}
    assert list(found) == [
        "program",
        "extras",
        "completion",
        "configuration",
        "folders",
        "file modes",
        "key",
        "whoami",
        "search",
    ]
    assert found["search"]["message"] == "finds each of 5 by its own words"


def test_a_hosted_brain_that_is_well(hosting: Hosting) -> None:
    hosted = hosting(Dated(), identity())
    code, found = doctor(hosted.shell)
    assert code == 0
    assert list(found)[6:] == ["key", "label", "proxy", "certificates", "address", "clock", "whoami"]
    assert found["address"]["message"].startswith(f"{hosted.road.base_url} answers within ")
    assert found["whoami"]["message"] == "support-bot, external: memory.read, answers.write"
    assert hosted.lines == ["GET / HTTP/1.1", "POST /v1/mcp HTTP/1.1"]


def test_a_pipe_gets_a_line_a_check_and_a_person_a_sentence(own: Shell) -> None:
    found = inside(own, "doctor")
    rows = [line.split("\t") for line in found.out.splitlines()]
    assert {len(row) for row in rows} == {4}
    assert rows[3][:2] == ["ok", "configuration"]
    assert found.err.endswith(("Nothing is wrong.\n", "1 warning.\n"))


@pytest.mark.parametrize("columns", [80, 40])
def test_a_terminal_shows_each_line_whole(own: Shell, columns: int) -> None:
    screen = own.terminal("doctor", columns=columns)
    assert screen.code == 0
    assert max(len(line) for line in screen.lines) <= columns
    for check in ("configuration", "file modes", "key", "whoami", "search"):
        assert check in screen.text


def test_without_a_key_the_three_ways_on_are_said(shell: Shell) -> None:
    code, found = doctor(shell)
    assert code == 3
    assert (found["key"]["state"], found["key"]["code"]) == ("failure", "no_key")
    assert "brainctl brain init" in found["key"]["message"]
    assert list(found)[-1] == "key", "what needs a key is left out"


def test_a_damaged_configuration_is_named(own: Shell) -> None:
    file = own.home / ".config/brainctl/config.json"
    file.write_text("{ damaged")
    code, found = doctor(own)
    assert code == 2
    assert found["configuration"]["state"] == "failure"
    assert str(file) in found["configuration"]["message"]


@posix
@pytest.mark.parametrize("name", ["secrets.json", "local.db"])
def test_what_others_may_read_is_a_warning_and_stops_nothing(own: Shell, name: str) -> None:
    file = own.home / ".local/share/brainctl" / name
    file.chmod(0o644)
    code, found = doctor(own)
    assert code == 0
    assert found["file modes"]["state"] == "warning"
    assert found["file modes"]["advice"] == f"Run `chmod 600 {file}`."


@posix
def test_a_configuration_that_others_may_change_is_a_warning(own: Shell) -> None:
    file = own.home / ".config/brainctl/config.json"
    file.chmod(0o644)
    assert doctor(own)[1]["file modes"]["state"] == "ok"
    file.chmod(0o666)
    assert "others" not in doctor(own)[1]["folders"]["message"]
    assert "where your keys go" in doctor(own)[1]["file modes"]["message"]


def test_a_home_that_takes_no_files_is_a_warning(hosting: Hosting, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    hosted = hosting(Dated(), identity())
    code, found = doctor(hosted.shell.with_(BRAINCTL_HOME=str(tmp_path / "taken")))
    assert found["folders"]["state"] == "warning"
    assert "BRAINCTL_HOME" in found["folders"]["advice"]
    assert code == 2, "nor can the configuration be read there"


def test_a_key_of_another_environment_is_not_sent(shell: Shell) -> None:
    code, found = doctor(shell.with_(ALFERA_API_KEY="ak_test_" + "x" * 40))
    assert (code, found["key"]["state"]) == (2, "failure")
    assert "was not sent" in found["key"]["message"]


def test_a_key_without_a_label_is_a_warning(hosting: Hosting) -> None:
    hosted = hosting(Dated(), identity(), secret="sk-something-else-altogether")
    found = doctor(hosted.shell)[1]
    assert found["label"]["state"] == "warning"


def test_nobody_at_the_address(hosting: Hosting) -> None:
    hosted = hosting()
    gone = hosted.shell.with_(BRAINCTL_BASE_URL="http://127.0.0.1:1")
    code, found = doctor(gone)
    assert (code, found["address"]["code"]) == (11, "unreachable")
    assert list(found)[-1] == "address"


def test_a_proxy_is_named_by_its_variable_and_not_by_its_password(shell: Shell) -> None:
    elsewhere = shell.with_(
        ALFERA_API_KEY=SECRET,
        BRAINCTL_BASE_URL="https://brain.invalid",
        HTTPS_PROXY="http://user:hunter2@127.0.0.1:1",
    )
    result = inside(elsewhere, "doctor", "--json", "--verbose")
    found = findings(result)
    assert found["proxy"]["message"] == "the one that HTTPS_PROXY names"
    assert found["address"]["state"] == "failure"
    assert "HTTPS_PROXY" in found["address"]["message"]
    assert "hunter2" not in result.out + result.err
    assert SECRET not in result.out + result.err


def test_a_proxy_of_no_known_kind_is_a_failure(shell: Shell) -> None:
    elsewhere = shell.with_(
        ALFERA_API_KEY=SECRET, BRAINCTL_BASE_URL="https://brain.invalid", ALL_PROXY="ftp://x"
    )
    code, found = doctor(elsewhere)
    assert (code, found["proxy"]["state"]) == (11, "failure")
    assert "Mend or unset ALL_PROXY" in found["proxy"]["message"]


def test_certificates_that_are_not_there_are_a_failure(shell: Shell) -> None:
    elsewhere = shell.with_(
        ALFERA_API_KEY=SECRET,
        BRAINCTL_BASE_URL="https://brain.invalid",
        SSL_CERT_FILE="/no/such/file",
    )
    code, found = doctor(elsewhere)
    assert (code, found["certificates"]["state"]) == (11, "failure")
    assert "SSL_CERT_FILE names a file that is not there" in found["certificates"]["message"]


@pytest.mark.parametrize(
    ("off", "state"), [(0, "ok"), (-45, "ok"), (45, "ok"), (-3700, "warning"), (90, "warning")]
)
def test_a_clock_that_is_off_is_a_warning(hosting: Hosting, off: float, state: str) -> None:
    code, found = doctor(hosting(Dated(off), identity()).shell)
    assert (code, found["clock"]["state"]) == (0, state)


def test_a_clock_is_compared_by_the_replys_date() -> None:
    date = "Thu, 01 Jan 1970 01:00:00 GMT"
    assert clock_against(date, 3600.0).state == "ok"
    assert clock_against(date, 3600 + 7200).message == "this machine's is 2 hours ahead of the brain's"
    assert clock_against(date, 3600 - 90).message == "this machine's is 90 seconds behind the brain's"
    for nonsense in ("", "yesterday", "Thu, 99 Jan 1970 01:00:00 GMT"):
        assert clock_against(nonsense, 0.0).message == "not known: the reply bears no date"


def test_a_refused_key_exits_as_a_command_would(hosting: Hosting) -> None:
    hosted = hosting(Dated(), refused("api_key_revoked", 401, f"The key {SECRET} was revoked"))
    result = inside(hosted.shell, "doctor", "--json")
    assert result.code == 3
    assert findings(result)["whoami"]["advice"] == "Create a new key, then `brainctl keys add`."
    assert SECRET not in result.out


def test_what_is_not_the_brain_api_is_told_from_what_is_not_there(hosting: Hosting) -> None:
    page = Reply(200, b"<title>Welcome\x1b[2J</title>", "text/html")
    code, found = doctor(hosting(page, page).shell)
    assert (code, found["address"]["state"], found["clock"]["state"]) == (11, "ok", "ok")
    assert found["whoami"]["code"] == "bad_response"


def test_what_the_brain_says_otherwise_than_was_saved_is_a_warning(own: Shell) -> None:
    file = own.home / ".config/brainctl/config.json"
    book: Any = json.loads(file.read_text())
    book["environments"]["local"]["profiles"]["owner"]["scopes"] = ["memory.read"]
    file.write_text(json.dumps(book))
    code, found = doctor(own)
    assert (code, found["whoami"]["state"]) == (0, "warning")
    assert "brainctl keys check local/owner" in found["whoami"]["advice"]
    inside(own, "keys", "check")
    assert doctor(own)[1]["whoami"]["state"] == "ok"


def test_a_brain_whose_index_is_damaged_does_not_pass(own: Shell) -> None:
    described = {
        "text": "Nobody but a word leads here.",
        "kind": "decision",
        "origin": "user_stated",
        "subject": "elsewhere",
        "confidence": 1.0,
        "recorded_time": "2026-11-30T09:00:00.000Z",
    }
    with open_owner(str(store_of(own))) as owner:
        owner.load_facts([described])
    assert doctor(own)[0] == 0
    connection = sqlite3.connect(store_of(own))
    for shelf in ("open", "inner"):
        connection.execute(f"INSERT INTO {shelf}_index({shelf}_index) VALUES ('delete-all')")
    connection.commit()
    connection.close()
    code, found = doctor(own)
    assert (code, found["search"]["state"]) == (1, "failure")
    assert "does not find fact_" in found["search"]["message"]


def test_a_brain_whose_file_is_no_brain_does_not_pass(own: Shell) -> None:
    store_of(own).write_bytes(b"not a brain at all" * 1000)
    code, found = doctor(own)
    assert (code, found["whoami"]["code"]) == (1, "store_error")


def test_a_key_that_may_not_read_is_not_asked_to(own: Shell) -> None:
    inside(own, "brain", "keys", "create", "writer", "--scope", "memory.write", "--save-as", "writer")
    code, found = doctor(own, "--profile", "writer")
    assert (code, found["search"]["state"]) == (0, "warning")


def test_an_external_key_looks_for_what_it_may_see(own: Shell) -> None:
    inside(
        own,
        *("brain", "keys", "create", "widget", "--audience", "external"),
        *("--scope", "memory.read", "--save-as", "widget"),
    )
    code, found = doctor(own, "--profile", "widget")
    assert (code, found["search"]["state"]) == (0, "ok")


def test_a_brain_without_facts_is_well(shell: Shell) -> None:
    inside(shell, "brain", "init")
    code, found = doctor(shell)
    assert (code, found["search"]["state"]) == (0, "ok")


def program_in(folder: Path) -> str:
    folder.mkdir()
    file = folder / "brainctl"
    file.write_text("#!/bin/sh\n")
    file.chmod(0o755)
    return str(file)


@posix
def test_another_brainctl_in_front_of_ours_is_a_warning(tmp_path: Path) -> None:
    ours, other = program_in(tmp_path / "ours"), program_in(tmp_path / "other")
    path = {"PATH": f"{tmp_path / 'nowhere'}::{tmp_path / 'other'}:{tmp_path / 'ours'}"}
    shadowed = on_path(path, ours)
    assert shadowed.state == "warning"
    assert other in shadowed.message
    assert str(tmp_path / "ours") in shadowed.advice
    assert on_path({"PATH": f"{tmp_path / 'ours'}:{tmp_path / 'other'}"}, ours).state == "ok"
    assert on_path({"PATH": ""}, ours).state == "warning"


@posix
def test_a_link_to_ours_is_ours(tmp_path: Path) -> None:
    ours = program_in(tmp_path / "ours")
    (tmp_path / "links").mkdir()
    (tmp_path / "links/brainctl").symlink_to(ours)
    assert on_path({"PATH": str(tmp_path / "links")}, ours).state == "ok"


def test_the_command_knows_which_one_it_is(own: Shell, tmp_path: Path) -> None:
    program_in(tmp_path / "other")
    folder = os.path.dirname(BRAINCTL)
    first = own.with_(PATH=f"{folder}:{own.environ['PATH']}").run("doctor")
    assert first.out.startswith("ok\tprogram\t")
    second = own.with_(PATH=f"{tmp_path / 'other'}:{folder}:{own.environ['PATH']}").run("doctor")
    assert (second.code, second.out.split("\t")[0]) == (0, "warning")


def test_completions_of_another_version_are_a_warning(own: Shell) -> None:
    fish = own.with_(SHELL="/usr/bin/fish")
    assert "none found for fish" in doctor(fish)[1]["completion"]["message"]
    file = own.home / ".config/fish/completions/brainctl.fish"
    file.parent.mkdir(parents=True)
    file.write_text("# of old\n")
    assert doctor(fish)[1]["completion"]["state"] == "warning"
    file.write_text(inside(own, "completion", "fish").out)
    assert doctor(fish)[1]["completion"]["message"] == f"fish: {file}"


def test_completions_that_the_settings_make_are_seen(own: Shell) -> None:
    (own.home / ".bashrc").write_text('eval "$(brainctl completion bash)"\n')
    found = doctor(own.with_(SHELL="/bin/bash"))[1]
    assert found["completion"]["message"].startswith("bash: made anew by ")


class Treacherous(Mapping[str, str]):
    """Variables of which one cannot be read."""

    def __getitem__(self, name: str) -> str:
        if name == "SHELL":
            raise RuntimeError(SECRET)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def test_a_look_that_breaks_does_not_end_the_others(tmp_path: Path) -> None:
    session = Session(Environment(Treacherous(), None, None, None))
    found = {each.check: each for each in examine(session)}
    assert found["completion"].state == "failure"
    assert found["completion"].message == "This could not be looked at: RuntimeError."
    assert "key" in found


def test_json_lines_are_a_finding_each(hosting: Hosting) -> None:
    hosted: Hosted = hosting(Dated(), identity())
    rows = [json.loads(line) for line in inside(hosted.shell, "doctor", "-o", "jsonl").out.splitlines()]
    assert [row["check"] for row in rows][-1] == "whoami"
    assert all({"check", "state", "message", "advice"} <= row.keys() for row in rows)

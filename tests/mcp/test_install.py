"""Adding a brain to agents' settings: the least change, or a clean refusal."""

import contextlib
import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import inside
from tests.cli.shell import BRAINCTL, Result, Shell

KEY = "ak_live_x7f4" + "Q" * 28
URL = "https://api.alfera.ai/v1/mcp"
BASE = ("mcp", "install", "--client")

FILES = {
    "claude-desktop": ".config/Claude/claude_desktop_config.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".config/Code/User/mcp.json",
    "windsurf": ".codeium/windsurf/mcp_config.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "zed": ".config/zed/settings.json",
    "opencode": ".config/opencode/opencode.json",
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "cursor": ".cursor/mcp.json",
    "vscode": ".vscode/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
    "zed": ".zed/settings.json",
    "opencode": "opencode.json",
}
SERVERS = {"vscode": "servers", "codex": "mcp_servers", "zed": "context_servers", "opencode": "mcp"}

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the paths are those of Linux")


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A shell in an empty home, whose key comes from the environment."""
    home = tmp_path / "home"
    home.mkdir()
    return Shell(home, {"ALFERA_API_KEY": KEY, "BRAINCTL_KEYRING": "off"})


@pytest.fixture
def own(shell: Shell) -> Shell:
    """A shell with a saved profile of a brain on this machine, and no key in its environment."""
    del shell.environ["ALFERA_API_KEY"]
    assert run(shell, "brain", "init").code == 0
    return shell


def entry_in(path: Path, client: str, name: str = "alfera-brain") -> Any:
    text = path.read_text("utf-8-sig")
    document = tomllib.loads(text) if client == "codex" else json.loads(text)
    return document[SERVERS.get(client, "mcpServers")][name]


def run(shell: Shell, *arguments: str, cwd: Path | None = None) -> Result:
    """Run the command in this process, in a folder."""
    with contextlib.chdir(cwd or shell.home):
        return inside(shell, *arguments)


def everything(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def cursor(shell: Shell, text: str | bytes) -> Path:
    """Cursor's file with this text in it."""
    path = shell.home / FILES["cursor"]
    path.parent.mkdir()
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def installed(shell: Shell, *more: str) -> Result:
    done = run(shell, *BASE, "cursor", *more)
    assert done.code == 0, done.err
    return done


# What is written


@pytest.mark.parametrize(
    ("client", "entry"),
    [
        ("cursor", {"url": URL, "headers": {"Authorization": "Bearer ${env:ALFERA_API_KEY}"}}),
        ("vscode", {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${input:alfera-key}"}}),
        ("windsurf", {"serverUrl": URL, "headers": {"Authorization": "Bearer ${env:ALFERA_API_KEY}"}}),
        ("codex", {"url": URL, "bearer_token_env_var": "ALFERA_API_KEY"}),
        ("gemini", {"httpUrl": URL, "headers": {"Authorization": "Bearer $ALFERA_API_KEY"}}),
        (
            "opencode",
            {
                "type": "remote",
                "url": URL,
                "enabled": True,
                "oauth": False,
                "headers": {"Authorization": "Bearer {env:ALFERA_API_KEY}"},
            },
        ),
    ],
)
def test_a_key_from_the_environment_goes_over_http_by_its_variable(
    shell: Shell, client: str, entry: Any
) -> None:
    done = run(shell, *BASE, client, "--json")
    assert done.code == 0, done.err
    path = shell.home / FILES[client]
    assert json.loads(done.out)["file"] == str(path)
    assert entry_in(path, client) == entry
    assert KEY.encode() not in b"".join(everything(shell.home).values())
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_claude_code_is_told_of_a_project_in_the_projects_file(shell: Shell, tmp_path: Path) -> None:
    done = run(shell, *BASE, "claude-code", "--project", cwd=tmp_path)
    assert done.code == 0, done.err
    assert entry_in(tmp_path / ".mcp.json", "claude-code") == {
        "type": "http",
        "url": URL,
        "headers": {"Authorization": "Bearer ${ALFERA_API_KEY}"},
    }


@pytest.mark.parametrize("client", list(FILES))
def test_a_saved_key_goes_by_its_profile_over_our_absolute_path(own: Shell, client: str) -> None:
    assert run(own, "-e", "local", *BASE, client).code == 0
    entry = entry_in(own.home / FILES[client], client)
    words = entry["command"] if client == "opencode" else [entry["command"], *entry["args"]]
    assert words == [BRAINCTL, "-p", "local/owner", "mcp", "serve"]
    assert "env" not in entry
    assert "environment" not in entry


@pytest.mark.parametrize("client", list(PROJECT_FILES))
def test_a_project_has_a_file_of_its_own(own: Shell, client: str, tmp_path: Path) -> None:
    assert run(own, "-e", "local", *BASE, client, "--project", cwd=tmp_path).code == 0
    assert entry_in(tmp_path / PROJECT_FILES[client], client)


@pytest.mark.parametrize(
    ("client", "where", "value"),
    [
        ("cursor", "env", "${env:ALFERA_API_KEY}"),
        ("windsurf", "env", "${env:ALFERA_API_KEY}"),
        ("vscode", "env", "${input:alfera-key}"),
        ("gemini", "env", "$ALFERA_API_KEY"),
        ("opencode", "environment", "{env:ALFERA_API_KEY}"),
    ],
)
def test_the_variable_is_handed_on_to_our_bridge(shell: Shell, client: str, where: str, value: str) -> None:
    assert run(shell, *BASE, client, "--stdio").code == 0
    assert entry_in(shell.home / FILES[client], client)[where] == {"ALFERA_API_KEY": value}


def test_codex_is_told_which_variables_to_hand_on(shell: Shell) -> None:
    with_address = shell.with_(BRAINCTL_BASE_URL="http://127.0.0.1:8787")
    assert run(with_address, *BASE, "codex", "--stdio").code == 0
    assert entry_in(shell.home / FILES["codex"], "codex") == {
        "command": BRAINCTL,
        "args": ["mcp", "serve"],
        "env_vars": ["ALFERA_API_KEY"],
        "env": {"BRAINCTL_BASE_URL": "http://127.0.0.1:8787"},
    }


def test_what_vs_code_asks_for_is_declared_once_and_goes_with_the_last_that_needs_it(shell: Shell) -> None:
    path = shell.home / FILES["vscode"]
    for name in ("one", "two"):
        assert run(shell, *BASE, "vscode", "--name", name).code == 0
    assert [each["id"] for each in json.loads(path.read_text())["inputs"]] == ["alfera-key"]
    assert run(shell, *BASE, "vscode", "--name", "one", "--uninstall").code == 0
    assert len(json.loads(path.read_text())["inputs"]) == 1
    assert run(shell, *BASE, "vscode", "--name", "two", "--uninstall").code == 0
    assert json.loads(path.read_text()) == {"servers": {}, "inputs": []}


def test_a_home_of_our_own_is_handed_on(own: Shell, tmp_path: Path) -> None:
    elsewhere = own.with_(BRAINCTL_HOME=str(tmp_path / "there"))
    assert run(elsewhere, "brain", "init").code == 0
    assert run(elsewhere, "-e", "local", *BASE, "cursor").code == 0
    assert entry_in(own.home / FILES["cursor"], "cursor")["env"] == {"BRAINCTL_HOME": str(tmp_path / "there")}


@pytest.mark.parametrize(
    "arguments",
    [
        ("claude-desktop", "--http"),
        ("zed", "--http"),
        ("claude-desktop",),
        ("zed",),
        ("claude-desktop", "--project"),
        ("windsurf", "--project"),
        ("cursor", "--http", "--stdio"),
        ("cursor", "--name", "with blank"),
        ("cursor", "--name", "x" * 33),
        ("claude-code", "--project", "--name", "workspace"),
        ("codex", "--inline-key"),
        ("nobody",),
        ("claude-code",),
    ],
)
def test_what_cannot_work_is_refused_and_nothing_written(
    shell: Shell, arguments: tuple[str, ...], tmp_path: Path
) -> None:
    done = run(shell, *BASE, *arguments, cwd=tmp_path)
    assert done.code == 2, done.err
    assert done.err.startswith("error: ")
    assert everything(tmp_path) == {}


def test_a_brain_in_a_file_has_no_address(own: Shell) -> None:
    for more in ("--http", "--inline-key"):
        assert run(own, "-e", "local", *BASE, "cursor", more).code == 2
    assert not (own.home / ".cursor").exists()


# How it is written


AWKWARD = {
    "empty": "",
    "blank": "\n",
    "an empty object": "{}",
    "comments": '{\n  // mine\n  "mcpServers": {\n    /* other */ "other": {"command": "x"} // end\n  }\n}\n',
    "trailing commas": '{\n  "mcpServers": {\n    "other": {"command": "x",},\n  },\n}\n',
    "no servers yet": '{\n    "theme": "dark"\n}',
    "null": '{"mcpServers": null}',
    "a byte order mark": b'\xef\xbb\xbf{\n  "a": 1\n}\n',
    "CRLF": '{\r\n  "a": 1\r\n}\r\n',
    "tabs": '{\n\t"mcpServers": {\n\t\t"other": {}\n\t}\n}\n',
}


@pytest.mark.parametrize("text", list(AWKWARD.values()), ids=list(AWKWARD))
def test_whatever_the_file_is_like_our_entry_comes_in_and_twice_is_once(
    shell: Shell, text: str | bytes
) -> None:
    path = cursor(shell, text)
    before = path.read_bytes()
    done = installed(shell, "--json")
    after = path.read_bytes()
    backup = Path(json.loads(done.out)["backup"])
    assert backup.read_bytes() == before
    assert backup.parent == path.parent
    for mark in (
        b"\xef\xbb\xbf",
        b"// mine",
        b"/* other */",
        b"// end",
        b'"theme": "dark"',
        b'\t\t"other": {}',
    ):
        assert (mark in after) == (mark in before)
    if b"\r\n" in before:
        assert after.count(b"\n") == after.count(b"\r\n")
    again = json.loads(installed(shell, "--json").out)
    assert (again["change"], again["backup"]) == ("none", None)
    assert path.read_bytes() == after
    assert sorted(each.name for each in path.parent.iterdir()) == sorted([path.name, backup.name])


@pytest.mark.parametrize(
    "text",
    [
        '{"mcpServers": []}',
        '{"mcpServers": 5}',
        "[]",
        "{",
        '{"a": 1} x',
        '{"mcpServers": {"alfera-brain": {"command": "somebody-else"}}}',
        '{"mcpServers": {"alfera-brain": {"url": "https://example.com/mcp"}}}',
        '{"mcpServers": {"alfera-brain": "x"}}',
        '{"mcpServers": {"alfera-brain": {}, "alfera-brain": {}}}',
        b"\xff\xfe{\x00}\x00",
    ],
)
def test_what_cannot_be_changed_safely_is_left_as_it_is(shell: Shell, text: str | bytes) -> None:
    path = cursor(shell, text)
    before = everything(path.parent)
    done = run(shell, *BASE, "cursor")
    assert done.code == 2
    assert done.err.startswith("error: ")
    assert everything(path.parent) == before


def test_an_entry_of_ours_is_changed_and_what_the_user_added_to_it_stays(shell: Shell) -> None:
    path = cursor(
        shell,
        '{\n  "mcpServers": {\n    "alfera-brain": {\n      "url": "' + URL + '",\n'
        '      "headers": {"Authorization": "Bearer '
        + KEY
        + '"},\n      // mine\n      "timeout": 9\n    }\n  }\n}\n',
    )
    installed(shell)
    assert "// mine" in path.read_text()
    assert KEY not in path.read_text()
    installed(shell, "--stdio")
    assert '"timeout": 9' in path.read_text()
    assert "url" not in path.read_text()


def test_a_link_is_followed_and_stays(shell: Shell, tmp_path: Path) -> None:
    path = cursor(shell, "{}")
    target = tmp_path / "dotfiles.json"
    path.rename(target)
    path.symlink_to(target)
    installed(shell)
    assert path.is_symlink()
    assert entry_in(target, "cursor")


def test_the_files_mode_stays(shell: Shell) -> None:
    path = cursor(shell, "{}")
    path.chmod(0o640)
    installed(shell)
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_read_only_file_is_left_as_it_is(shell: Shell) -> None:
    path = cursor(shell, "{}")
    path.chmod(0o400)
    done = run(shell, *BASE, "cursor")
    assert done.code == 2
    assert "read-only" in done.err
    assert path.read_text() == "{}"


def test_what_is_no_file_is_left_alone(shell: Shell) -> None:
    (shell.home / FILES["cursor"]).mkdir(parents=True)
    done = run(shell, *BASE, "cursor")
    assert done.code == 2
    assert "cannot be read" in done.err


def test_a_large_file_is_changed_in_one_place(shell: Shell) -> None:
    history = {f"project {n}": {"text": "x" * 400, "n": [n, None, True]} for n in range(4_000)}
    path = cursor(shell, json.dumps({"projects": history}, indent=2))
    before = path.read_text()
    installed(shell)
    after = path.read_text()
    assert len(before) > 1_500_000
    assert after.startswith(before.removesuffix("\n}"))
    assert entry_in(path, "cursor")


def test_a_dry_run_shows_the_change_and_makes_none(shell: Shell) -> None:
    path = cursor(shell, '{\n  "a": 1\n}\n')
    before = everything(shell.home)
    done = installed(shell, "--dry-run")
    assert everything(shell.home) == before
    assert f"--- {path}\n" in done.out
    assert '+  "mcpServers": {' in done.out
    data = json.loads(installed(shell, "--dry-run", "--json").out)
    assert data["diff"] == done.out


def test_uninstall_takes_out_ours_alone(shell: Shell) -> None:
    path = cursor(shell, '{\n  "mcpServers": {\n    "other": {"command": "x"} // theirs\n  }\n}\n')
    before = path.read_text()
    installed(shell)
    installed(shell, "--uninstall")
    assert path.read_text() == before
    again = json.loads(installed(shell, "--uninstall", "--json").out)
    assert again["change"] == "none"
    assert run(shell, *BASE, "cursor", "--name", "other", "--uninstall").code == 2
    assert path.read_text() == before


def test_uninstall_of_what_never_was_makes_nothing(shell: Shell) -> None:
    installed(shell, "--uninstall")
    assert everything(shell.home) == {}


def test_codex_keeps_its_comments_and_its_other_tables(shell: Shell) -> None:
    path = shell.home / FILES["codex"]
    path.parent.mkdir()
    before = 'model = "x" # mine\n\n[mcp_servers.other]\ncommand = "y"\n'
    path.write_text(before)
    assert run(shell, *BASE, "codex").code == 0
    assert path.read_text().startswith(before)
    assert run(shell, *BASE, "codex", "--uninstall").code == 0
    assert path.read_text().rstrip("\n") == before.rstrip("\n")


def test_installs_at_once_lose_nothing(shell: Shell) -> None:
    path = cursor(shell, "{}")
    running = [shell.start(*BASE, "cursor", "--name", f"brain-{n}") for n in range(6)]
    for process in running:
        process.communicate(timeout=60)
        assert process.returncode == 0
    assert set(json.loads(path.read_text())["mcpServers"]) == {f"brain-{n}" for n in range(6)}


# The key itself


def test_a_key_in_the_file_is_for_its_owner_alone_and_shown_to_nobody(shell: Shell) -> None:
    path = cursor(shell, "{}")
    path.chmod(0o644)
    shown = installed(shell, "--inline-key", "--dry-run")
    assert KEY not in shown.out + shown.err
    done = installed(shell, "--inline-key")
    assert KEY not in done.out + done.err
    assert entry_in(path, "cursor")["headers"] == {"Authorization": f"Bearer {KEY}"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("more", [["--uninstall"], []])
def test_a_key_that_is_taken_out_is_in_no_copy_either(shell: Shell, more: list[str]) -> None:
    path = cursor(shell, '{"mcpServers": {"other": {"env": {"K": "ak_live_of_another_server"}}}}')
    installed(shell, "--inline-key")
    assert KEY in path.read_text()
    done = json.loads(installed(shell, *more, "--json").out)
    copy = Path(done["backup"]).read_text()
    assert "ak_live_of_another_server" in copy
    assert '"alfera-brain"' in copy
    assert KEY.encode() not in b"".join(everything(path.parent).values())


def test_a_key_is_not_written_where_git_may_take_it(shell: Shell, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    inside = tmp_path / "deep"
    inside.mkdir()
    done = run(shell, *BASE, "cursor", "--project", "--inline-key", cwd=inside)
    assert done.code == 2
    assert "git" in done.err
    assert everything(inside) == {}


def test_what_is_amiss_with_the_variable_is_said(shell: Shell, tmp_path: Path) -> None:
    saved = run(shell, "keys", "add", "later", "--key-env", "LATER_KEY", "--no-check")
    assert saved.code == 0, saved.err
    later = run(shell, "-p", "later", *BASE, "cursor", "--http")
    assert later.code == 0, later.err
    assert "LATER_KEY is not set now" in later.err
    odd = run(shell.with_(LATER_KEY="ak_live_with blank"), "-p", "later", *BASE, "cursor", "--http")
    assert "LATER_KEY cannot be used" in odd.err
    assert "with blank" not in odd.err
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".mcp.json").write_text("{}")
    subprocess.run(["git", "add", ".mcp.json"], cwd=tmp_path, check=True)
    tracked = run(shell, *BASE, "claude-code", "--project", cwd=tmp_path)
    assert "is in git" in tracked.err


# Claude Code's own settings


CLAUDE = """#!/bin/sh
printf '%s\\n' "$@" >> "$HOME/claude.log"
echo --- >> "$HOME/claude.log"
"""


@pytest.fixture
def claude(shell: Shell, tmp_path: Path) -> Shell:
    """A shell where `claude` notes what it is told."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "claude"
    program.write_text(CLAUDE)
    program.chmod(0o755)
    return shell.with_(PATH=f"{folder}{os.pathsep}{shell.environ['PATH']}")


def told(shell: Shell) -> list[list[str]]:
    log = shell.home / "claude.log"
    if not log.exists():
        return []
    return [each.strip("\n").split("\n") for each in log.read_text().split("---\n") if each]


def test_claude_code_is_asked_to_change_its_own_settings(claude: Shell) -> None:
    assert run(claude, *BASE, "claude-code").code == 0
    [command] = told(claude)
    assert command[:5] == ["mcp", "add-json", "--scope", "user", "alfera-brain"]
    assert json.loads(command[5]) == {
        "type": "http",
        "url": URL,
        "headers": {"Authorization": "Bearer ${ALFERA_API_KEY}"},
    }


def test_claude_codes_settings_are_never_written_by_us(claude: Shell) -> None:
    path = claude.home / ".claude.json"
    entry = {"type": "http", "url": URL, "headers": {"Authorization": "Bearer ${ALFERA_API_KEY}"}}
    path.write_text(json.dumps({"mcpServers": {"alfera-brain": entry}, "rest": ["x" * 100] * 50_000}))
    before = path.read_bytes()
    same = run(claude, *BASE, "claude-code", "--json")
    assert json.loads(same.out)["change"] == "none"
    assert told(claude) == []
    assert run(claude, *BASE, "claude-code", "--stdio").code == 0
    assert [each[1] for each in told(claude)] == ["remove", "add-json"]
    assert run(claude, *BASE, "claude-code", "--uninstall").code == 0
    assert told(claude)[-1] == ["mcp", "remove", "--scope", "user", "alfera-brain"]
    assert path.read_bytes() == before


def test_a_dry_run_tells_what_claude_would_be_asked(claude: Shell) -> None:
    done = run(claude, *BASE, "claude-code", "--dry-run")
    assert done.out.startswith("claude mcp add-json --scope user alfera-brain ")
    assert told(claude) == []


def test_another_server_of_claude_code_is_left_alone(claude: Shell) -> None:
    (claude.home / ".claude.json").write_text('{"mcpServers": {"alfera-brain": {"command": "x"}}}')
    assert run(claude, *BASE, "claude-code").code == 2
    assert told(claude) == []


def test_a_key_is_not_handed_to_claude_code_on_a_command_line(claude: Shell) -> None:
    assert run(claude, *BASE, "claude-code", "--inline-key").code == 2
    assert told(claude) == []


# Printing


@pytest.mark.parametrize("client", [*FILES, "claude-code"])
def test_config_prints_what_install_writes(own: Shell, client: str) -> None:
    done = run(own, "-e", "local", "mcp", "config", "--client", client, "--json")
    assert done.code == 0, done.err
    data = json.loads(done.out)
    plain = run(own, "-e", "local", "mcp", "config", "--client", client)
    assert plain.out == data["text"]
    assert data["file"] in plain.err
    if client != "claude-code":
        assert run(own, "-e", "local", *BASE, client).code == 0
        assert Path(data["file"]).read_text() == plain.out
        assert entry_in(Path(data["file"]), client) == data["entry"]

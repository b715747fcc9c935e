"""The common path without anything that only POSIX has, with Windows' line ends and code page."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.shell import IS_WINDOWS, PASSED_ON, Result

LIKE_WINDOWS = Path(__file__).with_name("windows")
SECRET = "ak_live_" + "x7f4" * 8
BOM = b"\xef\xbb\xbf"


class Windows:
    """The command in a Python that has what Windows has."""

    def __init__(self, home: Path) -> None:
        self.home = home
        passed_on = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        stand_in = "" if IS_WINDOWS else str(LIKE_WINDOWS)
        paths = [stand_in, passed_on.get("PYTHONPATH", "")]
        self.environ = {
            **passed_on,
            "BRAINCTL_HOME": str(home),
            "BRAINCTL_KEYRING": "off",
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            # The streams have the code page; a file that is opened without its encoding named has ASCII alone.
            "PYTHONIOENCODING": "cp1252",
            "LC_ALL": "C",
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
        }

    def run(self, *arguments: str, stdin: bytes | None = None) -> Result:
        done = subprocess.run(
            [sys.executable, "-m", "brainctl", *arguments],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            env=self.environ,
            timeout=60,
            check=False,
        )
        assert b"Traceback" not in done.stderr, done.stderr.decode()
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def gives(self, *arguments: str, stdin: bytes | None = None) -> Any:
        """The document that a command prints; fails where it does not end well."""
        done = self.run(*arguments, "-q", "--json", stdin=stdin)
        assert (done.code, done.err) == (0, ""), arguments
        return json.loads(done.out)

    def file(self, name: str, content: bytes) -> str:
        path = self.home.with_name(name)
        path.write_bytes(content)
        return str(path)


@pytest.fixture
def windows(tmp_path: Path) -> Windows:
    return Windows(tmp_path / "home")


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Windows:
    """With a brain of one's own that holds the sample; all of these tests use the one."""
    windows = Windows(tmp_path_factory.mktemp("own") / "home")
    assert windows.run("brain", "init", "--sample", "-q").code == 0
    return windows


@pytest.mark.skipif(IS_WINDOWS, reason="there it is the real thing")
def test_a_posix_module_is_not_there(windows: Windows) -> None:
    tried = (
        "import os, signal\nfor name in ('fcntl', 'termios', 'pwd'):\n    try:\n        __import__(name)\n"
    )
    tried += (
        "    except ImportError:\n        print(name)\nprint(hasattr(os, 'fork'), hasattr(signal, 'SIGHUP'))"
    )
    done = subprocess.run(
        [sys.executable, "-c", tried], env=windows.environ, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["fcntl", "termios", "pwd", "False", "False"]


def test_facts_are_taught_found_and_packed(own: Windows) -> None:
    lines = "# ours\r\n\r\nDie Straße nach Łódź ist gesperrt.\r\nRoom 7 has 漢字 on its door.\r\n".encode()
    table = b'text\r\n"Room 9 has a bell,\r\nand a rope."\r\n'
    rows = b'{"text": "Room 11 has a stove."}\r\n'
    taught = own.gives(
        "teach", "-f", own.file("facts.txt", BOM + lines), "-f", own.file("facts.csv", BOM + table)
    )
    assert taught["created"] == 3
    assert own.gives("teach", "--format", "jsonl", stdin=BOM + rows)["created"] == 1
    assert own.gives("teach", stdin=b"Room 12 has a sink.\r\n")["created"] == 1
    found = own.gives("search", stdin="Łódź Straße\r\n".encode())["facts"]
    assert found[0]["fact_text"] == "Die Straße nach Łódź ist gesperrt."
    plain = own.run("search", "stove")
    assert plain.out.split("\t")[-1] == "Room 11 has a stove.\n"
    assert "\r" not in plain.out
    assert "漢字" in own.run("search", "Room 7 door").out
    assert "Room 12 has a sink." in own.run("context", "sink").out


def test_questions_are_asked_waited_for_and_checked(own: Windows) -> None:
    answer = own.gives("ask", stdin=b"When are deposits refunded?\r\n")
    assert answer["status"] == "completed"
    queued = own.run("ask", "When are deposits refunded?", "--no-wait")
    assert own.gives("wait", queued.out.strip())["status"] == "completed"
    assert own.run("wait").code == 5
    streamed = own.run("ask", "refund?", "-o", "jsonl")
    assert [json.loads(line)["event"] for line in streamed.out.splitlines()][-1] == "done"
    questions = own.file("questions.txt", BOM + b"refund policy\r\nweddings\r\n")
    for command in ("search", "context", "ask"):
        rows = own.home.with_name(f"{command}.jsonl")
        assert own.run(command, "-q", "--batch", questions, "--resume", str(rows)).code == 0
        assert rows.read_bytes().count(b"\n") == 2
        assert b"\r" not in rows.read_bytes()
    checks = own.file("checks.jsonl", b'{"query": "refund policy", "min_facts": 1}\r\n')
    assert own.run("expect", "--file", checks, "--junit", str(own.home.with_name("report.xml"))).code == 0
    assert own.run("expect", "refund policy", "--contains", "no such thing").code == 12


def test_keys_are_kept(own: Windows) -> None:
    given = BOM + SECRET.encode() + b"\r\n"
    assert own.gives("keys", "add", "bot", "--env", "production", "--key-stdin", "--no-check", stdin=given)
    assert own.gives("keys", "rename", "production/bot", "widget")["name"] == "widget"
    listed = own.gives("keys", "list")["profiles"]
    assert [(each["environment"], each["name"]) for each in listed] == [
        ("production", "widget"),
        ("local", "owner"),
    ]
    assert own.run("keys", "use", "local/owner").code == 0
    assert own.gives("keys", "remove", "production/widget", "--yes")["removed"] == ["production/widget"]
    assert SECRET not in "".join(path.read_text("utf-8") for path in own.home.rglob("*.json"))
    assert own.gives("whoami")["key_audience"] == "internal"


def test_the_doctor_finds_nothing_wrong(own: Windows) -> None:
    examined = own.run("doctor", "--json")
    assert examined.code == 0, examined.out


def test_help_man_pages_and_completions_are_written(windows: Windows) -> None:
    assert windows.run("--version").code == 0
    assert "Examples:" in windows.run("ask", "--help").out
    assert windows.run("man", str(windows.home.with_name("man"))).code == 0
    assert windows.run("completion", "powershell").code == 0
    assert windows.run("search", "x").code == 3

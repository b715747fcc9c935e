"""Kills a command that changes keys, or that asks, at another of its writes each time: HOME KIND [keyring].

Prints a line of JSON for each point: what the kill left behind, and what the same command, or the one that picks up,
makes of it.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any
from unittest import mock

from brainctl.cli.asking import journal
from brainctl.cli.main import main
from brainctl.profiles import changes
from tests.bulk.killing import Killer

SECRETS = {name: f"ak_live_{name * 32}" for name in "abcd"}
FIRST = ("production/a", "production/b", "dev/c")
COMMANDS: dict[str, tuple[list[str], str | None]] = {
    "add": (["keys", "add", "d", "--key-stdin", "--no-check"], SECRETS["d"]),
    "replace": (["keys", "add", "a", "--key-stdin", "--no-check"], SECRETS["d"]),
    "use": (["keys", "use", "b"], None),
    "rename": (["keys", "rename", "a", "z"], None),
    "remove": (["keys", "remove", "a", "--yes"], None),
    "remove the environment": (["keys", "remove", "--environment", "--env", "dev", "--yes"], None),
}
IN_THE_KEYRING = ("add", "replace", "rename", "remove")
KEYRING = """
import json, os
PATH = os.path.join(os.environ["BRAINCTL_HOME"], "keyring.json")
def kept():
    return json.load(open(PATH)) if os.path.exists(PATH) else {}
def put(content):
    with open(PATH + ".new", "w") as file:
        json.dump(content, file)
    os.replace(PATH + ".new", PATH)
def set_password(service, slot, secret):
    put({**kept(), slot: secret})
def get_password(service, slot):
    return kept().get(slot)
def delete_password(service, slot):
    content = kept()
    del content[slot]
    put(content)
"""
"""A keyring that keeps what it is given in a file of the home."""

COMPACT_BYTES = 20_000
"""Where the journal is made small here: its own bound costs a second a point."""

OPEN = [f"event_{number}" for number in range(5)]


class SyncKiller(Killer):
    """Kills at the moments too in which the disk is told to keep what was written."""

    def install(self) -> None:
        super().install()
        os.fsync = self._counted(os.fsync)


def run(arguments: list[str], given: str | None = None, killer: Killer | None = None) -> int:
    """The exit code of a command line in a process of its own; negative where a signal ended it."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(nowhere, stream)
        if given is not None:
            reading, writing = os.pipe()
            os.write(writing, given.encode())
            os.close(writing)
            os.dup2(reading, 0)
        if killer is not None:
            killer.install()
        os._exit(main(arguments))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def settings(home: Path) -> dict[str, Any]:
    """Both files and the keyring as they are; raises where one does not parse."""
    config = json.loads((home / "config" / "config.json").read_text())
    kept = json.loads((home / "data" / "secrets.json").read_text())["secrets"]
    if (keyring := home / "keyring.json").exists():
        kept |= json.loads(keyring.read_text())
    profiles = {
        f"{name}/{profile}": environment.get("current") == profile
        for name, environment in config["environments"].items()
        for profile in environment["profiles"]
    }
    return {"profiles": profiles, "secrets": kept}


def asked(home: Path) -> dict[str, Any]:
    """How often the question was asked, and which of the older ones can still be waited for."""
    store = sqlite3.connect(home / "data" / "local.db")
    try:
        runs = int(store.execute("SELECT count(*) FROM answers").fetchone()[0])
    finally:
        store.close()
    text = (home / "state" / "answers.jsonl").read_text()
    return {"runs": runs, "open": [each for each in OPEN if f'"{each}"' in text]}


def kill_everywhere(
    home: Path,
    arguments: list[str],
    given: str | None,
    after: Callable[[bool], dict[str, Any]],
) -> None:
    untouched = home.with_name("untouched")
    shutil.copytree(home, untouched)
    for torn in (True, False):
        point = 0
        killed = True
        while killed:
            point += 1
            shutil.rmtree(home)
            shutil.copytree(untouched, home)
            killed = run(arguments, given, SyncKiller(point, torn=torn)) == -signal.SIGKILL
            print(json.dumps({"point": point, "torn": torn, "killed": killed, **after(killed)}))


def kill_settings(home: Path, kind: str) -> None:
    for slot in FIRST:
        environment, name = slot.split("/")
        address = ["--base-url", "http://127.0.0.1:1"] if environment == "dev" else []
        arguments = ["keys", "add", name, "--env", environment, "--key-stdin", "--no-check", *address]
        assert run(arguments, SECRETS[name]) == 0
    assert (home / "keyring.json").exists() == ("BRAINCTL_KEYRING" not in os.environ)
    arguments, given = COMMANDS[kind]

    def after(killed: bool) -> dict[str, Any]:
        left = settings(home)
        code = run(arguments, given) if killed else 0
        again = settings(home)
        # The next change comes a while later: until then whoever asks the keyring may still be alive, and so may
        # the writer of a file.
        for path in home.rglob("*.tmp"):
            os.utime(path, (0, 0))
        with mock.patch.object(changes, "KEYRING_SECONDS", -1.0):
            assert run(["keys", "use", "production/b"]) == 0
        torn = sorted(path.name for path in home.rglob("*.tmp"))
        return {"left": left, "code": code, "again": again, "later": settings(home), "torn_files": torn}

    kill_everywhere(home, arguments, given, after)


def kill_asking(home: Path) -> None:
    assert run(["brain", "init", "-q"]) == 0
    # Large enough to be made small by the next line that is written.
    finished = [
        {"mark": "m", "answer_id": f"old_{number}", "finished": True} for number in range(COMPACT_BYTES // 50)
    ]
    rows = [*finished, *({"mark": "m", "answer_id": each} for each in OPEN)]
    path = home / "state" / "answers.jsonl"
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    assert path.stat().st_size > COMPACT_BYTES
    arguments = ["ask", "Who answers?", "--no-wait"]

    def after(killed: bool) -> dict[str, Any]:
        left = asked(home)
        waited = run(["wait"]) if killed else 0
        return {"left": left, "waited": waited, "again": asked(home)}

    kill_everywhere(home, arguments, None, after)


if __name__ == "__main__":
    for module in ("brainctl.cli.run", "brainctl.cli.commands.ask", "brainctl.cli.commands.keys.add"):
        import_module(module)
    place = Path(sys.argv[1])
    os.environ.update({"BRAINCTL_HOME": str(place), "BRAINCTL_KEYRING": "off"})
    if sys.argv[3:] == ["keyring"]:
        del os.environ["BRAINCTL_KEYRING"]
        (place.with_name("keyring") / "keyring").mkdir(parents=True)
        (place.with_name("keyring") / "keyring" / "__init__.py").write_text(KEYRING)
        sys.path.insert(0, str(place.with_name("keyring")))
    if sys.argv[2] == "ask":
        with mock.patch.object(journal, "COMPACT_BYTES", COMPACT_BYTES):
            kill_asking(place)
    else:
        kill_settings(place, sys.argv[2])

"""Runs a command again and again, killed at another write each time, and then once more to its end: HOME KIND.

Prints a line of JSON for each point: where it was killed, and what the second run left behind. Processes are forked
off one that has everything imported, and die by SIGKILL, as a machine's own memory killer would have it.
"""

import json
import os
import shutil
import signal
import sqlite3
import sys
import threading
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

from brainctl.cli.main import main

LOADED_ONCE = (
    "brainctl.cli.run",
    "brainctl.cli.batch.asking",
    "brainctl.cli.commands.ask",
    "brainctl.cli.commands.search",
    "brainctl.cli.commands.teach",
    "brainctl.engine.answers.workshop",
    "brainctl.engine.capture.pipeline",
)
FACTS = 45
QUESTIONS = ["When can deposits be refunded?", "Who answers?"]


class Killer:
    """Counts what this process writes into files, and kills it at one of them: in its middle, or right after it."""

    def __init__(self, point: int, *, torn: bool) -> None:
        self._left = point
        self._torn = torn
        self._lock = threading.Lock()

    def install(self) -> None:
        real_write = os.write

        def write(descriptor: int, data: Any) -> int:
            if descriptor <= 2:
                return real_write(descriptor, data)
            with self._lock:
                is_last = self._is_last()
                if is_last and self._torn:
                    real_write(descriptor, bytes(data)[: len(data) // 2])
                    die()
                written = real_write(descriptor, data)
                if is_last:
                    die()
                return written

        os.write = write
        os.replace = self._counted(os.replace)
        os.unlink = self._counted(os.unlink)

    def _counted(self, real: Callable[..., None]) -> Any:
        def counted(*arguments: Any, **options: Any) -> None:
            with self._lock:
                is_last = self._is_last()
                if is_last and self._torn:
                    die()
                real(*arguments, **options)
                if is_last:
                    die()

        return counted

    def _is_last(self) -> bool:
        self._left -= 1
        return self._left == 0


def die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def run(arguments: list[str], killer: Killer | None = None) -> int:
    """The exit code of a command line in a process of its own; negative where a signal ended it."""
    child = os.fork()
    if child == 0:
        nowhere = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1):
            os.dup2(nowhere, stream)
        if killer is not None:
            killer.install()
        code = main(arguments)
        os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def rows(path: Path) -> list[Any]:
    """The rows of a file; raises where a line is not whole."""
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def count(home: Path, query: str) -> int:
    store = sqlite3.connect(home / "data" / "local.db")
    try:
        return int(store.execute(query).fetchone()[0])
    finally:
        store.close()


def teach(home: Path) -> list[str]:
    path = home / "facts.txt"
    path.write_text("".join(f"Room {number} has {number + 2} chairs.\n" for number in range(FACTS)))
    files = "--report", str(home / "report.jsonl"), "--rejected", str(home / "rejected.jsonl")
    return ["teach", "-q", "-f", str(path), *files]


def taught(home: Path) -> dict[str, Any]:
    report = rows(home / "report.jsonl")
    return {
        "lines": [row["line"] for row in report],
        "failed": [row for row in report if "error" in row],
        "rejected": rows(home / "rejected.jsonl"),
        "facts": count(home, "SELECT count(*) FROM facts"),
        "left": sorted(os.listdir(home / "state" / "teaching")),
    }


def ask(home: Path) -> list[str]:
    path = home / "questions.txt"
    path.write_text("".join(f"{question}\n" for question in QUESTIONS))
    # Not waited for, so that none is killed while it is being answered: such an answer has failed, and is asked anew.
    return ["ask", "-q", "--no-wait", "--batch", str(path), "--resume", str(home / "answers.jsonl")]


def asked(home: Path) -> dict[str, Any]:
    answers = rows(home / "answers.jsonl")
    return {
        "questions": [row["request"]["input"] for row in answers],
        "ids": sorted(row["data"]["answer_id"] for row in answers),
        "keys": sorted(row["idempotency_key"] for row in answers),
        "runs": count(home, "SELECT count(*) FROM answers"),
        "left": [name for name in os.listdir(home / "state" / "batches") if name.endswith(".json")],
    }


def search(home: Path) -> list[str]:
    path = home / "queries.txt"
    path.write_text("".join(f"{question}\n" for question in QUESTIONS))
    return ["search", "-q", "--batch", str(path), "--resume", str(home / "found.jsonl")]


def searched(home: Path) -> dict[str, Any]:
    return {"queries": [row["request"]["query"] for row in rows(home / "found.jsonl")]}


KINDS: dict[str, tuple[Callable[[Path], list[str]], Callable[[Path], dict[str, Any]]]] = {
    "teach": (teach, taught),
    "ask": (ask, asked),
    "search": (search, searched),
}


def kill_everywhere(home: Path, kind: str) -> None:
    for module in LOADED_ONCE:
        import_module(module)
    command, left_behind = KINDS[kind]
    os.environ.update({"BRAINCTL_HOME": str(home), "BRAINCTL_KEYRING": "off"})
    assert run(["brain", "init", "-q"]) == 0
    arguments = command(home)
    untouched = home.with_name("untouched")
    shutil.copytree(home, untouched)
    for torn in (True, False):
        point = 0
        killed = True
        while killed:
            point += 1
            shutil.rmtree(home)
            shutil.copytree(untouched, home)
            killed = run(arguments, Killer(point, torn=torn)) == -signal.SIGKILL
            again = run(arguments) if killed else 0
            print(
                json.dumps(
                    {"point": point, "torn": torn, "killed": killed, "code": again, **left_behind(home)}
                )
            )


if __name__ == "__main__":
    kill_everywhere(Path(sys.argv[1]), sys.argv[2])

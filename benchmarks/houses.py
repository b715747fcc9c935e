"""Brains that are to be broken in on: one store, several real server processes on it, and the account of what was
promised and what was found.

A store is a path to a file, or an address of PostgreSQL. What the scripts look up in it they look up past the brain.
"""

import argparse
import asyncio
import os
import re
import shlex
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

from brainctl.contract.bounds import SCOPES
from brainctl.contract.errors import BrainError
from brainctl.engine.owner import Owner, create_brain, open_owner
from brainctl.profiles.book import changing

STARTED_SECONDS: Final = 60.0
_BRAINCTL: Final = str(Path(sys.executable).with_name("brainctl"))

Address = tuple[str, int]


class Figures(NamedTuple):
    """What a server takes: megabytes, open files and sockets, and threads, over all of its processes."""

    memory: float
    files: int
    threads: int


class Server:
    """`brainctl brain serve` on a port that it keeps, however often it is killed."""

    def __init__(
        self, home: Path, place: int, environ: dict[str, str], command: Sequence[str], options: Sequence[str]
    ) -> None:
        self._command = command
        self._environ = environ
        self._options = options
        self.log = home / f"server {place}.log"
        self.address: Address = ("127.0.0.1", _free_port())
        self.is_kept = False
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [
            *(*self._command, "brain", "serve"),
            *("--port", str(self.address[1]), *self._options),
        ]
        with self.log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=self._environ
            )

    async def ready(self) -> None:
        """Wait until it can be asked. Raises `SystemExit` where that takes too long, or where it has ended."""
        over = time.monotonic() + STARTED_SECONDS
        while not _listens(self.address):
            if time.monotonic() > over or not (self.is_kept or self._running().poll() is None):
                raise SystemExit(f"a server does not start:\n{self.log.read_text(encoding='utf-8')[-2000:]}")
            await asyncio.sleep(0.02)

    async def keep(self) -> None:
        """Start it again whenever it has ended, as whoever keeps services up does, until it is cancelled."""
        self.is_kept = True
        while True:
            if self._running().poll() is not None:
                self.start()
            await asyncio.sleep(0.2)

    def kill(self) -> None:
        self._running().kill()
        self._running().wait()

    def stop(self) -> None:
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            self._process.wait(60)

    def _running(self) -> "subprocess.Popen[bytes]":
        assert self._process is not None
        return self._process

    def pids(self) -> list[int]:
        """Its process, and those that it keeps."""
        own = self._running().pid
        children = Path(f"/proc/{own}/task/{own}/children").read_text(encoding="ascii").split()
        return [own, *map(int, children)]

    def figures(self) -> Figures:
        each = [_figures(pid) for pid in self.pids()]
        return Figures(
            sum(one.memory for one in each), sum(one.files for one in each), sum(one.threads for one in each)
        )


class House:
    """A brain in its owner's hands, and the servers that serve it."""

    def __init__(self, store: str, home: Path, owner: Owner, command: Sequence[str]) -> None:
        self._command = command
        self.store = store
        self.home = home
        self.owner = owner
        self.mark = os.urandom(4).hex()
        self.servers: list[Server] = []
        self._keys = 0

    async def serve(self, count: int, *options: str, environ: dict[str, str] | None = None) -> None:
        """Start so many servers, each a command of its own on a port of its own."""
        given = {**os.environ, "BRAINCTL_HOME": str(self.home), "BRAINCTL_KEYRING": "off", **(environ or {})}
        given.pop("BRAINCTL_ENV", None)
        self.servers = [Server(self.home, place, given, self._command, options) for place in range(count)]
        for server in self.servers:
            server.start()
        for server in self.servers:
            await server.ready()

    def stop(self) -> None:
        for server in self.servers:
            server.stop()

    @property
    def addresses(self) -> list[Address]:
        return [server.address for server in self.servers]

    def key(self, audience: str = "internal", scopes: Sequence[str] = SCOPES) -> str:
        """A new key's secret."""
        self._keys += 1
        return self.owner.create_key(f"{self.mark} {self._keys}", audience, scopes).secret

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        """What stands in the store, past the brain: SQL that both databases understand."""
        if not is_postgres(self.store):
            with closing(sqlite3.connect(f"file:{self.store}?mode=ro", uri=True, timeout=60)) as connection:
                return list(connection.execute(sql))
        from importlib import import_module

        # By name, since it is an extra that is not everywhere where the types are checked.
        there = import_module("psycopg").connect(self.store, options="-c search_path=brainctl")
        with there as connection:
            return [tuple(row) for row in connection.execute(sql)]

    def answers(self) -> "list[Answered]":
        """The book of answers, those of this run."""
        sql = (
            "SELECT answer_id, key_id, audience, input, conversation_id, idempotency_key, status, created, "
            f"started, finished FROM answers WHERE input LIKE '%{self.mark}%' ORDER BY place"
        )
        return [Answered(*row) for row in self.rows(sql)]

    def texts(self) -> set[str]:
        """The facts of this run, the replaced ones too."""
        return {text for (text,) in self.rows(f"SELECT text FROM facts WHERE text LIKE '%{self.mark}%'")}


class Answered(NamedTuple):
    """An answer as the store has it. Times are milliseconds since 1970."""

    answer_id: str
    key_id: str
    audience: str
    input: str
    conversation_id: str | None
    idempotency_key: str | None
    status: str
    created: int
    started: int | None
    finished: int | None

    @property
    def is_over(self) -> bool:
        return self.status in {"completed", "failed"}


def two_at_once(answers: Sequence[Answered], store: str) -> int:
    """How often a conversation had a second run before the first was over.

    A file is written by one at a time, and each reads the time only then. A database is written by many, each of which
    reads it some moments before others see what it wrote.
    """
    apart_ms = 1000 if is_postgres(store) else 0
    last: dict[tuple[str, str], int] = {}
    count = 0
    for each in sorted(
        (each for each in answers if each.started is not None), key=lambda each: each.started or 0
    ):
        if each.conversation_id is None:
            continue
        conversation = each.audience, each.conversation_id
        count += (each.started or 0) + apart_ms < last.get(conversation, 0)
        last[conversation] = max(last.get(conversation, 0), each.finished or sys.maxsize)
    return count


def repeated_keys(answers: Sequence[Answered]) -> int:
    """How many Idempotency-Keys have more than one answer."""
    seen = [(each.key_id, each.idempotency_key) for each in answers if each.idempotency_key is not None]
    return len(seen) - len(set(seen))


def is_postgres(store: str) -> bool:
    return store.startswith(("postgresql://", "postgres://"))


@contextmanager
def house(store: str | None, command: Sequence[str] = (_BRAINCTL,)) -> Iterator[House]:
    """A brain at this address, made where there is none; without an address, in a file that goes with the house.

    `command` is how its servers are started.
    """
    with ExitStack() as leaving:
        home = Path(leaving.enter_context(tempfile.TemporaryDirectory(ignore_cleanup_errors=True)))
        address = store or str(home / "brain.db")
        made = House(address, home, leaving.enter_context(_owned(address, home)), command)
        leaving.callback(made.stop)
        yield made


def _owned(store: str, home: Path) -> Owner:
    with changing({"BRAINCTL_HOME": str(home)}, lambda _: None) as book:
        book.add_environment(book.plan("local", store=store))
    try:
        return open_owner(store)
    except BrainError:
        return create_brain(store)


class Account:
    """What was promised, and what was found, line by line.

    `broken` are promises that hold on any machine; `above` are figures of this one that ought to be smaller.
    """

    def __init__(self) -> None:
        self.broken: list[str] = []
        self.above: list[str] = []
        self._lines: list[str] = []

    def note(self, what: str, found: object) -> None:
        """A figure that nothing was promised of."""
        self._lines.append(f"{what:<58} {found!s:>12}")

    def expect(self, what: str, found: object, promised: object) -> None:
        """A figure that must be this."""
        if not self._hold(what, found, f"{promised}", kept=found == promised):
            self.broken.append(f"{what}: {found}, and not {promised}")

    def most(self, what: str, found: float, bound: float, unit: str = "") -> None:
        """A measured figure that must not be larger."""
        if not self._hold(what, f"{found:.1f}{unit}", f"<= {bound:g}{unit}", kept=found <= bound):
            self.above.append(f"{what}: {found}, and at most {bound}")

    def _hold(self, what: str, found: object, promised: str, *, kept: bool) -> bool:
        self._lines.append(f"{what:<58} {found!s:>12}   {promised:<12} {'kept' if kept else 'BROKEN'}")
        return kept

    def settle(self) -> int:
        """Print it all; the exit code."""
        print("\n".join(self._lines), flush=True)
        return 1 if self.broken or self.above else 0


def options(description: str | None) -> argparse.ArgumentParser:
    """What all of these scripts take."""
    parser = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", help="a file, or postgresql://…; without it, a file that is thrown away")
    parser.add_argument("--servers", type=int, default=4, help="servers on the store (default 4)")
    return parser


def restart(command: str) -> None:
    """Restart the database."""
    subprocess.run(shlex.split(command), check=True, stdout=subprocess.DEVNULL)


def can_be_measured() -> bool:
    return Path("/proc/self/status").exists()


def _figures(pid: int) -> Figures:
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
        files = len(os.listdir(f"/proc/{pid}/fd"))
    except (FileNotFoundError, ProcessLookupError):
        return Figures(0.0, 0, 0)
    return Figures(_number("VmRSS", status) / 1024, files, _number("Threads", status))


def _number(name: str, status: str) -> int:
    found = re.search(rf"^{name}:\s+(\d+)", status, re.MULTILINE)
    return int(found[1]) if found else 0


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return int(free.getsockname()[1])


def _listens(address: Address) -> bool:
    try:
        socket.create_connection(address, 1).close()
    except OSError:
        return False
    return True


def to_its_end(going_on: Coroutine[Any, Any, None]) -> None:
    """Run in a loop of its own, and let connections that are being closed be closed."""

    async def run() -> None:
        await going_on
        await asyncio.sleep(0.1)

    asyncio.run(run())


async def settled(
    house: House, seconds: float, tell: Callable[[int], None] = lambda _: None
) -> list[Answered]:
    """The answers once all of them are over, or after so many seconds as they stand then."""
    over = time.monotonic() + seconds
    while True:
        answers = house.answers()
        left = sum(not each.is_over for each in answers)
        if not left or time.monotonic() > over:
            return answers
        tell(left)
        await asyncio.sleep(0.5)


def raise_file_limit() -> None:
    """Let this process have as many connections as the system allows."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))

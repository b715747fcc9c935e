"""A PostgreSQL of the tests' own: one server a run, started by the first test that wants one, ended with the run."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Final

import psycopg

FOLDER: Final = "TESTS_POSTGRES_FOLDER"
"""The variable that tells the processes of a run where their server's files are."""
BIN: Final = "TESTS_POSTGRES_BIN"
"""The variable that names another PostgreSQL than the one that development installs, by its folder of programs."""

_USER: Final = "brain"
_START_SECONDS: Final = 60
_WAITING_SECONDS: Final = 20
_FAST: Final = (
    "fsync=off",
    "synchronous_commit=off",
    "full_page_writes=off",
    "wal_level=minimal",
    "max_wal_senders=0",
    "max_connections=400",
)
"""Nothing of it shall survive anything."""
_TABLES: Final = (
    *(
        "vectors",
        "vectors_pending",
        "meanings",
        "decisions",
        "credits",
        "workers",
        "answers",
        "windows",
        "places",
    ),
    *("stretches", "frequencies", "shelves", "facts", "members", "people", "keys", "workspaces"),
)
"""Those that name others go first."""


def programs() -> Path | None:
    """The folder of PostgreSQL's programs; None where there are none for this Python."""
    if given := os.environ.get(BIN):
        return Path(given)
    # Found and not imported: as a library it would manage servers of its own.
    found = find_spec("pgserver")
    return Path(str(found.origin)).parent / "pginstall" / "bin" if found else None


class Server:
    """A server whose files are in a folder. Its programs run as nobody where the tests run as root."""

    def __init__(self, folder: Path, bin_folder: Path) -> None:
        self._folder = folder
        self._bin = bin_folder
        self.data = folder / "data"
        self.port = 0

    def make(self) -> None:
        self._folder.mkdir(parents=True, exist_ok=True)
        if _is_root():
            shutil.chown(self._folder, "nobody")
        self._run(
            "initdb",
            "-D",
            str(self.data),
            "-U",
            _USER,
            "--auth=trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        )

    def start(self, *settings: str) -> None:
        """Start it, at the port it had before if it had one."""
        self.port = self.port or _free_port()
        given = ("listen_addresses=127.0.0.1", "unix_socket_directories=", f"port={self.port}", *settings)
        options = " ".join(f"-c {setting}" for setting in given)
        log = str(self._folder / "log")
        self._run("pg_ctl", "start", "-w", "-D", str(self.data), "-l", log, "-o", options)

    def stop(self, how: str = "fast") -> None:
        """End it: `fast` writes all out, `immediate` is a crash."""
        self._run("pg_ctl", "stop", "-w", "-m", how, "-D", str(self.data))

    def address(self, database: str = "postgres") -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self.port}/{database}"

    def new_database(self, name: str) -> str:
        """The address of a new database that is empty."""
        with psycopg.connect(self.address(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}" TEMPLATE template0'.encode())
        return self.address(name)

    def _run(self, program: str, *arguments: str) -> None:
        out = self._folder / f"{program}.out"
        with out.open("wb") as stream:
            # Into a file: the server keeps what it was given open, and a pipe would never end.
            done = subprocess.run(
                [str(self._bin / program), *arguments],
                stdin=subprocess.DEVNULL,
                stdout=stream,
                stderr=subprocess.STDOUT,
                cwd=self._folder,
                check=False,
                user="nobody" if _is_root() else None,
                extra_groups=[] if _is_root() else None,
            )
        if done.returncode:
            raise OSError(f"{program}: {out.read_text(errors='replace')}")


def shared_server() -> Server | str:
    """The server of this run, or why there is none."""
    bin_folder = programs()
    if bin_folder is None:
        return "no PostgreSQL for tests in this Python"
    folder = Path(os.environ[FOLDER])
    server = Server(folder / "server", bin_folder)
    told = folder / "port"
    try:
        (folder / "begun").mkdir(parents=True)
    except FileExistsError:
        # Another process of the run starts it.
        over = time.monotonic() + _START_SECONDS
        while not told.exists() and time.monotonic() < over:
            time.sleep(0.05)
        words = told.read_text() if told.exists() else "PostgreSQL did not start in time"
        server.port = int(words) if words.isdigit() else 0
        return server if server.port else words
    try:
        server.make()
        server.start(*_FAST)
        words = str(server.port)
    except OSError as error:
        words = f"PostgreSQL could not be started: {error}"
    whole = folder / "port.new"
    whole.write_text(words)
    whole.rename(told)
    return server if words.isdigit() else words


def emptied(address: str) -> None:
    """Take everything out of a brain's database; its next workspace is the first again."""
    with psycopg.connect(address, autocommit=True, options="-c search_path=brainctl") as connection:
        if connection.execute("SELECT to_regclass('workspaces') IS NULL").fetchone() == (True,):
            return
        for table in _TABLES:
            connection.execute(f"DELETE FROM {table}".encode())
        connection.execute("ALTER TABLE workspaces ALTER COLUMN workspace RESTART")


def until_waiting(address: str, count: int) -> None:
    """Stay until so many connections to a database wait for what others hold."""
    waiting = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'"
    over = time.monotonic() + _WAITING_SECONDS
    with psycopg.connect(address, autocommit=True) as connection:
        while connection.execute(waiting).fetchone() != (count,):
            if time.monotonic() > over:
                raise TimeoutError(f"never {count} waiting")
            time.sleep(0.01)


def begin_run() -> None:
    """Tell the processes of this run where its server will be."""
    os.environ[FOLDER] = tempfile.mkdtemp(prefix="brainctl-postgres-")
    # Whoever the server runs as has to get there.
    Path(os.environ[FOLDER]).chmod(0o755)


def end_run() -> None:
    folder = Path(os.environ.pop(FOLDER))
    pid_file = folder / "server" / "data" / "postmaster.pid"
    with suppress(FileNotFoundError, ProcessLookupError):
        pid = int(pid_file.read_text().split()[0])
        os.kill(pid, signal.SIGINT)
        over = time.monotonic() + _START_SECONDS
        while pid_file.exists() and time.monotonic() < over:
            time.sleep(0.05)
    shutil.rmtree(folder, ignore_errors=True)


def _is_root() -> bool:
    return sys.platform != "win32" and os.geteuid() == 0


def _free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return int(found.getsockname()[1])

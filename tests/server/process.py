"""`brainctl brain serve` as people run it: a process of its own, on a free port, in a home of its own."""

import json
import re
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from brainctl.contract import bounds
from brainctl.engine.owner import Owner, create_brain, open_owner
from brainctl.profiles.book import changing
from tests.cli.shell import Shell
from tests.doors.plain_http import Reply, send
from tests.doors.workspace import fact

DEADLINE_SECONDS = 60.0
DEPOSITS = "Deposits are non-refundable inside 30 days of the event date."
MOVED = "Maria's wedding moved to September 14."
CANCELLED = "Weddings cancelled more than 90 days out get the full deposit back."


def company(path: Path) -> Owner:
    """A brain that knows what the documents' examples show."""
    owner = create_brain(str(path))
    owner.add_person("cust_419", "Maria")
    owner.load_facts(
        [
            fact(DEPOSITS, subject="refund policy", time="2026-07-14T09:12:44.318Z", pinned=True),
            {
                **fact(MOVED, kind="profile_fact", origin="ingested", subject="maria"),
                "confidence": 0.7,
                "recorded_time": "2026-07-30T11:05:22.144Z",
            },
            fact(CANCELLED, subject="refund policy", time="2026-07-02T15:20:01.007Z", pinned=True),
        ]
    )
    return owner


class Process:
    """A serving process from `__enter__` to `__exit__`, which tells it to stop and waits for it."""

    def __init__(self, home: Path, owner: Owner, *options: str) -> None:
        self.owner = owner
        self.shell = Shell(home, {"BRAINCTL_KEYRING": "off", "BRAINCTL_HOME": str(home)})
        _point_at(home, owner.store.address)
        self._options = options
        self._lines: list[str] = []
        self._is_told = threading.Event()
        self._keys = 0
        self.base_url = ""

    @classmethod
    @contextmanager
    def unstarted(cls, home: Path, owner: Owner) -> Iterator[Self]:
        """All but the process."""
        with owner:
            yield cls(home, owner)

    @classmethod
    def again(cls, home: Path, before: Self) -> Self:
        """Another process that serves what this one served."""
        return cls(home, open_owner(before.owner.store.address))

    def __enter__(self) -> Self:
        self.popen = self.shell.start("brain", "serve", "--port", "0", *self._options)
        self._reading = threading.Thread(target=self._read, daemon=True)
        self._reading.start()
        assert self._is_told.wait(DEADLINE_SECONDS), self.log
        assert self.base_url, self.log
        return self

    def __exit__(self, *_: object) -> None:
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGTERM)
        self.wait()
        self.owner.close()

    def _read(self) -> None:
        assert self.popen.stderr is not None
        for raw in self.popen.stderr:
            line = raw.decode()
            self._lines.append(line)
            found = re.search(r"http://[^\s/]+:\d+", line)
            if found and not self.base_url:
                self.base_url = found[0]
                self._is_told.set()
        self._is_told.set()

    def wait(self) -> int:
        """Wait for the end; the exit code."""
        try:
            code = self.popen.wait(DEADLINE_SECONDS)
        except subprocess.TimeoutExpired:
            self.popen.kill()
            raise
        self._reading.join(DEADLINE_SECONDS)
        for stream in (self.popen.stdout, self.popen.stderr):
            assert stream is not None
            stream.close()
        return code

    @property
    def log(self) -> str:
        """Everything on standard error so far."""
        return "".join(self._lines)

    @property
    def lines(self) -> list[dict[str, Any]]:
        """The lines of JSON among it."""
        return [json.loads(line) for line in self.log.splitlines() if line.startswith("{")]

    @property
    def address(self) -> tuple[str, int]:
        host, _, port = self.base_url.removeprefix("http://").rpartition(":")
        return host.strip("[]"), int(port)

    def key(self, audience: str = "internal", scopes: Sequence[str] = bounds.SCOPES) -> str:
        self._keys += 1
        return self.owner.create_key(f"key {self._keys}", audience, scopes).secret

    def post(self, path: str, secret: str, body: Any, **headers: str) -> Reply:
        given = {"Authorization": f"Bearer {secret}", **headers}
        return send(self.address, "POST", path, json.dumps(body).encode(), given)

    def get(self, path: str, secret: str | None = None) -> Reply:
        headers = {} if secret is None else {"X-Api-Key": secret}
        return send(self.address, "GET", path, b"", headers)


def _point_at(home: Path, store: str) -> None:
    """The environment `local`, whose brain is this file."""
    with changing({"BRAINCTL_HOME": str(home)}, lambda _: None) as book:
        book.add_environment(book.plan("local", store=store))

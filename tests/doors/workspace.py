"""One brain on this machine, its owner's verbs, and the doors through which its keys look in."""

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any, Final, Self, cast

from brainctl.client.http_brain import HttpBrain
from brainctl.contract import bounds
from brainctl.contract.brain import Brain
from brainctl.contract.gate import Admission, Gate
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import create_brain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.serving import ServedGate
from tests.doors.brain_over_http import BrainOverHttp
from tests.doors.served import Served

START: Final = "2026-07-14T09:12:44.318Z"


class Clock:
    """A clock that moves when it is told to. It counts whole milliseconds, so that no float rounds a bound away."""

    def __init__(self, moment: str = START) -> None:
        self.milliseconds = 0
        self.set(moment)

    def __call__(self) -> float:
        return self.milliseconds / 1000

    def advance(self, seconds: float) -> None:
        self.milliseconds += round(seconds * 1000)

    def set(self, moment: str) -> None:
        self.milliseconds = round(datetime.fromisoformat(moment).timestamp() * 1000)


def fact(
    text: str,
    *,
    kind: str = "decision",
    origin: str = "user_stated",
    subject: str = "company",
    time: str = START,
    pinned: bool = False,
) -> dict[str, Any]:
    """A fact as its owner describes it."""
    return {
        "text": text,
        "kind": kind,
        "origin": origin,
        "subject": subject,
        "confidence": 0.9,
        "recorded_time": time,
        "pinned": pinned,
    }


class Workspace:
    """A new brain at a path or in a database, in its owner's hands until `__exit__`."""

    def __init__(self, path: Path | str, name: str = "local") -> None:
        self.clock = Clock()
        self._path = str(path)
        self._owner = create_brain(self._path, name, clock=self.clock)
        self._key_ids: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._owner.close()

    def key(
        self,
        audience: str = "internal",
        scopes: Sequence[str] = bounds.SCOPES,
        *,
        name: str | None = None,
        expires_in: float | None = None,
    ) -> str:
        """A new key's secret. `expires_in` is in seconds."""
        expires = None if expires_in is None else self.clock.milliseconds + round(expires_in * 1000)
        made = self._owner.create_key(name or f"key {len(self._key_ids)}", audience, scopes, expires)
        self._key_ids[made.secret] = made.key.key_id
        return made.secret

    def revoke(self, secret: str) -> None:
        self._owner.revoke_key(self._key_ids[secret])

    def person(self, person_id: str, name: str) -> None:
        self._owner.add_person(person_id, name)

    def no_person(self, person_id: str) -> None:
        assert self._owner.remove_person(person_id)

    def member(self, name: str) -> None:
        self._owner.add_member(name)

    def no_member(self, name: str) -> None:
        assert self._owner.remove_member(name)

    def credits(self, left: int | None) -> None:
        self._owner.set_credits(left)

    def load(self, *facts: dict[str, Any]) -> None:
        assert self._owner.load_facts(facts) == len(facts)

    def open(self, secret: str) -> Brain:
        """The brain in process, seen through a key."""
        return cast("Brain", open_brain(self._path, secret, clock=self.clock))

    @property
    def path(self) -> str:
        return self._path

    def gate(self, secret: str) -> Brain:
        """The brain for a server: its key is looked at before the request is."""
        brain = self.open(secret)
        try:
            brain.whoami()
        except BaseException:
            brain.close()
            raise
        return brain


class Door:
    """A way to look into a workspace. Brains it opened are closed with it."""

    def __init__(self, workspace: Workspace, opening: Callable[[str], Brain], closing: ExitStack) -> None:
        self.workspace = workspace
        self._opening = opening
        self._closing = closing

    def open(self, secret: str) -> Brain:
        brain = self._opening(secret)
        self._closing.callback(brain.close)
        return brain

    def brain(self, audience: str = "internal", scopes: Sequence[str] = bounds.SCOPES) -> Brain:
        """The brain through a new key."""
        return self.open(self.workspace.key(audience, scopes))


def in_process(workspace: Workspace, closing: ExitStack) -> Door:
    return Door(workspace, workspace.open, closing)


def in_a_database(workspace: Workspace, closing: ExitStack) -> Door:
    """As in process, to a workspace that is one of a database's."""
    return in_process(workspace, closing)


def over_a_socket(workspace: Workspace, closing: ExitStack) -> Door:
    """Client, socket, server, and the same brain behind them."""
    server = closing.enter_context(BrainOverHttp(workspace.gate))
    closing.callback(_no_faults, server)
    return Door(workspace, lambda secret: _client(server.base_url, secret), closing)


def served(workspace: Workspace, closing: ExitStack) -> Door:
    """Client, socket, and the server that people run."""
    server = closing.enter_context(serving(workspace))
    return Door(workspace, lambda secret: _client(server.base_url, secret), closing)


@contextmanager
def serving(workspace: Workspace) -> Iterator[Served]:
    """The workspace's brain as people serve it. Fails at the end where a fault of ours was logged."""
    # The workspace's time stands still, and its keys are asked for more than one window holds.
    window = RateWindow(workspace.path, count(0, bounds.RATE_WINDOW_SECONDS).__next__)
    gate = ServedGate(workspace.path, clock=workspace.clock, window=window)
    server, front = _standing_server()
    logged = len(server.log)
    front.gate = gate
    gate.start()
    try:
        yield server
    finally:
        gate.stop(60)
        gate.close()
    assert '"fault"' not in server.log[logged:], server.log[logged:]


class _Front:
    """A gate before whichever gate is open now."""

    gate: Gate

    def admit(self, secret: str) -> Admission:
        return self.gate.admit(secret)

    def is_ready(self) -> bool:
        return self.gate.is_ready()


@cache
def _standing_server() -> tuple[Served, _Front]:
    """One server for all tests of a process, since stopping one takes longer than most tests."""
    front = _Front()
    server = Served(front)
    server.__enter__()
    atexit.register(server.__exit__)
    return server, front


def _client(base_url: str, secret: str) -> Brain:
    return HttpBrain(base_url, secret, retries=0, sleep=_never)


def _never(seconds: float) -> None:
    raise AssertionError(f"nothing here waits, and this was to wait {seconds} s")


def _no_faults(server: BrainOverHttp) -> None:
    assert server.faults == [], "the brain raised what no brain raises"

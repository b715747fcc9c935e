"""A served brain whose worker can be held back, and the means to speak MCP to it over a real socket."""

import json
import threading
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.error import HTTPError

import pytest
import uvicorn

from brainctl.contract.gate import Admission, Gate
from brainctl.engine.answers.runs import Pace
from brainctl.engine.serving import ServedGate
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.worker.worker import Delta, Said, Task, Worker, source_of
from brainctl.engine.worker.worker import Final as LastWord
from tests.cli.shell import Shell
from tests.doors.served import Served
from tests.doors.workspace import Workspace, fact

SLOW: Final = "slow"


class HeldWorker:
    """Answers a question that begins with `slow` only once it is released; any other at once."""

    def __init__(self) -> None:
        self.released = threading.Event()

    def run(self, task: Task) -> Iterator[Said]:
        if task.question.startswith(SLOW):
            assert self.released.wait(60)
        answer = f"about {task.question}"
        yield Delta(answer)
        sources = [source_of(each) for each in task.facts]
        yield LastWord(answer, {"input_tokens": 1, "output_tokens": 2}, sources)


class Replied(NamedTuple):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class House(NamedTuple):
    """A served brain with a few facts in it. `key` has every scope, `worker` is who answers."""

    workspace: Workspace
    server: Served
    worker: HeldWorker
    key: str

    @property
    def url(self) -> str:
        return f"{self.server.base_url}/v1/mcp"

    def post(self, body: Any, *, key: str | None = None, path: str = "/v1/mcp", **headers: str) -> Replied:
        """POST a body: bytes as they are, anything else as JSON."""
        request = urllib.request.Request(
            self.server.base_url + path,
            body if isinstance(body, bytes) else json.dumps(body).encode(),
            {
                "Authorization": f"Bearer {key or self.key}",
                **{name.replace("_", "-"): value for name, value in headers.items()},
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return Replied(response.status, _lower(response.headers), response.read())
        except HTTPError as refused:
            with refused:
                return Replied(refused.code, _lower(refused.headers), refused.read())

    def call(self, tool: str, arguments: Any = None, *, key: str | None = None, **headers: str) -> Any:
        """Call a tool, and give the `result` of the reply."""
        params = {"name": tool} if arguments is None else {"name": tool, "arguments": arguments}
        reply = self.post(request(7, "tools/call", params), key=key, **headers)
        assert reply.status == 200
        said = reply.json
        assert said["jsonrpc"] == "2.0"
        assert said["id"] == 7
        return said["result"]


def _lower(headers: Any) -> dict[str, str]:
    return {name.lower(): value for name, value in headers.items()}


def request(request_id: Any, method: str, params: Any = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": request_id, "method": method}
    return message if params is None else {**message, "params": params}


class Front:
    """A gate before whichever gate is open now."""

    gate: Gate

    def admit(self, secret: str) -> Admission:
        return self.gate.admit(secret)

    def is_ready(self) -> bool:
        return self.gate.is_ready()


@contextmanager
def running(app: Any) -> Iterator[str]:
    """An ASGI application on a free port of 127.0.0.1; its address."""
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_config=None, lifespan="off"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


@pytest.fixture(scope="session")
def standing() -> Iterator[tuple[Served, Front]]:
    """One server for all tests, since to stop one takes longer than most of them."""
    front = Front()
    with Served(front) as server:
        yield server, front


@contextmanager
def opened(folder: Path, server: Served, front: Front) -> Iterator[House]:
    worker = HeldWorker()

    def hire(store: Store, row: AnswerRow) -> Worker:
        return worker

    logged = len(server.log)
    with Workspace(folder / "brain.db") as workspace:
        workspace.load(
            fact("Refunds go through Priya, never by cash."),
            fact("A refund takes two working days."),
            fact("A refund of a deposit is a matter of dates.", kind="project"),
        )
        gate = ServedGate(workspace.path, clock=workspace.clock, hire=hire, pace=Pace(look=0.05))
        front.gate = gate
        gate.start()
        try:
            yield House(workspace, server, worker, workspace.key())
        finally:
            worker.released.set()
            gate.stop(60)
            gate.close()
    assert '"fault"' not in server.log[logged:], server.log[logged:]


@pytest.fixture
def house(tmp_path: Path, standing: tuple[Served, Front]) -> Iterator[House]:
    """A brain of the test's own."""
    with opened(tmp_path, *standing) as house:
        yield house


@pytest.fixture(scope="module")
def shared_house(tmp_path_factory: pytest.TempPathFactory, standing: tuple[Served, Front]) -> Iterator[House]:
    with opened(tmp_path_factory.mktemp("shared"), *standing) as house:
        yield house


@pytest.fixture
def wire(shared_house: House) -> House:
    """A brain that a file's tests share, and a key, with its window, of the test's own."""
    return shared_house._replace(key=shared_house.workspace.key())


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """A shell with the sample brain on this machine."""
    shell = Shell(tmp_path_factory.mktemp("home"), {"BRAINCTL_KEYRING": "off"})
    made = shell.run("brain", "init", "--sample")
    assert made.code == 0, made.err
    return shell

"""A brain with a fact of every sort, and each way to ask it: in this process, over REST and over MCP."""

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from itertools import count
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import pytest

from brainctl.client.http_brain import HttpBrain
from brainctl.contract import bounds
from brainctl.contract.brain import Brain
from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.local_brain import LocalBrain, brain_of
from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.serving import ServedGate
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.extractive import ExtractiveWorker
from brainctl.engine.worker.worker import Worker
from tests.disclosure.table import COMBINATIONS, SUBJECTS, described
from tests.disclosure.telling import Gossip
from tests.doors.plain_http import send
from tests.doors.served import Served
from tests.doors.workspace import Clock

MEMORY: Final = "/dev/shm" if os.path.isdir("/dev/shm") else None
"""Where files are in memory: many are written here, and none has to outlive the test."""

TELL: Final = "Tell"
"""How a question to the gossip begins; any other is answered by the worker that people have."""


class Tools:
    """The MCP tools of a served brain, through one key."""

    def __init__(self, server: Served, secret: str) -> None:
        self._server = server
        self._secret = secret

    def call(self, tool: str, arguments: Any) -> Any:
        """What a tool returns. Its text and its structured content are the same."""
        message = {
            "jsonrpc": "2.0",
            "id": 1,
            "method": "tools/call",
            "params": {"name": tool, "arguments": arguments},
        }
        headers = {"Authorization": f"Bearer {self._secret}"}
        reply = send(self._server.address, "POST", "/v1/mcp", json.dumps(message).encode(), headers)
        result = reply.json()["result"]
        assert result["isError"] is False, result
        [content] = result["content"]
        assert json.loads(content["text"]) == result["structuredContent"]
        return result["structuredContent"]

    def search(self, request: Any) -> Any:
        return self.call("search_memory", request)

    def context(self, request: Any) -> Any:
        return self.call("get_memory_context", request)


class House(NamedTuple):
    """By audience, a brain in process, the same brain over REST, and its tools."""

    here: dict[str, LocalBrain]
    rest: dict[str, Brain]
    tools: dict[str, Tools]


def hire(_store: object, row: Any) -> Worker:
    return Gossip() if row.input.startswith(TELL) else ExtractiveWorker()


def fill(owner: Owner) -> None:
    for subject in SUBJECTS:
        if subject.person_id is not None:
            owner.add_person(subject.person_id, subject.name)
        if subject.team and subject.name != "worker":
            owner.add_member(subject.name)
    assert owner.load_facts(map(described, COMBINATIONS)) == len(COMBINATIONS)


@pytest.fixture(scope="module")
def house() -> Iterator[House]:
    clock = Clock()
    log: list[str] = []
    with ExitStack() as closing:
        folder = closing.enter_context(TemporaryDirectory(dir=MEMORY))
        path, served_path = (os.path.join(folder, name) for name in ("here", "served"))
        owner = closing.enter_context(create_brain(path, clock=clock))
        fill(owner)
        secrets = {
            audience: owner.create_key(audience, audience, bounds.SCOPES).secret
            for audience in bounds.AUDIENCES
        }
        # Of its own, so that what is queued here is not answered there.
        owner.back_up(served_path, replace=False, tell=lambda _done, _of: None)
        workshop = Workshop(open_stores(path), 1, Means(hire, log.append, Pace(look=0.005), clock))
        # The clock stands still, and more is asked than one window holds.
        window = RateWindow(served_path, count(0, bounds.RATE_WINDOW_SECONDS).__next__)
        gate = ServedGate(served_path, clock=clock, window=window, log=log.append, hire=hire)
        closing.callback(gate.close)
        server = closing.enter_context(Served(gate))
        gate.start()
        closing.callback(gate.stop, 60)
        rest: dict[str, Brain] = {
            audience: HttpBrain(server.base_url, secret, retries=0) for audience, secret in secrets.items()
        }
        for brain in rest.values():
            closing.callback(brain.close)
        yield House(
            here={
                audience: brain_of(owner.store, secret, clock=clock, workshop=workshop)
                for audience, secret in secrets.items()
            },
            rest=rest,
            tools={audience: Tools(server, secret) for audience, secret in secrets.items()},
        )
    assert log == []
    assert '"fault"' not in server.log

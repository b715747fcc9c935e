"""Who waits hears of it when an answer was queued or has ended: nobody looks by themselves here."""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from threading import Thread
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.engine.answers.runs import Pace
from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.serving import ServedGate
from brainctl.server.mcp import http
from tests.answers.house import Gate, Scripted, Speech
from tests.doors.plain_http import send
from tests.doors.served import Served

NEVER = 3600.0


@pytest.fixture
def owner(new_spot: Callable[[], Any]) -> Iterator[Owner]:
    spot = new_spot()
    with create_brain(spot.address, spot.name) as owner:
        yield owner


@pytest.fixture
def serving(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Served]]:
    """Serves the brain with a worker that speaks so."""
    monkeypatch.setattr(http, "LOOK_FIRST", NEVER)
    monkeypatch.setattr(http, "LOOK_LONGEST", NEVER)
    with ExitStack() as closing:

        def serve(speech: Speech, workers: int) -> Served:
            gate = ServedGate(
                owner.store.address, hire=lambda *_: Scripted(speech), pace=Pace(look=NEVER), workers=workers
            )
            closing.callback(gate.close)
            closing.callback(gate.stop, 10)
            served = closing.enter_context(Served(gate, heard=gate.heard))
            gate.start()
            return served

        yield serve


def key(owner: Owner) -> str:
    return owner.create_key("asks", "internal", bounds.SCOPES).secret


def asked_by_tool(served: Served, secret: str) -> Any:
    """The result of `ask_worker`, which waits for the answer for two minutes."""
    arguments = {"input": "what?", "timeout_seconds": 120}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    body = {**call, "params": {"name": "ask_worker", "arguments": arguments}}
    reply = send(
        served.address,
        "POST",
        "/v1/mcp",
        json.dumps(body).encode(),
        {"Authorization": f"Bearer {secret}", "Accept": "application/json"},
    )
    return reply.json()["result"]["structuredContent"]


def opened_when_waited_for(speech: Gate) -> Thread:
    """Lets a worker on some time after it has been reached."""

    def let_on() -> None:
        assert speech.reached.wait(30)
        time.sleep(0.2)
        speech.open.set()

    thread = Thread(target=let_on)
    thread.start()
    return thread


@pytest.mark.both_stores
def test_a_tool_that_waits_is_told_by_its_own_process(owner: Owner, serving: Callable[..., Served]) -> None:
    speech = Gate()
    served = serving(speech, 1)
    secret = key(owner)
    opening = opened_when_waited_for(speech)
    assert asked_by_tool(served, secret)["output_text"] == "before after"
    opening.join()


@pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)
def test_a_tool_that_waits_is_told_by_another_server_of_the_database(
    owner: Owner, serving: Callable[..., Served]
) -> None:
    speech = Gate()
    works, waits = serving(speech, 1), serving(speech, 0)
    assert works.address != waits.address
    secret = key(owner)
    opening = opened_when_waited_for(speech)
    assert asked_by_tool(waits, secret)["output_text"] == "before after"
    opening.join()

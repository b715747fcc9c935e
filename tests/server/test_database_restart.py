"""The database is stopped and started again while it is served: nothing that was acknowledged is lost."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from itertools import count
from threading import Event as Flag

import pytest

from brainctl.client.http_brain import HttpBrain
from brainctl.contract import bounds
from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.engine.answers.runs import Pace
from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.rate_window import RateWindow
from brainctl.engine.serving import ServedGate
from brainctl.engine.store.postgres import stores
from brainctl.engine.store.stores import Stores, open_stores
from tests.answers.house import Gate, Scripted, Speech, echoes, names, question
from tests.cli.shell import eventually
from tests.doors.plain_http import send
from tests.doors.served import Served
from tests.postgres import Server

NEVER = 3600.0
_numbers = count()


@pytest.fixture
def owner(own_postgres: Server) -> Iterator[Owner]:
    with create_brain(own_postgres.new_database(f"restarted_{next(_numbers)}")) as owner:
        yield owner


@pytest.fixture
def serving(owner: Owner, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Served]]:
    """Serves the database with a worker that speaks so."""
    monkeypatch.setattr(stores, "WAIT_SECONDS", 1.0)
    with ExitStack() as closing:

        def serve(speech: Speech, workers: int) -> Served:
            # Whoever waits is woken by news alone. More is asked than one window holds.
            gate = ServedGate(
                owner.store.address,
                hire=lambda *_: Scripted(speech),
                pace=Pace(look=NEVER),
                window=RateWindow(owner.store.address, count(0, bounds.RATE_WINDOW_SECONDS).__next__),
                workers=workers,
            )
            closing.callback(gate.close)
            closing.callback(gate.stop, 10)
            served = closing.enter_context(Served(gate, figures=gate.figures, heard=gate.heard))
            gate.start()
            return served

        yield serve


@pytest.fixture
def brain_of(owner: Owner) -> Iterator[Callable[[Served], HttpBrain]]:
    secret = owner.create_key("asks", "internal", bounds.SCOPES).secret
    with ExitStack() as closing:

        def opened(served: Served) -> HttpBrain:
            brain = HttpBrain(served.base_url, secret, retries=0)
            closing.callback(brain.close)
            return brain

        yield opened


def readiness(served: Served) -> int:
    return send(served.address, "GET", "/readyz", b"").status


def test_the_window_outlives_a_clean_restart(own_postgres: Server, owner: Owner) -> None:
    window = RateWindow(owner.store.address)
    window.count(1, "a", bounds.RATE_REQUESTS)
    own_postgres.stop()
    with pytest.raises(BrainError, match="store_error"):
        window.count(1, "a")
    own_postgres.start()
    with pytest.raises(BrainError, match="rate_limited"):
        window.count(1, "a")
    window.close()


def test_what_is_running_and_what_waits_is_answered_when_it_is_back(
    own_postgres: Server, serving: Callable[..., Served], brain_of: Callable[[Served], HttpBrain]
) -> None:
    speech = Gate()
    served = serving(speech, workers=1)
    brain = brain_of(served)
    taught = brain.teach({"facts": [{"text": "The hall closes at ten."}]})
    assert taught["accepted_fact_count"] == 1
    queued = [brain.enqueue(question(f"q{n}", conversation_id=f"c{n % 2}"))["answer_id"] for n in range(4)]
    begun = Flag()

    def stream() -> list[Event]:
        events = []
        for event in brain.ask(question("streamed")):
            events.append(event)
            begun.set()
        return events

    with ThreadPoolExecutor(1) as pool:
        streamed = pool.submit(stream)
        assert begun.wait(30)
        eventually(lambda: {brain.answer(each)["status"] for each in queued} == {"queued", "in_progress"})
        assert readiness(served) == 200
        own_postgres.stop()
        eventually(lambda: readiness(served) == 503)
        with pytest.raises(BrainError) as refused:
            brain.search({"query": "hall"})
        assert (refused.value.code, refused.value.http_status) == ("internal_error", 500)
        # The workers are done while there is nowhere to write it.
        speech.open.set()
        own_postgres.start()
        assert names(streamed.result(60))[-2:] == ["answer.completed", "done"]
    eventually(lambda: readiness(served) == 200)
    eventually(lambda: {brain.answer(each)["status"] for each in queued} == {"completed"})
    found = brain.search({"query": "hall"})["facts"]
    assert [fact["fact_text"] for fact in found] == ["The hall closes at ten."]


def test_crew_and_listener_come_back_by_themselves(
    own_postgres: Server, serving: Callable[..., Served], brain_of: Callable[[Served], HttpBrain]
) -> None:
    serving(echoes, workers=2)
    elsewhere = serving(echoes, workers=0)
    brain = brain_of(elsewhere)

    def ask_some() -> None:
        for number in range(3):
            # Told of by the database alone: nobody looks by themselves.
            answer_id = brain.enqueue(question(f"q{number}"))["answer_id"]
            eventually(lambda: brain.answer(answer_id)["status"] == "completed")  # noqa: B023  # called at once

    ask_some()
    own_postgres.stop("immediate")
    own_postgres.start()
    eventually(lambda: readiness(elsewhere) == 200)
    ask_some()


def test_an_outage_leaves_a_process_no_more_connections_than_it_may_have(
    own_postgres: Server, owner: Owner, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stores, "WAIT_SECONDS", 0.5)
    monkeypatch.setattr(stores, "CONNECTIONS_MOST", 1)

    def lent_twice_at_once(shared: Stores) -> None:
        with shared.lent() as one, shared.lent() as another:
            assert one.workspaces() == another.workspaces()

    with closing(open_stores(owner.store.address)) as shared:
        with shared.lent() as store:
            assert store.workspaces() == [1]
            own_postgres.stop()
            for _ in range(2):
                with pytest.raises(BrainError, match="cannot be reached"):
                    store.workspaces()
        own_postgres.start()
        with shared.lent() as store:
            assert store.workspaces() == [1]
        with pytest.raises(BrainError, match="are busy"):
            lent_twice_at_once(shared)

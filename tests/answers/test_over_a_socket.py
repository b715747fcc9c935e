"""The same answers through a server and the client: what is refused is refused before the stream is open."""

import threading
from collections.abc import Iterator
from contextlib import closing
from typing import TYPE_CHECKING, cast

import pytest

from brainctl.client.http_brain import HttpBrain
from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from tests.answers.house import Gate, House, Speech, echoes, names, question
from tests.doors.brain_over_http import BrainOverHttp

if TYPE_CHECKING:
    from collections.abc import Generator

    from brainctl.contract.events import Event


class Served:
    """A server over the house's brain, whose workers speak as they are told."""

    def __init__(self, house: House) -> None:
        self.speech: Speech = echoes
        self._house = house
        self.server = BrainOverHttp(self._gate)
        self._clients: list[HttpBrain] = []
        self._secrets = {audience: house.key(audience) for audience in ("internal", "external")}

    def _gate(self, secret: str) -> Brain:
        return self._house.opened(secret, self._house.workshop(self.speech))

    def client(self, audience: str = "internal") -> HttpBrain:
        client = HttpBrain(self.server.base_url, self._secrets[audience], retries=0)
        self._clients.append(client)
        return client

    def close(self) -> None:
        for client in self._clients:
            client.close()


@pytest.fixture
def served(house: House) -> Iterator[Served]:
    served = Served(house)
    with served.server, closing(served):
        yield served
    assert served.server.faults == []


def test_a_stream_and_its_answer_are_the_same_from_far_away(served: Served) -> None:
    brain = served.client()
    events = list(brain.ask(question(conversation_id="c", include=["sources"])))
    assert names(events) == ["answer.created", "answer.delta", "answer.completed", "done"]
    assert brain.answer(events[0].data["answer_id"], sources=True) == events[2].data


def test_a_queued_create_is_accepted_and_repeated(served: Served, house: House) -> None:
    brain = served.client()
    first = brain.enqueue(question(), "k")
    assert brain.enqueue(question(), "k") == first
    assert served.server.seen[-1].status == 202
    house.workshop(echoes).run_next()
    assert brain.answer(first["answer_id"])["output_text"] == "about what?"


@pytest.mark.parametrize(
    ("code", "status"), [("conversation_busy", 409), ("out_of_credits", 402), ("validation_error", 422)]
)
def test_a_refusal_is_a_status_and_no_event(served: Served, house: House, code: str, status: int) -> None:
    brain = served.client()
    asked = question(conversation_id="c")
    if code == "conversation_busy":
        brain.enqueue(asked)
    elif code == "out_of_credits":
        house.owner.set_credits(0)
    else:
        asked["agent_slug"] = "nobody"
    with pytest.raises(BrainError) as refused:
        list(brain.ask(asked))
    assert (refused.value.code, refused.value.http_status) == (code, status)


def test_a_client_that_hangs_up_leaves_its_run_to_go_on(served: Served, house: House) -> None:
    gate = Gate()
    served.speech = gate
    brain = served.client()
    stream = cast("Generator[Event, None, None]", brain.ask(question(conversation_id="c")))
    with closing(stream) as events:
        answer_id = next(events).data["answer_id"]
    assert gate.reached.wait(60)
    assert served.client().answer(answer_id)["status"] == "in_progress"
    gate.open.set()
    for thread in threading.enumerate():
        if thread.name == "answers":
            thread.join()
    assert served.client().answer(answer_id)["output_text"] == "before after"


def test_an_answer_of_an_internal_key_is_unknown_to_an_external_one(served: Served) -> None:
    answer_id = served.client().enqueue(question())["answer_id"]
    with pytest.raises(BrainError) as hidden:
        served.client("external").answer(answer_id)
    assert (hidden.value.code, hidden.value.http_status) == ("not_found", 404)

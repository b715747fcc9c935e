"""The worker with a model against a real server, llama.cpp's, and real weights: small ones, which prove the wire."""

from collections.abc import Iterator

import pytest

from tests.answers.house import House, names, question, spoken
from tests.answers.real_model import NEEDS_MODEL, served
from tests.doors.workspace import fact

pytestmark = NEEDS_MODEL


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with served(16) as base_url:
        yield base_url


@pytest.mark.parametrize("audience", ["internal", "external"])
def test_a_real_model_answers_in_a_stream(house: House, base_url: str, audience: str) -> None:
    house.owner.set_worker("main", model="smollm2", base_url=base_url)
    house.owner.load_facts([fact("Tea is at four o'clock in the garden.")])
    brain = house.brain(audience)
    events = list(brain.ask(question("When is tea?", conversation_id="c")))
    assert names(events)[-2:] == ["answer.completed", "done"], house.log
    output = events[-2].data["output_text"]
    assert output.strip()
    assert spoken(events).endswith(output)
    assert events[-2].data["usage"]["input_tokens"] > 50
    assert events[-2].data["usage"]["output_tokens"] > 0
    assert brain.answer(events[0].data["answer_id"])["output_text"] == output


def test_a_real_model_goes_on_with_a_conversation_that_was_queued(house: House, base_url: str) -> None:
    house.owner.set_worker("helper", model="smollm2", base_url=base_url)
    brain = house.brain("external")
    for text in ("My favourite colour is green.", "What did I say?"):
        asked = brain.enqueue(question(text, conversation_id="c", agent_slug="helper"))
        assert brain.work_until(asked["answer_id"])["status"] == "completed", house.log

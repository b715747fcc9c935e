"""What each viewer is told of each sort of fact, through each door there is: what the rule lets through, no more."""

import json
from collections.abc import Callable, Iterator, Sequence
from secrets import token_hex
from typing import Any, Final, NamedTuple

import pytest

from brainctl.contract.brain import Brain
from brainctl.engine.local_brain import LocalBrain
from tests.disclosure.conftest import TELL, House, Tools
from tests.disclosure.table import (
    COMBINATIONS,
    KINDS,
    ORIGINS,
    QUERIES,
    SUBJECTS,
    VIEWERS,
    Viewer,
    markers_in,
    may_see,
    visible,
)

EACH_VIEWER = pytest.mark.parametrize("viewer", VIEWERS, ids=str)


def test_the_table_has_every_combination_and_the_rule_parts_it() -> None:
    assert len(COMBINATIONS) == len(KINDS) * len(ORIGINS) * len(SUBJECTS) == 13 * 5 * 7
    assert {str(viewer): len(visible(viewer)) for viewer in VIEWERS} == {
        "internal for nobody": 65 * 5,
        "internal for cust_419": 65 * 6,
        "internal for cust_777": 65 * 6,
        "internal for cust_team": 65 * 5,
        "external for nobody": 8,
        "external for cust_419": 16,
        "external for cust_777": 16,
        "external for cust_team": 8,
    }


# Reading

READERS: Final[dict[str, Callable[[House], Any]]] = {
    "in process": lambda house: house.here,
    "over REST": lambda house: house.rest,
    "over MCP": lambda house: house.tools,
}


@EACH_VIEWER
@pytest.mark.parametrize("verb", ["search", "context"])
@pytest.mark.parametrize("reader", READERS)
def test_a_reader_gets_what_the_rule_lets_through(
    house: House, reader: str, verb: str, viewer: Viewer
) -> None:
    brain = READERS[reader](house)[viewer.audience]
    most = {"limit": 100} if verb == "search" else {"token_budget": 20000}
    allowed = visible(viewer)
    for asked in QUERIES:
        reply = getattr(brain, verb)(viewer.asking(query=" ".join(asked), **most))
        found = {known["fact_text"] for known in reply["facts"]}
        assert allowed & {*asked} <= found <= allowed
        assert markers_in(json.dumps(reply)) == found
        if verb == "context":
            assert markers_in(reply["rendered"]) == found


@EACH_VIEWER
@pytest.mark.parametrize("verb", ["search", "context"])
@pytest.mark.parametrize("reader", READERS)
def test_a_subjects_name_brings_what_is_visible_of_it(
    house: House, reader: str, verb: str, viewer: Viewer
) -> None:
    brain = READERS[reader](house)[viewer.audience]
    most = {"limit": 100} if verb == "search" else {"token_budget": 20000}
    allowed = visible(viewer)
    for subject in SUBJECTS:
        of_it = {each.marker for each in COMBINATIONS if each.subject == subject and may_see(viewer, each)}
        reply = getattr(brain, verb)(viewer.asking(query=subject.name, **most))
        found = {known["fact_text"] for known in reply["facts"]}
        assert of_it & found or not of_it
        assert markers_in(json.dumps(reply)) == found <= allowed


# Answering


class Told(NamedTuple):
    """All that one who asked was told: while it ran, in the end, of which facts, and every byte of it."""

    spoken: str | None
    output_text: str
    sources: set[str]
    whole: str


def told(answer: Any, *more: Any, spoken: str | None = None) -> Told:
    assert answer["status"] == "completed"
    sources = {source["fact_text"] for source in answer["sources"]}
    return Told(spoken, answer["output_text"], sources, json.dumps([answer, *more]))


def streamed(brain: Brain, requests: Sequence[Any]) -> Iterator[Told]:
    for request in requests:
        with_sources: Any = {**request, "include": ["sources"]}
        events = list(brain.ask(with_sources))
        assert [event.event for event in events[-2:]] == ["answer.completed", "done"]
        spoken = "".join(event.data["text"] for event in events if event.event == "answer.delta")
        completed = events[-2].data
        read = brain.answer(completed["answer_id"], sources=True)
        assert read == completed
        yield told(read, [event.data for event in events], spoken=spoken)


def queued(brain: Brain, requests: Sequence[Any]) -> Iterator[Told]:
    for begun in [brain.enqueue(request) for request in requests]:
        answer_id = begun["answer_id"]
        if isinstance(brain, LocalBrain):
            brain.work_until(answer_id)
        while (answer := brain.answer(answer_id, sources=True))["status"] in {"queued", "in_progress"}:
            assert answer["output_text"] == ""
            assert answer["sources"] == []
        yield told(answer, begun)


def asked_and_waited_for(tools: Tools, requests: Sequence[Any]) -> Iterator[Told]:
    for begun in [tools.call("ask_worker", {**request, "timeout_seconds": 0}) for request in requests]:
        yield told(tools.call("wait_for_answer", {"answer_id": begun["answer_id"]}), begun)


def asked_twice(tools: Tools, requests: Sequence[Any]) -> Iterator[Told]:
    """Begun all together, then waited for by asking the same again: a tool that waits looks seldom."""
    named = [{**request, "idempotency_key": token_hex()} for request in requests]
    for request in named:
        tools.call("ask_worker", {**request, "timeout_seconds": 0})
    for request in named:
        yield told(tools.call("ask_worker", request))


Door = Callable[[House, str, Sequence[Any]], Iterator[Told]]
ASKING: Final[dict[str, Door]] = {
    "streamed in process": lambda house, audience, requests: streamed(house.here[audience], requests),
    "queued in process": lambda house, audience, requests: queued(house.here[audience], requests),
    "streamed over REST": lambda house, audience, requests: streamed(house.rest[audience], requests),
    "queued over REST": lambda house, audience, requests: queued(house.rest[audience], requests),
    "ask_worker": lambda house, audience, requests: asked_twice(house.tools[audience], requests),
    "wait_for_answer": lambda house, audience, requests: asked_and_waited_for(
        house.tools[audience], requests
    ),
}


@EACH_VIEWER
@pytest.mark.parametrize("door", ASKING)
def test_a_worker_that_tells_all_it_has_tells_what_the_rule_lets_through(
    house: House, door: str, viewer: Viewer
) -> None:
    allowed = visible(viewer)
    requests = [viewer.asking(input=" ".join([TELL, *asked])) for asked in QUERIES]
    for asked, answer in zip(QUERIES, ASKING[door](house, viewer.audience, requests), strict=True):
        assert allowed & {*asked} <= answer.sources <= allowed
        # What was asked, and how telling its words are, is in the task whatever is known.
        task = {**json.loads(answer.output_text), "question": "", "weights": {}}
        assert markers_in(json.dumps(task)) == answer.sources
        assert task["search"] is (viewer.audience == "internal")
        if answer.spoken is not None:
            assert markers_in(answer.spoken) == answer.sources


@EACH_VIEWER
@pytest.mark.parametrize("door", ASKING)
def test_an_answer_made_of_facts_never_says_one_that_the_rule_keeps_back(
    house: House, door: str, viewer: Viewer
) -> None:
    requests = [viewer.asking(input=subject.name) for subject in SUBJECTS]
    for subject, answer in zip(SUBJECTS, ASKING[door](house, viewer.audience, requests), strict=True):
        of_it = {each.marker for each in COMBINATIONS if each.subject == subject and may_see(viewer, each)}
        assert markers_in(answer.whole) == markers_in(answer.output_text) == answer.sources <= of_it
        assert answer.sources or not of_it
        if answer.spoken is not None:
            assert answer.spoken == answer.output_text

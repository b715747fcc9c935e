"""The worker without a model: it says what the facts say, or that it does not know."""

import math
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainctl.contract.replies import AnswerReply, Fact
from brainctl.engine import sample
from brainctl.engine.packet import tokens_of
from brainctl.engine.words.text import terms
from brainctl.engine.worker.extractive import FACTS_MOST, NOTHING_KNOWN, ExtractiveWorker
from brainctl.engine.worker.worker import Delta, Task
from brainctl.engine.worker.worker import Final as LastWord
from tests.answers.house import House, names, question, spoken
from tests.doors.workspace import fact
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

KNOWN = (
    fact("Deposits are non-refundable inside 30 days of the event date.", subject="refund policy"),
    fact("Weddings cancelled more than 90 days out get the full deposit back.", subject="refund policy"),
    fact("The studio opens at nine on Saturdays", subject="opening hours"),
    fact("The studio is closed on Sundays.", subject="opening hours"),
    fact("We deliver flowers within Lisbon for free.", subject="delivery"),
    fact("Our working capital is 40,000 euros.", subject="money", kind="project"),
    fact("Maria's wedding moved to September 14.", subject="Maria Keller", kind="profile_fact"),
    fact("Jonas wants lilies.", subject="Jonas Berg", kind="preference"),
)


def answer(house: House, text: str, audience: str = "internal", **fields: object) -> AnswerReply:
    brain = house.brain(audience)
    events = list(brain.ask(question(text, **fields)))
    assert names(events)[-2:] == ["answer.completed", "done"]
    reply = brain.answer(events[0].data["answer_id"], sources=True)
    assert spoken(events) == reply["output_text"]
    return reply


@pytest.fixture
def known(house: House) -> House:
    house.owner.add_person("cust_419", "Maria Keller")
    house.owner.add_person("cust_777", "Jonas Berg")
    house.owner.load_facts(KNOWN)
    return house


@pytest.mark.parametrize(
    ("asked", "fact_text"),
    [
        ("When do deposits become non-refundable?", KNOWN[0]["text"]),
        ("Can you tell me whether the studio opens on Saturdays, please?", KNOWN[2]["text"]),
        ("flower delivery in Lisbon", KNOWN[4]["text"]),
        ("What happens to the deposit of weddings cancelled 100 days before?", KNOWN[1]["text"]),
        ("WORKING CAPITAL?", KNOWN[5]["text"]),
        ("And in Libson?", KNOWN[4]["text"]),
    ],
)
def test_a_question_is_answered_with_the_fact_that_it_is_about(
    known: House, asked: str, fact_text: str
) -> None:
    reply = answer(known, asked)
    assert reply.get("sources", [])[0]["fact_text"] == fact_text
    assert reply["output_text"].startswith(fact_text)


@pytest.mark.parametrize(
    "asked",
    [
        "What is the capital of France?",
        "Who won the football match?",
        "Do you sell bicycles on Sundays in Berlin or Hamburg?",
        "hello",
        "please help me",
        "who are you?",
        "😀",
        "?",
    ],
)
def test_it_says_so_plainly_when_it_knows_nothing(known: House, asked: str) -> None:
    reply = answer(known, asked)
    assert reply["output_text"] == NOTHING_KNOWN
    assert reply.get("sources") == []


def test_an_empty_brain_knows_nothing(house: House) -> None:
    assert answer(house, "refunds")["output_text"] == NOTHING_KNOWN


def test_facts_that_answer_different_parts_stand_together(known: House) -> None:
    reply = answer(known, "studio saturdays and sundays")
    assert {source["fact_text"] for source in reply.get("sources", [])} == {
        KNOWN[2]["text"],
        KNOWN[3]["text"],
    }
    assert "Saturdays. The studio" in reply["output_text"] or "Sundays. The studio" in reply["output_text"]


def test_the_person_named_is_answered_from_what_is_known_of_them(known: House) -> None:
    asked = "Has my wedding moved?"
    assert answer(known, asked, "external", end_user={"id": "cust_419"})["output_text"].startswith(
        "Maria's wedding moved to September 14."
    )
    for other in ({}, {"end_user": {"id": "cust_777"}}):
        assert "Maria" not in answer(known, asked, "external", **other)["output_text"]


def test_an_external_key_hears_nothing_that_stays_inside(known: House) -> None:
    for asked in ("working capital", "search for the capital and print every fact with kind project"):
        assert "40,000" not in str(answer(known, asked, "external"))


def test_usage_counts_a_token_for_every_four_characters(known: House) -> None:
    reply = answer(known, "working capital")
    packet = known.brain().context({"query": "working capital"})["rendered"]
    assert reply["usage"] == {
        "input_tokens": tokens_of(f"{packet}working capital"),
        "output_tokens": math.ceil(len(reply["output_text"]) / 4),
    }


def test_it_speaks_in_pieces(known: House) -> None:
    events = list(known.brain().ask(question("working capital")))
    pieces = [event.data["text"] for event in events if event.event == "answer.delta"]
    assert pieces == ["Our", " working", " capital", " is", " 40,000", " euros."]


def test_a_fact_of_many_lines_is_said_on_one(house: House) -> None:
    house.owner.load_facts([fact("Tea is\nat\u2028four\r\n")])
    assert answer(house, "tea")["output_text"] == "Tea is at four."


def task_of(asked: str, texts: list[str]) -> Task:
    facts: list[Fact] = [
        {
            "fact_id": f"fact_{number}",
            "fact_text": text,
            "kind": "decision",
            "origin": "user_stated",
            "subject": None,
            "confidence_level": 1.0,
            "recorded_time": "2026-07-14T09:12:44.318Z",
        }
        for number, text in enumerate(texts)
    ]
    return Task(asked, "main", None, "", facts, dict.fromkeys(terms(asked), 1.0), [], None)


WORDS = st.lists(
    st.sampled_from(["tea", "cake", "four", "nine", "rain", "sun", "lily", "rose", "12", "a", "the"]),
    max_size=8,
).map(" ".join)


@given(WORDS, st.lists(WORDS.filter(bool), max_size=6))
def test_it_never_says_what_no_fact_says(asked: str, texts: list[str]) -> None:
    task = task_of(asked, texts)
    *deltas, last = ExtractiveWorker().run(task)
    assert isinstance(last, LastWord)
    assert "".join(delta.text for delta in deltas if isinstance(delta, Delta)) == last.output_text
    assert last.output_text == (
        " ".join(f"{source['fact_text']}." for source in last.sources) or NOTHING_KNOWN
    )
    assert len(last.sources) <= FACTS_MOST
    assert [*ExtractiveWorker().run(task)] == [*deltas, last]


@pytest.fixture(scope="module")
def company(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """The sample company, which a person tries things out on first."""
    with House(Spot(str(tmp_path_factory.mktemp("company") / "brain.db"), "local")) as house:
        for person_id, name in sample.people():
            house.owner.add_person(person_id, name)
        for member in sample.members():
            house.owner.add_member(member)
        house.owner.load_facts(sample.facts())
        yield house


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        ("When do we open on Sunday?", "The office answers from Tuesday to Saturday"),
        ("What are our opening hours?", "The office answers from Tuesday to Saturday"),
        ("How much is the deposit?", "The deposit is 25%"),
        ("What is the refund policy for weddings?", "A wedding cancelled between 30 and 90 days"),
        ("Who is the head chef?", "Tomas Lindqvist is the head chef"),
        ("Do we allow dogs?", "Dogs are welcome in the meadow"),
        ("What time does the music have to stop?", "Amplified music ends at midnight"),
        ("Is there parking for guests?", "There are 45 parking spaces"),
        ("What happened with the double booking?", "The meadow was double-booked"),
        ("What is our margin on flowers?", "We keep 58% on flowers"),
        ("Can we bring our own wine?", "Guests may bring their own wine"),
    ],
)
def test_what_a_person_asks_of_the_sample_is_answered_first_of_all(
    company: House, asked: str, begins: str
) -> None:
    assert answer(company, asked)["output_text"].startswith(begins)


@pytest.mark.parametrize(
    ("asked", "begins"),
    [
        (
            "When is Maria's wedding?",
            "Maria's wedding has been moved once, from 10 October 2026 to 22 May 2027.",
        ),
        ("Can Maria move her wedding date again?", "Maria's wedding has been moved once"),
        ("What flowers does Maria want?", "Maria wants white dahlias"),
        ("How many guests does Maria expect?", "Maria expects 85 guests"),
        ("Did Maria pay her deposit?", "Maria paid her deposit"),
        ("Should we call Maria?", "Maria would rather be written to than called"),
    ],
)
def test_what_is_known_of_a_person_comes_first_where_they_are_asked_about(
    company: House, asked: str, begins: str
) -> None:
    assert answer(company, asked, end_user={"id": "cust_419"})["output_text"].startswith(begins)


@pytest.mark.parametrize(
    "asked",
    [
        "How many guests fit in the barn?",
        "Do we deliver on Sundays?",
        "What is the capital of France?",
        "Do you have a wheelchair ramp?",
        "How far in advance must we order flowers?",
    ],
)
def test_what_the_sample_does_not_say_is_not_made_up(company: House, asked: str) -> None:
    assert answer(company, asked)["output_text"] == NOTHING_KNOWN

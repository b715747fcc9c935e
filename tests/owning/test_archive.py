"""A brain written out as lines and made again of them."""

import json
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from brainctl.contract.errors import BrainError
from tests.engine.house import House
from tests.owning.records import (
    END,
    HEAD,
    assert_consistent,
    dumped,
    exported,
    fact,
    loaded,
    nothing,
)
from tests.spot import Spot

pytestmark = pytest.mark.both_stores

DESCRIBED: dict[str, Any] = {
    "text": "Deposits come back until a month before the day.",
    "kind": "decision",
    "origin": "ingested",
    "subject": "refund policy",
    "confidence": 0.9,
    "recorded_time": "2026-07-14T09:12:44.318Z",
}

ODD = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60),
    st.sampled_from(
        [
            "a\x00b",
            "漢字仮名交じり文",
            "\U0001f9d1\u200d\U0001f33e and a hen",
            "one\ntwo\r\nthree\u2028x",
            "مرحبا",
        ]
    ),
).filter(lambda text: not text.isspace())
NAMES = ODD.map(lambda name: name[:40]).filter(lambda name: not name.isspace())


def standing(owner_house: House) -> list[tuple[Any, ...]]:
    """Where every fact stands and by what it is found, in order."""
    with owner_house.owner.store.reading() as connection:
        return connection.execute(
            "SELECT fact_id, shelf, person_id, terms, normal, superseded_by, taught_by IS NULL, outside, judged "
            "FROM facts WHERE workspace = ? ORDER BY row",
            (owner_house.workspace,),
        ).fetchall()


def named_alike(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The lines with the name that a file's brain has: in a database each brain keeps its own."""
    return [HEAD | {"workspace": "local"} if each["type"] == "brain" else each for each in records]


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    texts=st.lists(
        st.tuples(
            ODD,
            st.one_of(st.none(), NAMES),
            st.sampled_from(["general", "person", "team", "worker"]),
            st.booleans(),
            st.sampled_from(["decision", "project", "kind_of_tomorrow"]),
            st.sampled_from(["user_stated", "system"]),
            st.floats(0, 1),
            st.integers(-60_000_000_000_000, 200_000_000_000_000),
            st.integers(0, 3),
        ),
        max_size=8,
    ),
    people=st.dictionaries(NAMES, NAMES, max_size=3),
    members=st.lists(NAMES, max_size=2),
)
def test_any_brain_comes_back_as_it_was(
    new_spot: Callable[[], Spot], texts: list[tuple[Any, ...]], people: dict[str, str], members: list[str]
) -> None:
    with ExitStack() as stack:
        house = House(new_spot(), stack)
        for person_id, name in people.items():
            house.owner.add_person(person_id, name)
        for name in members:
            house.owner.add_member(name)
        key = house.owner.create_key("bot", "external", ["memory.write"]).key.key_id
        with house.owner.store.writing(house.workspace) as writing:
            ids: list[str] = []
            for text, subject, judged, pinned, kind, origin, confidence, recorded, standing_as in texts:
                new = house.fact(text, judged, kind=kind, origin=origin, confidence=confidence, pinned=pinned)
                taught = standing_as == 1
                new = new._replace(
                    subject=subject,
                    stated=subject is not None and not taught,
                    recorded_time=recorded,
                    taught_by=key if taught else None,
                    outside=taught,
                )
                writing.add(new)
                if standing_as == 2 and ids:
                    writing.supersede(ids.pop(), by=new.fact_id)
                ids.append(new.fact_id)
        first = exported(house.owner)
        other = House(new_spot(), stack)
        loaded(other.owner, first)
        assert named_alike(exported(other.owner)) == named_alike(first)
        assert standing(other) == standing(house)
        assert_consistent(other.path)
        assert loaded(other.owner, first).known == len(texts)
        assert named_alike(exported(other.owner)) == named_alike(first)


def test_what_was_taught_and_asked_comes_back_too(new_house: Callable[[], House]) -> None:
    house, other = new_house(), new_house()
    house.owner.add_person("cust_1", "Maria")
    house.owner.set_worker("night", model="m", base_url="https://models.test/v1", key_env="MODEL_KEY")
    house.owner.set_credits(7)
    internal = house.internal(plain=True)
    internal.teach({"facts": [{"text": "decision/general/hall: we close at eight"}]})
    internal.teach({"facts": [{"text": "decision/general/hall: now we close at nine"}]})
    house.external(plain=True).teach({"facts": [{"text": "decision/general/hall: we never close"}]})
    answer_id = internal.enqueue({"input": "When do we close?", "end_user": {"id": "cust_1"}})["answer_id"]
    internal.work_until(answer_id, 20)
    whole = exported(house.owner, answers=True)
    assert [each["type"] for each in whole] == [
        *("brain", "key", "key", "person", "worker", "credits", "fact", "fact", "fact", "answer", "end")
    ]
    loaded(other.owner, whole)
    assert named_alike(exported(other.owner, answers=True)) == named_alike(whole)
    assert [each for each in exported(other.owner) if each["type"] == "answer"] == []


@pytest.mark.of_a_file
def test_a_key_that_came_with_an_archive_opens_nothing(new_house: Callable[[], House]) -> None:
    house, other = new_house(), new_house()
    secret = house.key("internal")
    house.brain(secret).teach({"facts": [{"text": "We close at eight."}]})
    whole = dumped(exported(house.owner))
    assert secret.encode() not in whole
    loaded(other.owner, exported(house.owner))
    with pytest.raises(BrainError) as refused:
        other.brain(secret).whoami()
    assert refused.value.code == "api_key_invalid"
    [key] = other.owner.keys()
    assert (key.name, key.revoked is not None) == ("key 0", True)


def test_a_fact_written_by_hand_is_loaded_once_however_often(house: House) -> None:
    first = loaded(house.owner, [DESCRIBED, {**DESCRIBED, "text": "Another."}, DESCRIBED])
    assert (first.facts, first.known) == (2, 1)
    again = loaded(house.owner, [DESCRIBED])
    assert (again.facts, again.known) == (0, 1)
    assert house.internal().teach({"facts": [{"text": DESCRIBED["text"]}]})["skipped"] == 1


def test_an_archive_finds_the_people_that_its_facts_are_about_in_any_order(house: House) -> None:
    about = {**DESCRIBED, "subject": "Maria"}
    loaded(house.owner, [about])
    loaded(house.owner, [{"type": "person", "id": "cust_1", "name": "Maria"}])
    named = house.external().search({"query": "deposits", "end_user": {"id": "cust_1"}})["facts"]
    assert [each["fact_text"] for each in named] == [about["text"]]
    assert house.external().search({"query": "deposits"})["facts"] == []
    assert_consistent(house.path)


def test_a_newer_archive_supersedes_what_an_older_one_brought(house: House) -> None:
    loaded(house.owner, [HEAD, fact(1, "We close at eight."), END])
    newer = [
        HEAD,
        fact(1, "We close at eight.", superseded_by=f"fact_{2:026}"),
        fact(2, "We close at nine."),
        END,
    ]
    loaded(house.owner, newer)
    assert exported(house.owner) == newer
    loaded(house.owner, [HEAD, fact(1, "We close at eight."), END])
    assert exported(house.owner) == newer
    found = house.external().search({"query": "close"})["facts"]
    assert [each["fact_text"] for each in found] == ["We close at nine."]


def test_a_superseded_fact_is_read_by_nobody_even_before_its_successor_is_there(house: House) -> None:
    loaded(house.owner, [fact(1, "We close at eight.", superseded_by=f"fact_{1:026}")])
    assert house.internal().search({"query": "close"})["facts"] == []
    loaded(house.owner, [fact(1, "We close at eight.", superseded_by=f"fact_{2:026}"), fact(2, "Closed.")])
    assert exported(house.owner)[1]["superseded_by"] == f"fact_{2:026}"


def test_many_people_at_once_are_attributed_as_one_by_one(house: House) -> None:
    house.owner.load_facts([{**DESCRIBED, "subject": f"Person{number}"} for number in range(120)])
    loaded(
        house.owner,
        [{"type": "person", "id": f"id{number}", "name": f"Person{number}"} for number in range(0, 120, 2)]
        + [{"type": "member", "name": f"Person{number}"} for number in range(1, 20, 2)],
    )
    figures = house.owner.figures()["facts"]
    assert figures["about_a_known_person"] == 60
    assert_consistent(house.path)


@pytest.mark.parametrize(
    ("lines", "where", "what"),
    [
        ([b"{"], 1, "is not JSON"),
        ([b"\xff"], 1, "is not UTF-8"),
        ([b"[" * 100_000], 1, "is not JSON"),
        ([b"7"], 1, "must be a JSON object"),
        ([b'{"type": []}'], 1, "type"),
        ([{"type": "fax"}], 1, "type"),
        ([{**DESCRIBED, "text": " "}], 1, "text: must not be empty"),
        ([{**DESCRIBED, "more": 1}], 1, "more: unknown field"),
        ([b"", {**DESCRIBED, "confidence": float("nan")}], 2, "confidence"),
        ([{**DESCRIBED, "subject": None}], 1, "subject: must not be null"),
        ([{key: value for key, value in DESCRIBED.items() if key != "subject"}], 1, "subject: is required"),
        ([fact(1, "a"), fact(1, "b")], 2, "twice"),
        ([fact(1, "a", fact_id="fact_1")], 1, "fact_id: must be a fact's id"),
        ([fact(1, "a", taught_by="key_x")], 1, "key_x"),
        ([fact(1, "a", superseded_by=f"fact_{9:026}")], 1, "neither in the archive nor in the brain"),
        ([HEAD, fact(1, "a")], 2, "cut off"),
        ([HEAD, END, fact(1, "a")], 3, "behind the end"),
        ([{**HEAD, "format": 2}, END], 1, "newer brainctl"),
        (
            [{"type": "person", "id": "c", "name": "A"}, {"type": "person", "id": "c", "name": "B"}],
            2,
            "bound to A",
        ),
        ([{"type": "worker", "slug": "w", "model": "m", "base_url": "ftp://x"}], 1, "base_url"),
        ([{"type": "credits", "balance": -1}], 1, "balance"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_written(
    house: House, tmp_path: Path, lines: list[bytes | dict[str, Any]], where: int, what: str
) -> None:
    path = tmp_path / "bad.jsonl"
    good = dumped([{**DESCRIBED, "text": "good"}])
    raw = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
    path.write_bytes(b"\n".join([*raw, b""]) + (b"" if raw[0].startswith(b'{"type": "brain"') else good))
    with path.open("rb") as stream, pytest.raises(BrainError) as refused:
        house.owner.check_archive(stream, "bad.jsonl", nothing)
    assert refused.value.code == "validation_error"
    [field] = refused.value.details["fields"]
    assert field["field"] == f"bad.jsonl:{where}"
    assert what in field["message"]
    assert house.owner.fact_count() == 0


def test_a_fact_that_is_another_one_here_is_refused(house: House) -> None:
    loaded(house.owner, [fact(1, "We close at eight.")])
    for other in (fact(1, "We close at nine."), fact(1, "We close at eight.", confidence=0.5)):
        with pytest.raises(BrainError, match="1 problem"):
            loaded(house.owner, [other])


def test_a_line_without_end_is_refused_and_the_next_one_read(house: House, tmp_path: Path) -> None:
    path = tmp_path / "long.jsonl"
    path.write_bytes(b'{"text": "' + b"x" * 9_000_000 + b'"}\n{"text": 1}\n')
    with path.open("rb") as stream, pytest.raises(BrainError) as refused:
        house.owner.check_archive(stream, "long.jsonl", nothing)
    fields = refused.value.details["fields"]
    assert "is longer than" in fields[0]["message"]
    assert {each["field"] for each in fields[1:]} == {"long.jsonl:2"}

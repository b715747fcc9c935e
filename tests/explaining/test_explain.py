"""`brain explain`: what a key would get, and by which rule each other fact is withheld."""

import itertools
import json
from typing import TYPE_CHECKING

import pytest

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, ORIGINS
from brainctl.engine.disclosure import Viewer
from brainctl.engine.facts import Sought
from brainctl.engine.store.owned import Choice
from brainctl.engine.withholding import explain, withheld_by
from tests.cli.hosted import inside
from tests.cli.shell import Shell
from tests.engine.house import House
from tests.explaining.reading import said, teach

pytestmark = pytest.mark.both_stores

if TYPE_CHECKING:
    from brainctl.engine.capture.claims import About


@pytest.fixture
def full(own: Shell) -> Shell:
    assert (
        inside(
            own, "brain", "keys", "create", "bot", "--audience", "external", "--scope", "memory.read", "-q"
        ).code
        == 0
    )
    assert inside(own, "brain", "people", "add", "cust_419", "--name", "Maria").code == 0
    teach(own, "The barn seats 80 guests.", "We keep 40% margin on the barn.", "Maria wants the barn.")
    teach(own, "The barn now seats 90 guests.")
    return own


def test_a_key_gets_what_it_may_see_and_the_owner_is_told_what_is_withheld_and_why(full: Shell) -> None:
    told = said(full, "brain", "explain", "barn", "--as", "bot")
    assert [each["fact_text"] for each in told["facts"]] == ["The barn now seats 90 guests."]
    assert {each["fact_text"]: each["withheld_by"] for each in told["withheld"]} == {
        "The barn seats 80 guests.": "superseded",
        "We keep 40% margin on the barn.": "kind",
        "Maria wants the barn.": "other_person",
    }
    assert told["key"]["key_audience"] == "external"


def test_the_person_named_gets_their_own(full: Shell) -> None:
    told = said(full, "brain", "explain", "barn", "--as", "bot", "--end-user", "cust_419")
    assert "Maria wants the barn." in [each["fact_text"] for each in told["facts"]]
    assert "other_person" not in [each["withheld_by"] for each in told["withheld"]]


def test_what_is_shown_is_what_the_key_finds_and_the_parts_are_the_score(full: Shell) -> None:
    told = said(full, "brain", "explain", "how many does the barn seat", "--as", "owner", "--top", "2")
    found = said(full, "search", "how many does the barn seat", "-n", "2")["facts"]
    assert [each["fact_id"] for each in told["facts"]] == [each["fact_id"] for each in found]
    for each in told["facts"]:
        assert sum(each["parts"].values()) == pytest.approx(each["score"], abs=0.01)
    assert told["facts"][0]["score"] > 0


def test_a_pipe_gets_a_line_a_fact_and_json_lines_say_the_rule(full: Shell) -> None:
    lines = inside(full, "brain", "explain", "barn", "--as", "bot").out.splitlines()
    assert [line.split("\t")[0] for line in lines[1:]] == ["other_person", "kind", "superseded"]
    rows = [
        json.loads(line)
        for line in inside(full, "brain", "explain", "barn", "--as", "bot", "-o", "jsonl").out.splitlines()
    ]
    assert [row.get("withheld_by") for row in rows] == [None, "other_person", "kind", "superseded"]


def test_a_key_that_is_not_there_or_may_not_search_is_said(full: Shell) -> None:
    done = inside(full, "brain", "explain", "barn", "--as", "bott")
    assert (done.code, done.out) == (5, "")
    inside(full, "brain", "keys", "create", "mute", "--audience", "external", "--scope", "memory.write", "-q")
    assert "no scope memory.read" in inside(full, "brain", "explain", "barn", "--as", "mute").err
    inside(full, "brain", "keys", "revoke", "bot")
    assert "is revoked" in inside(full, "brain", "explain", "barn", "--as", "bot").err


@pytest.mark.parametrize(
    "arguments",
    [
        ("", "--as", "bot"),
        ("barn", "--as", "bot", "--top", "0"),
        ("barn",),
        ("barn", "--as", "bot", "--end-user", ""),
    ],
)
def test_what_no_key_could_ask_is_refused(full: Shell, arguments: tuple[str, ...]) -> None:
    assert inside(full, "brain", "explain", *arguments).code == 2


def test_only_who_has_the_file_may_ask(full: Shell) -> None:
    with_key = full.with_(ALFERA_BASE_URL="http://127.0.0.1:9", ALFERA_API_KEY="ak_test_" + "x" * 30)
    with_key.environ["HOME"] = str(full.home / "elsewhere")
    done = inside(with_key, "brain", "explain", "barn", "--as", "bot")
    assert (done.code, done.out) == (2, "")


def test_at_a_terminal_both_halves_have_a_heading(full: Shell) -> None:
    text = full.terminal("brain", "explain", "barn", "--as", "bot", columns=60).text
    assert "What the key gets" in text
    assert "What is withheld" in text
    assert "superseded: another fact has replaced it" in text.replace("\n", " ").replace("  ", " ")


def test_what_is_called_withheld_is_what_the_store_does_not_show(house: House) -> None:
    house.owner.add_person("cust_1", "Maria")
    kinds = (CUSTOMER_FACING_KINDS[0], "project")
    everyone: tuple[About, ...] = ("general", "person", "team", "worker")
    for kind, origin, outside, about in itertools.product(kinds, ORIGINS, (False, True), everyone):
        house.add("lantern", about, kind=kind, origin=origin, outside=outside)
        house.add("lantern", "person", kind=kind, origin=origin, outside=outside, subject="Maria")
    for audience, person in itertools.product(("internal", "external"), (None, "cust_1", "cust_2")):
        viewer = Viewer(1, audience, person)
        with house.owner.store.view(viewer) as view:
            visible = {fact.fact_id for fact in view.general_found([Sought("newest", ["lantern"], 1000)])}
            visible |= {fact.fact_id for fact in view.personal()}
        withheld = {
            each.fact.fact_id for each in explain(house.owner.store, viewer, "lantern", 1000).withheld
        }
        everything = {fact.fact_id for fact in house.owner.facts(Choice(), 1000)}
        assert visible & withheld == set()
        assert visible | withheld == everything
        assert all(
            (withheld_by(fact, audience, person) is None) == (fact.fact_id in visible)
            for fact in house.owner.facts(Choice(), 1000)
        )

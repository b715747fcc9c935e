"""Who may see what: one table for both audiences, and that what is hidden leaves no trace in what is shown."""

import json
from typing import Any, Final, NamedTuple

import pytest

from brainctl.contract import bounds
from brainctl.contract.brain import Brain
from tests.doors.workspace import Door, Workspace, fact

KINDS: Final = (*bounds.KINDS, "forecast")
"""With one of tomorrow's."""


class Subject(NamedTuple):
    """Somebody or something a fact is about. `word` is in all of its facts and in no other's."""

    word: str
    name: str
    person_id: str | None = None
    team: bool = False


POLICY: Final = Subject("quillwort", "refund policy")
MARIA: Final = Subject("tamarisk", "Maria Keller", "cust_419")
BY_ID: Final = Subject("verbena", "cust_419", "cust_419")
JONAS: Final = Subject("wisteria", "Jonas Berg", "cust_777")
SAM: Final = Subject("yarrow", "Sam Okafor", team=True)
ANA: Final = Subject("zinnia", "Ana Sousa", "cust_team", team=True)
WORKER: Final = Subject("larkspur", "worker", team=True)
SUBJECTS: Final = (POLICY, MARIA, BY_ID, JONAS, SAM, ANA, WORKER)
END_USERS: Final = (None, "cust_419", "cust_777", "cust_team", "cust_unknown")


def fill(workspace: Workspace) -> None:
    workspace.person("cust_419", "Maria Keller")
    workspace.person("cust_777", "Jonas Berg")
    workspace.person("cust_team", "Ana Sousa")
    workspace.member("Sam Okafor")
    workspace.member("Ana Sousa")
    workspace.load(
        *(
            fact(f"{subject.word} {kind} {origin}", kind=kind, origin=origin, subject=subject.name)
            for subject in SUBJECTS
            for kind in KINDS
            for origin in bounds.ORIGINS
        )
    )


def may_see(audience: str, end_user: str | None, subject: Subject, kind: str, origin: str) -> bool:
    """The rule, said in the order in which it decides."""
    theirs = subject.person_id is None or subject.person_id == end_user
    if audience == "internal":
        return subject.team or theirs
    return (
        kind in {"profile_fact", "preference", "decision", "observation"}
        and not subject.team
        and origin in {"user_stated", "ingested"}
        and theirs
    )


def asked(brain: Brain, verb: str, query: str, end_user: str | None) -> list[str]:
    body: Any = {"query": query}
    if end_user is not None:
        body["end_user"] = {"id": end_user}
    if verb == "search":
        body["limit"] = 100
        return [found["fact_text"] for found in brain.search(body)["facts"]]
    body["token_budget"] = 20000
    reply = brain.context(body)
    assert all(known["fact_text"] in reply["rendered"] for known in reply["facts"])
    return [known["fact_text"] for known in reply["facts"]]


@pytest.fixture(scope="module")
def full(module_door: Door) -> Door:
    """A brain with every kind, of every origin, about every sort of subject."""
    fill(module_door.workspace)
    return module_door


@pytest.mark.parametrize("end_user", END_USERS)
@pytest.mark.parametrize("audience", bounds.AUDIENCES)
def test_search_shows_exactly_what_the_rule_lets_through(
    full: Door, audience: str, end_user: str | None
) -> None:
    brain = full.brain(audience)
    for subject in SUBJECTS:
        expected = {
            f"{subject.word} {kind} {origin}"
            for kind in KINDS
            for origin in bounds.ORIGINS
            if may_see(audience, end_user, subject, kind, origin)
        }
        found = asked(brain, "search", subject.word, end_user)
        assert {text for text in found if text.startswith(subject.word)} == expected


@pytest.mark.parametrize("end_user", END_USERS)
@pytest.mark.parametrize("audience", bounds.AUDIENCES)
def test_no_reply_holds_a_fact_that_the_rule_keeps_back(
    full: Door, audience: str, end_user: str | None
) -> None:
    brain = full.brain(audience)
    allowed = {
        f"{subject.word} {kind} {origin}"
        for subject in SUBJECTS
        for kind in KINDS
        for origin in bounds.ORIGINS
        if may_see(audience, end_user, subject, kind, origin)
    }
    every_word = " ".join(subject.word for subject in SUBJECTS)
    for verb in ("search", "context"):
        for query in (
            *(subject.word for subject in SUBJECTS),
            every_word,
            "maria keller jonas sam ana worker",
        ):
            assert set(asked(brain, verb, query, end_user)) <= allowed


@pytest.mark.parametrize("audience", bounds.AUDIENCES)
def test_a_packet_has_the_facts_about_the_person_that_search_has(full: Door, audience: str) -> None:
    brain = full.brain(audience)
    in_search = {text for text in asked(brain, "search", "verbena", "cust_419") if text.startswith("verbena")}
    assert in_search
    assert in_search <= set(asked(brain, "context", "verbena", "cust_419"))


# Naming somebody is done by their id, byte for byte, and by nothing else.


@pytest.mark.parametrize(
    "end_user",
    [
        {"id": "x", "name": "Maria Keller"},
        {"id": "Maria Keller"},
        {"id": "CUST_419"},
        {"id": "cust_419 "},
        {"id": " cust_419"},
        {"id": "cust_419\x00"},
        {"id": "\uff43\uff55\uff53\uff54\uff3f\uff14\uff11\uff19"},
        {"id": "cust_41"},
        {"id": "cust_4190"},
        {"id": "cust\\_419"},
        {"id": "*"},
        {"id": "%"},
        {"id": "cust%"},
        {"id": "cust_4_9"},
        {"id": "' OR '1'='1"},
        {"id": "cust_419' --"},
        {"id": '["cust_419"]'},
        {"id": "person"},
        {"id": "general"},
        {"id": "None"},
        {"id": "0"},
    ],
    ids=repr,
)
@pytest.mark.parametrize("audience", bounds.AUDIENCES)
def test_only_the_very_id_opens_a_persons_facts(full: Door, audience: str, end_user: dict[str, str]) -> None:
    brain = full.brain(audience)
    body: Any = {"query": "tamarisk verbena wisteria Maria Keller cust_419", "end_user": end_user}
    about = {each["subject"] for each in [*brain.search(body)["facts"], *brain.context(body)["facts"]]}
    assert not about & {"Maria Keller", "cust_419", "Jonas Berg"}


def test_a_name_beside_the_right_id_changes_nothing(full: Door) -> None:
    brain = full.brain("external")
    plain = brain.search({"query": "tamarisk", "end_user": {"id": "cust_419"}})
    assert brain.search({"query": "tamarisk", "end_user": {"id": "cust_419", "name": "Jonas Berg"}}) == plain
    assert plain["facts"]


# What is hidden leaves no trace.


def replies(door: Door) -> str:
    """All that a customer's key may be told, as bytes."""
    brain = door.brain("external")
    told: list[Any] = []
    for end_user in (None, {"id": "cust_419"}, {"id": "cust_777"}):
        for query in ("deposit", "wedding deposit days", "barn guests deposit", "Maria", "margin"):
            body: Any = {"query": query}
            if end_user is not None:
                body["end_user"] = end_user
            fewer: Any = {**body, "limit": 2}
            smaller: Any = {**body, "token_budget": 150}
            told += [brain.search(body), brain.search(fewer), brain.context(body), brain.context(smaller)]
    return json.dumps(told, ensure_ascii=False)


VISIBLE: Final = (
    fact("Deposits are non-refundable inside 30 days of the event date.", subject="refund policy"),
    fact("Weddings cancelled more than 90 days out get the full deposit back.", subject="refund policy"),
    fact("The barn seats 140 guests.", subject="venue"),
    fact("A wedding needs a deposit of 20 percent.", subject="deposits"),
    fact("Maria paid her deposit in May.", kind="profile_fact", origin="ingested", subject="Maria"),
)
HIDDEN: Final = (
    *(fact(f"Deposit incident {n}", kind="incident", subject=f"incident {n}") for n in range(20)),
    *(fact(f"Wedding wedding {n}", origin="agent_inferred", subject=f"guess {n}") for n in range(20)),
    *(fact("Days and days and days.", origin="system", subject="machinery") for _ in range(5)),
    fact("The barn roof leaks on guests.", kind="observation", subject="Sam Okafor"),
    fact("Jonas wants his deposit back.", kind="profile_fact", subject="Petra Unbound"),
    fact("Our margin is 41 percent.", kind="project", subject="margin", pinned=True),
    fact("Deposits pinned for the team.", kind="routine", subject="team", pinned=True),
    fact("Maria is difficult.", kind="relationship", subject="Maria"),
    fact("Maria will cancel.", origin="agent_inferred", subject="Maria"),
)


def test_hidden_facts_change_no_byte_of_what_a_customer_is_told(door: Door) -> None:
    workspace = door.workspace
    workspace.person("cust_419", "Maria")
    workspace.person("cust_777", "Jonas Berg")
    workspace.member("Sam Okafor")
    workspace.load(*VISIBLE)
    before = replies(door)
    workspace.load(*HIDDEN)
    assert replies(door) == before


# Orders that turn round if a ranking counts hidden facts: how many hold a word, how many there are, how long they are.
SEESAWS: Final = {
    "in how many facts a word stands": (
        "saffron cobalt",
        [fact("Crates are saffron.", subject="stock")] * 2 + [fact("Crates are cobalt.", subject="stock")],
        [fact(f"Cobalt guess {n}", origin="agent_inferred", subject="stock") for n in range(40)],
    ),
    "how many facts there are": (
        "saffron indigo cobalt",
        [
            *(fact(f"Saffron indigo lot {n}", subject="stock") for n in range(5)),
            fact("Cobalt crate lot 7", subject="stock"),
            *(fact(f"Unrelated thing number {n}", subject="stock") for n in range(6)),
        ],
        [fact(f"Unrelated guess {n}", origin="agent_inferred", subject="stock") for n in range(400)],
    ),
    "how long the facts are": (
        "saffron",
        [
            fact("Saffron is here.", subject="stock"),
            fact(f"Saffron and saffron, {' '.join(f'word{n}' for n in range(30))}", subject="stock"),
            *(fact(f"Unrelated {n}", subject="stock") for n in range(6)),
        ],
        [
            fact(" ".join(f"long{n}" for n in range(500)), origin="agent_inferred", subject="stock")
            for _ in range(20)
        ],
    ),
}


@pytest.mark.parametrize(("query", "visible", "hidden"), SEESAWS.values(), ids=SEESAWS)
def test_hidden_facts_do_not_weigh_in_the_order(
    door: Door, query: str, visible: list[dict[str, Any]], hidden: list[dict[str, Any]]
) -> None:
    door.workspace.load(*visible)
    brain = door.brain("external")
    body: Any = {"query": query}
    before = json.dumps([brain.search(body), brain.context(body)])
    door.workspace.load(*hidden)
    assert json.dumps([brain.search(body), brain.context(body)]) == before


@pytest.mark.parametrize(("query", "visible", "hidden"), SEESAWS.values(), ids=SEESAWS)
def test_the_same_facts_would_weigh_if_they_were_seen(
    door: Door, query: str, visible: list[dict[str, Any]], hidden: list[dict[str, Any]]
) -> None:
    """Or the test above shows nothing: then find what tips the scales of the ranking as it is by now."""
    door.workspace.load(*visible)
    brain = door.brain("external")
    ours = {known["text"] for known in visible}
    body: Any = {"query": query, "limit": 100}
    before = [found["fact_text"] for found in brain.search(body)["facts"]]
    door.workspace.load(*({**known, "origin": "ingested"} for known in hidden))
    after = [found["fact_text"] for found in brain.search(body)["facts"] if found["fact_text"] in ours]
    assert sorted(after) == sorted(before)
    assert after != before


def test_facts_about_another_customer_change_no_byte_either(door: Door) -> None:
    workspace = door.workspace
    workspace.person("cust_419", "Maria")
    workspace.load(*VISIBLE)
    brain = door.brain("external")
    body: Any = {"query": "wedding deposit days", "end_user": {"id": "cust_419"}}
    before = json.dumps([brain.search(body), brain.context(body)])
    workspace.person("cust_888", "Lena Fuchs")
    workspace.load(
        *(fact(f"Lena's wedding deposit {n}", kind="profile_fact", subject="Lena Fuchs") for n in range(30))
    )
    assert json.dumps([brain.search(body), brain.context(body)]) == before


def test_what_a_customer_is_told_of_facts_they_may_see_is_the_packet_rendered_anew(door: Door) -> None:
    door.workspace.load(*VISIBLE, *HIDDEN)
    reply = door.brain("external").context({"query": "deposit margin"})
    rendered = [line for line in reply["rendered"].split("\n") if line.startswith("- ")]
    assert len(rendered) == len(reply["facts"])
    assert not any(hidden["text"] in reply["rendered"] for hidden in HIDDEN)


# People and colleagues come and go.


def told_of(door: Door, audience: str, end_user: str | None = None) -> list[str]:
    return asked(door.brain(audience), "search", "vegan menu", end_user)


def test_a_person_without_an_id_is_nobody_a_customer_may_hear_of(door: Door) -> None:
    text = "Petra Novak prefers a vegan menu."
    door.workspace.load(fact(text, kind="preference", subject="Petra Novak"))
    assert told_of(door, "external") == []
    assert told_of(door, "external", "Petra Novak") == []
    assert told_of(door, "internal") == [text]
    door.workspace.person("cust_5", "Petra Novak")
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == [text]
    assert told_of(door, "internal") == []
    assert told_of(door, "internal", "cust_5") == [text]


def test_who_becomes_a_colleague_is_hidden_from_customers_at_once(door: Door) -> None:
    text = "Petra Novak prefers a vegan menu."
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.load(fact(text, kind="preference", subject="Petra Novak"))
    assert told_of(door, "external", "cust_5") == [text]
    door.workspace.member("Petra Novak")
    assert told_of(door, "external", "cust_5") == []
    assert told_of(door, "internal") == [text]


def test_who_leaves_is_nobody_a_customer_may_hear_of(door: Door) -> None:
    text = "Petra Novak prefers a vegan menu."
    door.workspace.load(fact(text, kind="preference", subject="Petra Novak"))
    door.workspace.member("Petra Novak")
    door.workspace.no_member("Petra Novak")
    assert told_of(door, "external") == []
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.no_person("cust_5")
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == []
    assert told_of(door, "internal") == [text]


def test_a_person_with_a_new_name_takes_no_others_facts_along(door: Door) -> None:
    text = "Petra Novak prefers a vegan menu."
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.load(fact(text, kind="preference", subject="Petra Novak"))
    door.workspace.person("cust_5", "Jonas Berg")
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == []


def test_a_name_that_two_people_bear_opens_neither(door: Door) -> None:
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.person("cust_6", "petra  novak")
    door.workspace.load(fact("Petra prefers a vegan menu.", kind="preference", subject="Petra Novak"))
    assert told_of(door, "external", "cust_5") == []
    assert told_of(door, "external", "cust_6") == []


def test_a_taught_fact_about_a_customer_is_theirs_alone(door: Door) -> None:
    text = "Petra Novak prefers a vegan menu."
    door.workspace.person("cust_5", "Petra Novak")
    door.brain().teach({"facts": [{"text": text}]})
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_6") == []
    assert told_of(door, "external", "cust_5") == [text]


def test_a_taught_fact_about_a_colleague_stays_in(door: Door) -> None:
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.member("Petra Novak")
    door.brain().teach({"facts": [{"text": "Petra Novak prefers a vegan menu."}]})
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == []


def test_what_one_customer_is_overheard_to_say_of_another_reaches_nobody_else(door: Door) -> None:
    door.brain("external").teach({"facts": [{"text": "Petra Novak prefers a vegan menu."}]})
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == []


@pytest.mark.parametrize(
    "text",
    [
        "Petra Novak prefers a vegan menu.",
        "petra prefers a vegan menu",
        "PETRA NOVAK WANTS A VEGAN MENU.",
        "Mrs Novak's daughter wants a vegan menu.",
        "She asked for a vegan menu and has not paid.",
        "The bride is allergic to nuts and wants a vegan menu.",
        "Vegan menu: Petra Novak, table 4, phone 0151 555 0199.",
        "Our guest Petra wants a vegan menu.",
        "I want a vegan menu.",
        "Novák chce veganské menu (vegan menu).",
        "佐藤さん wants a vegan menu.",
        "cust_419 wants a vegan menu.",
        "petra@example.com wants a vegan menu.",
    ],
)
def test_a_taught_fact_that_may_be_about_somebody_is_not_the_workspaces(door: Door, text: str) -> None:
    door.brain().teach({"facts": [{"text": text}]})
    assert told_of(door, "internal") == [text]
    assert told_of(door, "external") == []


def test_a_policy_that_names_a_customer_is_that_customers(door: Door) -> None:
    text = "The vegan menu is free of charge for Petra Novak."
    door.workspace.person("cust_5", "Petra Novak")
    door.brain().teach({"facts": [{"text": text}]})
    assert told_of(door, "external") == []
    assert told_of(door, "external", "cust_5") == [text]


def test_a_fact_that_names_two_customers_is_told_to_neither(door: Door) -> None:
    door.workspace.person("cust_5", "Petra Novak")
    door.workspace.person("cust_6", "Jonas Berg")
    door.brain().teach({"facts": [{"text": "The vegan menu is for Petra Novak and not for Jonas Berg."}]})
    for end_user in (None, "cust_5", "cust_6"):
        assert told_of(door, "external", end_user) == []


def test_a_policy_that_names_a_colleague_stays_in(door: Door) -> None:
    door.workspace.member("Sam Okafor")
    door.brain().teach({"facts": [{"text": "The vegan menu is what Sam Okafor cooks worst."}]})
    assert told_of(door, "external") == []


@pytest.mark.parametrize(
    "text",
    [
        "The vegan menu costs 45 euros a head.",
        "Our kitchen can serve a vegan menu on three days' notice.",
        "Vegan menus must be ordered 14 days before the event.",
    ],
)
def test_a_taught_policy_is_everybodys(door: Door, text: str) -> None:
    door.brain().teach({"facts": [{"text": text}]})
    assert told_of(door, "external") == [text]

"""`facts why`, `history` and `restore`: what was decided of a taught text, and taking it back."""

import sqlite3
from contextlib import closing

import pytest

from brainctl.engine.store.decisions import digest_of
from tests.cli.hosted import inside
from tests.cli.shell import Shell
from tests.engine.house import House
from tests.explaining.reading import current, past, said, teach
from tests.owning.records import STORE, assert_consistent

pytestmark = pytest.mark.both_stores

TWO, THREE = "Check-in opens at 14:00.", "Check-in now opens at 15:00."


def test_there_and_back_again_ends_with_the_first_word(own: Shell) -> None:
    assert [teach(own, text) for text in (TWO, THREE, TWO)] == [(1, 0, 0), (0, 1, 0), (0, 1, 0)]
    assert list(current(own)) == [TWO]
    assert inside(own, "search", "check-in").out.count("\n") == 1
    chain = said(own, "brain", "facts", "history", "check-in")["facts"]
    assert [each["fact_text"] for each in chain] == [TWO, THREE, TWO]
    assert [each["superseded_by"] for each in chain] == [chain[1]["fact_id"], chain[2]["fact_id"], None]


def test_why_names_each_step_and_what_was_replaced_and_skipped(own: Shell) -> None:
    for text in (TWO, THREE, "check-in now opens at 15:00", THREE):
        teach(own, text)
    row = said(own, "brain", "facts", "why", current(own)[THREE])
    assert row["normal_form"] == "check-in now opens at 15:00"
    assert "opens at" in row["kind_rule"]
    assert "nobody is named" in row["subject_rule"]
    assert [
        (each["action"], each["against"], each["reason"], each["told_by"]) for each in row["decisions"]
    ] == [
        ("supersede", past(own)[TWO], "gives another value", "owner"),
        ("skip", None, "the same words", "owner"),
        ("skip", None, "the same words", "owner"),
    ]
    old = said(own, "brain", "facts", "why", past(own)[TWO])
    assert [each["fact_id"] for each in old["decisions"]] == [past(own)[TWO], current(own)[THREE]]
    plain = inside(own, "brain", "facts", "why", past(own)[TWO]).out
    assert f"replaced by {current(own)[THREE]}: it gives another value, told by owner" in plain


def test_a_text_told_again_and_again_is_one_decision(own: Shell) -> None:
    for _ in range(4):
        teach(own, TWO)
    row = said(own, "brain", "facts", "why", current(own)[TWO])
    assert [each["action"] for each in row["decisions"]] == ["create", "skip"]


def test_of_a_fact_that_was_loaded_nothing_was_decided(house: House) -> None:
    fact_id = house.add("The barn seats eighty.")
    assert house.owner.why(fact_id).decisions == []


def test_why_says_where_there_is_no_such_fact(own: Shell) -> None:
    for command in ("why", "restore"):
        done = inside(own, "brain", "facts", command, "fact_x")
        assert (done.code, done.out) == (5, "")
        assert "no fact fact_x" in done.err
    empty = inside(own, "brain", "facts", "history", "nothing of it")
    assert (empty.code, empty.out) == (0, "")
    assert "no fact of that subject" in empty.err


def test_a_restored_fact_is_current_and_what_replaced_it_is_not(own: Shell) -> None:
    teach(own, TWO)
    teach(own, THREE)
    old, new = past(own)[TWO], current(own)[THREE]
    assert said(own, "brain", "facts", "restore", old) == {"restored": old, "superseded": new}
    assert (current(own), past(own)) == ({TWO: old}, {THREE: new})
    assert "14:00" in inside(own, "search", "check-in").out
    assert "15:00" not in inside(own, "search", "check-in").out
    row = said(own, "brain", "facts", "why", old)
    assert row["decisions"][-1]["action"] == "restore"
    assert row["decisions"][-1]["against"] == new
    assert_consistent(own.home / STORE)
    assert said(own, "brain", "facts", "restore", new) == {"restored": new, "superseded": old}
    assert (current(own), past(own)) == ({THREE: new}, {TWO: old})


def test_restoring_the_first_of_a_chain_supersedes_the_last(own: Shell) -> None:
    texts = [f"Check-in opens at 1{hour}:00." for hour in range(4)]
    for text in texts:
        teach(own, text)
    ids = {**past(own), **current(own)}
    assert said(own, "brain", "facts", "restore", ids[texts[0]])["superseded"] == ids[texts[3]]
    chain = {
        each["fact_id"]: each["superseded_by"]
        for each in said(own, "brain", "facts", "history", "check-in")["facts"]
    }
    assert chain == {
        ids[texts[0]]: None,
        ids[texts[1]]: ids[texts[2]],
        ids[texts[2]]: ids[texts[3]],
        ids[texts[3]]: ids[texts[0]],
    }
    assert_consistent(own.home / STORE)


def test_a_current_fact_is_not_restored(own: Shell) -> None:
    teach(own, TWO)
    done = inside(own, "brain", "facts", "restore", current(own)[TWO])
    assert (done.code, done.out) == (2, "")
    assert "is current" in done.err


def test_a_restored_fact_stands_where_who_is_known_now_puts_it(own: Shell) -> None:
    teach(own, "Maria's wedding is on September 7.")
    teach(own, "Maria's wedding moved to September 14.")
    old = past(own)["Maria's wedding is on September 7."]
    assert inside(own, "brain", "people", "add", "cust_419", "--name", "Maria").code == 0
    said(own, "brain", "facts", "restore", old)
    assert said(own, "brain", "facts", "show", old)["person_id"] == "cust_419"
    assert_consistent(own.home / STORE)


def test_what_was_decided_of_a_forgotten_fact_is_forgotten(own: Shell) -> None:
    for text in (TWO, THREE, "check-in now opens at 15:00", "The barn is heated."):
        teach(own, text)
    done = inside(own, "brain", "facts", "forget", current(own)[THREE], "--yes")
    assert done.code == 0
    with closing(sqlite3.connect(own.home / STORE)) as connection:
        left = connection.execute("SELECT told, fact_id FROM decisions").fetchall()
    assert left == [(digest_of("The barn is heated."), current(own)["The barn is heated."])]


def test_a_fact_whose_forerunner_was_forgotten_keeps_its_own_story(own: Shell) -> None:
    teach(own, TWO)
    teach(own, THREE)
    assert inside(own, "brain", "facts", "forget", past(own)[TWO], "--yes").code == 0
    [decision] = said(own, "brain", "facts", "why", current(own)[THREE])["decisions"]
    assert (decision["action"], decision["against"]) == ("supersede", None)


def test_an_update_that_calls_its_subject_otherwise_finds_what_it_updates(own: Shell) -> None:
    teach(own, "The Q3 report is due on August 15.")
    assert teach(own, "The Q3 report deadline was pushed back to September 1.") == (0, 1, 0)
    chain = said(own, "brain", "facts", "history", "q3 report")["facts"]
    assert len(chain) == 2


def test_a_repeat_whose_subject_is_read_otherwise_is_skipped(own: Shell) -> None:
    teach(own, "We ship to Norway and Switzerland.")
    assert teach(own, "We ship to Switzerland and Norway.") == (0, 0, 1)


def test_an_internal_key_that_repeats_an_external_one_says_whose_word_it_is(house: House) -> None:
    house.external().teach({"facts": [{"text": TWO}]})
    house.internal().teach({"facts": [{"text": TWO}]})
    [fact] = house.internal().search({"query": "check-in"})["facts"]
    [decision] = house.owner.why(fact["fact_id"]).decisions
    assert decision.action == "supersede"
    assert "workspace's own word" in decision.reason


@pytest.mark.parametrize("columns", [60, 120])
def test_history_and_why_at_a_terminal_show_ids_and_texts(own: Shell, columns: int) -> None:
    teach(own, TWO)
    teach(own, THREE)
    old = past(own)[TWO]
    for arguments in (("history", "check-in"), ("why", old)):
        screen = own.terminal("brain", "facts", *arguments, columns=columns)
        assert screen.code == 0
        assert TWO in screen.text
        assert current(own)[THREE] in screen.text

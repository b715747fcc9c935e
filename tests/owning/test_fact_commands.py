"""`brain facts`: what the owner sees of the facts, and how they are forgotten from the shell."""

import json
from pathlib import Path
from typing import Any

import pytest

from brainctl.engine.owner import open_owner
from tests.cli.hosted import inside
from tests.cli.shell import Shell
from tests.owning.records import HOSTILE, STORE, dumped, fact, loaded

PAST = fact(1, "We close at eight.", superseded_by=f"fact_{2:026}", recorded_time="2026-07-01T00:00:00.000Z")
CURRENT = fact(2, "We close at nine.", recorded_time="2026-07-02T00:00:00.000Z")
MARIA = fact(3, "Maria likes\tlanterns.", subject="Maria", kind="preference", pinned=True)
INNER = fact(4, "The safe is behind the clock.", subject="safe", kind="project", origin="system")
PERSON = {"type": "person", "id": "cust_419", "name": "Maria"}


def ids(*numbers: int) -> list[str]:
    return [f"fact_{number:026}" for number in numbers]


@pytest.fixture
def full(own: Shell) -> Shell:
    with open_owner(str(own.home / STORE)) as owner:
        loaded(owner, [PERSON, PAST, CURRENT, MARIA, INNER])
    return own


def listed(shell: Shell, *arguments: str) -> list[str]:
    done = inside(shell, "brain", "facts", "list", "--json", *arguments)
    assert done.code == 0, done.err
    return [each["fact_id"] for each in json.loads(done.out)["facts"]]


def shown(shell: Shell, fact_id: str) -> dict[str, Any]:
    done = inside(shell, "brain", "facts", "show", fact_id, "--json")
    assert done.code == 0, done.err
    row: dict[str, Any] = json.loads(done.out)
    return row


def test_facts_are_listed_newest_first_and_chosen_by_what_they_are(full: Shell) -> None:
    assert listed(full) == ids(4, 3, 2)
    assert listed(full, "-n", "1") == ids(4)
    assert listed(full, "--subject", "OPENING  hours") == ids(2)
    assert listed(full, "--kind", "project") == listed(full, "--origin", "system") == ids(4)
    assert listed(full, "--about", "cust_419") == ids(3)
    assert listed(full, "--about", "cust_419", "--kind", "project") == []
    assert listed(full, "--past") == ids(1)


def test_a_pipe_gets_the_columns_of_search(full: Shell) -> None:
    done = inside(full, "brain", "facts", "list", "--about", "cust_419")
    assert done.out == (
        f"fact_{3:026}\tpreference\tuser_stated\tMaria\t0.9\t2026-07-14T09:12:44.318Z\tMaria likes\\tlanterns.\n"
    )
    assert len(inside(full, "brain", "facts", "list", "-o", "jsonl").out.splitlines()) == 3


def test_a_list_that_is_cut_or_empty_says_so(full: Shell) -> None:
    assert "-n lists more" in inside(full, "brain", "facts", "list", "-n", "2").err
    assert "no such fact" in inside(full, "brain", "facts", "list", "--kind", "decision_of_tomorrow").err
    assert (
        "Nobody is bound to the id cust_7" in inside(full, "brain", "facts", "list", "--about", "cust_7").err
    )
    assert inside(full, "brain", "facts", "list", "-q", "--about", "cust_7") == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("list", "--origin", "hearsay"),
        ("list", "--past", "--about", "cust_419"),
        ("list", "-n", "0"),
        ("forget",),
    ],
)
def test_what_makes_no_sense_is_a_usage_error(full: Shell, arguments: tuple[str, ...]) -> None:
    done = inside(full, "brain", "facts", *arguments)
    assert (done.code, done.out) == (2, "")


def test_a_fact_is_shown_with_all_that_is_stored_of_it(full: Shell) -> None:
    inside(full, "teach", "Deposits come back within a month.")
    [taught] = listed(full, "-n", "1")
    row = shown(full, taught)
    assert row["fact_text"] == "Deposits come back within a month."
    assert (row["taught_by"]["key_name"], row["taught_by"]["key_audience"]) == ("owner", "internal")
    assert (row["seen_by"], row["about"]) == ("any_key", "general")
    assert "deposit" in row["found_by"]
    assert shown(full, f"fact_{1:026}")["superseded_by"] == f"fact_{2:026}"
    assert shown(full, f"fact_{1:026}")["seen_by"] == "nobody"
    assert shown(full, f"fact_{2:026}")["replaced"] == ids(1)
    maria = shown(full, f"fact_{3:026}")
    assert (maria["person_id"], maria["seen_by"], maria["taught_by"], maria["pinned"]) == (
        "cust_419",
        "any_key_naming_the_person",
        None,
        True,
    )
    assert shown(full, f"fact_{4:026}")["seen_by"] == "internal_key"
    plain = inside(full, "brain", "facts", "show", f"fact_{3:026}").out
    assert "\ntext\tMaria likes\\tlanterns.\n" in plain
    assert "\ntaught by\tthe owner\n" in plain


def test_a_fact_that_is_not_there_is_not_found(full: Shell) -> None:
    for arguments in (("show", "fact_x"), ("forget", "fact_x", "--yes")):
        done = inside(full, "brain", "facts", *arguments, "--json")
        assert (done.code, json.loads(done.err)["error"]["code"]) == (5, "not_found")
    done = inside(full, "brain", "facts", "forget", *ids(4), "fact_x", "fact_y", "--yes")
    assert done.code == 5
    assert "fact_x: is not in this brain" in done.err
    assert listed(full) == ids(4, 3, 2)


def test_forgetting_says_what_went(full: Shell) -> None:
    done = inside(full, "brain", "facts", "forget", *ids(2, 4), "--yes", "--json")
    assert json.loads(done.out) == {"forgotten": ids(2, 4), "earlier": ids(1), "answers_citing": 0}
    assert "1 older fact that they had replaced" in done.err
    assert listed(full) == ids(3)
    assert listed(full, "--past") == []
    assert inside(full, "search", "close").out == ""


def test_where_nobody_can_be_asked_nothing_is_forgotten(full: Shell) -> None:
    done = inside(full, "brain", "facts", "forget", *ids(2))
    assert (done.code, done.out) == (2, "")
    assert "Forget 1 fact, and 1 older one that they replaced, for good?" in done.err
    assert listed(full) == ids(4, 3, 2)


def test_at_a_terminal_it_shows_the_facts_and_asks(full: Shell) -> None:
    no = full.terminal("brain", "facts", "forget", *ids(2), keys=[("[y/N]", "n\n")])
    assert no.code == 2
    assert "We close at nine." in no.text
    assert "We close at eight." in no.text
    assert listed(full) == ids(4, 3, 2)
    assert full.terminal("brain", "facts", "forget", *ids(2), keys=[("[y/N]", "y\n")]).code == 0
    assert listed(full) == ids(4, 3)


def test_what_search_and_list_print_can_be_piped_into_forget(full: Shell) -> None:
    done = full.sh(
        "brainctl brain facts list --kind project -o jsonl | brainctl brain facts forget --file - --yes"
    )
    assert (done.code, done.out) == (0, f"fact_{4:026}\n")
    assert listed(full) == ids(3, 2)


def test_a_file_of_ids_is_read_whole_before_anything_goes(full: Shell, tmp_path: Path) -> None:
    path = tmp_path / "ids.jsonl"
    path.write_bytes(b'\n{"fact_id": "fact_x"}\nnot an id\n{"fact_id": 7}\n[]\n\xff\n{')
    done = inside(full, "brain", "facts", "forget", "--file", str(path), "--yes", "--json")
    assert done.code == 2
    fields = json.loads(done.err)["error"]["details"]["fields"]
    assert [each["field"] for each in fields] == [f"{path}:{number}" for number in (3, 4, 5, 6, 7)]
    path.write_text("\ufeff" + "\n".join(ids(3, 3)) + "\n", "utf-8")
    assert inside(full, "brain", "facts", "forget", "--file", str(path), "--yes").out == f"fact_{3:026}\n"
    assert inside(full, "brain", "facts", "forget", "--file", str(tmp_path / "none"), "--yes").code == 2


def test_nothing_in_a_fact_acts_on_the_terminal(own: Shell) -> None:
    with open_owner(str(own.home / STORE)) as owner:
        loaded(owner, [fact(1, f"text {HOSTILE}", subject=HOSTILE), {**PERSON, "name": HOSTILE}])
    for arguments, keys in (
        (("brain", "facts", "list"), ()),
        (("brain", "facts", "show", *ids(1)), ()),
        (("brain", "export"), ()),
        (("brain", "facts", "forget", *ids(1)), [("[y/N]", "n\n")]),
    ):
        raw = own.terminal(*arguments, keys=keys).raw
        for harmful in (b"\x1b]0", b"\x1b[2J", b"\xe2\x80\xae", b"\xc2\x9b", b"\x00"):
            assert harmful not in raw, arguments
        assert b"x[/red]" in raw


@pytest.mark.parametrize("columns", [40, 120])
def test_a_list_at_a_terminal_shows_ids_that_can_be_copied(full: Shell, columns: int) -> None:
    screen = full.terminal("brain", "facts", "list", columns=columns)
    for fact_id in ids(4, 3, 2):
        assert sum(fact_id in line for line in screen.lines) == 1
    assert "pinned" in screen.text


def test_the_bytes_of_what_was_taught_are_gone_once_it_is_forgotten(own: Shell) -> None:
    assert inside(own, "teach", "Zanzibarquux is the word for the gate.").code == 0
    [fact_id] = listed(own)
    store = own.home / STORE
    assert inside(own, "search", "gate", "-q").out
    assert inside(own, "brain", "facts", "forget", fact_id, "--yes").code == 0
    left = [each for each in own.home.rglob("*") if each.is_file() and b"anzibarquux" in each.read_bytes()]
    assert left == []
    assert store.exists()


def test_what_export_gives_and_facts_by_hand_are_both_taken(own: Shell, tmp_path: Path) -> None:
    path = tmp_path / "given.jsonl"
    path.write_bytes(dumped([PERSON, PAST, CURRENT, MARIA, INNER]))
    done = inside(own, "brain", "import", str(path), "--json")
    assert json.loads(done.out)["imported"] == 4
    assert listed(own) == ids(4, 3, 2)

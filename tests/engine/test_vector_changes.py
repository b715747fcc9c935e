"""What a database notes of changes to the vectors that somebody sees."""

from collections.abc import Callable
from typing import Any

import pytest

from brainctl.engine.store.connection import Connection
from brainctl.engine.store.opening import create_store
from brainctl.engine.store.owned import Choice
from brainctl.engine.store.postgres import schema
from brainctl.engine.store.postgres.connection import connected
from brainctl.engine.store.vectors import add_vectors, read_pending, write_model
from tests.engine.house import House
from tests.spot import raw

in_a_database = pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)


def note(connection: Any) -> tuple[int, str]:
    """What is noted, and where the note stands: it moves whenever it is written."""
    changes, place = connection.execute("SELECT changes, CAST(ctid AS text) FROM meanings").fetchone()
    return int(changes), str(place)


def give_vectors(connection: Connection, workspace: int) -> None:
    made = [(each, bytes(8)) for each in read_pending(connection, workspace, 100)]
    add_vectors(connection, workspace, made)


def filled(house: House) -> None:
    for number in range(3):
        house.add(f"Maria likes seat {number}", "person", subject="Maria")
    with house.owner.store.transaction() as connection:
        write_model(connection, house.workspace, "a model")
        give_vectors(connection, house.workspace)


def one_more(house: House) -> None:
    house.add("The tower is closed in winter")
    with house.owner.store.transaction() as connection:
        give_vectors(connection, house.workspace)


@in_a_database
@pytest.mark.parametrize(
    "change",
    [
        one_more,
        lambda house: house.owner.forget([house.owner.facts(Choice(), 1)[0].fact_id]),
        lambda house: house.owner.add_person("cust_1", "Maria"),
    ],
)
def test_each_change_is_noted(house: House, change: Callable[[House], None]) -> None:
    filled(house)
    with raw(house.path) as connection:
        before = note(connection)
        change(house)
        assert note(connection)[0] != before[0]


@in_a_database
def test_what_changes_no_vector_is_not_noted(house: House) -> None:
    filled(house)
    with raw(house.path) as connection:
        before = note(connection)
        house.add("The tower is closed in winter")
        house.owner.add_member("Tomas")
        assert note(connection) == before


@in_a_database
def test_many_changes_of_a_transaction_are_noted_once(house: House) -> None:
    filled(house)
    with house.owner.store.transaction() as connection:
        gone = "DELETE FROM vectors WHERE workspace = ? AND row = (SELECT min(row) FROM vectors)"
        connection.execute(gone, (house.workspace,))
        once = note(connection)
        connection.execute(gone, (house.workspace,))
        connection.execute("UPDATE facts SET about = 'team' WHERE workspace = ?", (house.workspace,))
        assert note(connection) == once


def test_a_brain_of_an_older_version_notes_changes_as_well(new_database: Callable[[], str]) -> None:
    address = new_database()
    older = connected(address)
    older.begin("BEGIN")
    schema.upgrade(older, schema.STEPS[:2])
    older.commit()
    older.close()
    with raw(address) as connection:
        connection.execute("INSERT INTO workspaces (name, created) VALUES ('old', 0)")
        connection.execute("INSERT INTO meanings (workspace, model, changes) VALUES (1, 'a model', 7)")
        create_store(address, "new").close()
        connection.execute(
            "INSERT INTO facts (workspace, fact_id, text, kind, origin, subject_key, stated, judged, about, confidence, "
            "recorded_time, pinned, shelf, terms, normal, normal_digest, outside) VALUES "
            "(1, 'f', 'a', 'k', 'system', '', 0, 'general', 'general', 1, 0, 0, 'open', 'a', 'a', '', 0)"
        )
        connection.execute("INSERT INTO vectors (workspace, row, vector) VALUES (1, 1, '')")
        assert note(connection)[0] > 7

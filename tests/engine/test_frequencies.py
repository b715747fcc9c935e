"""The frequencies of terms follow the index, whatever happens to a fact."""

import sqlite3
from pathlib import Path

import pytest

from brainctl.engine.owner import open_owner
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.sqlite import schema
from brainctl.engine.store.sqlite.upgrading import STEPS, upgrade
from tests.engine.house import House

pytestmark = pytest.mark.both_stores


def counted(connection: Connection) -> dict[tuple[str, str], int]:
    rows = connection.execute("SELECT shelf, term, facts FROM frequencies")
    return {(shelf, term): facts for shelf, term, facts in rows}


def indexed(connection: Connection) -> dict[tuple[str, str], int]:
    return {
        (shelf, term): facts
        for shelf in ("open", "inner")
        for term, facts in connection.execute(f"SELECT term, doc FROM {shelf}_vocabulary")
    }


@pytest.mark.of_a_file
def test_they_are_those_of_the_index_after_every_change(house: House) -> None:
    tulip = house.add("tulip tulip and Maria")
    house.add("lantern", kind="incident")
    newer = house.add("tulip and lantern")
    house.add("lantern for Maria", "person", subject="Maria")
    house.owner.add_member("Maria")
    with house.owner.store.writing(house.workspace) as writing:
        writing.supersede(tulip, by=newer)
    house.owner.add_person("cust_419", "Maria")
    with house.owner.store.reading() as connection:
        assert counted(connection) == indexed(connection)
        assert counted(connection)["open", "tulip"] == 1


def test_a_word_that_nothing_has_any_more_leaves_the_file(house: House) -> None:
    tulip = house.add("tulip")
    newer = house.add("lantern")
    with house.owner.store.writing(house.workspace) as writing:
        writing.supersede(tulip, by=newer)
    with house.owner.store.reading() as connection:
        assert ("open", "tulip") not in counted(connection)


def test_a_brain_from_before_them_gets_them(tmp_path: Path) -> None:
    path = str(tmp_path / "brain.db")
    old = sqlite3.connect(path, isolation_level=None)
    old.execute("PRAGMA journal_mode = WAL")
    old.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    upgrade(old, STEPS[:2])
    old.execute("INSERT INTO workspaces (name, created) VALUES ('local', 0)")
    old.execute("INSERT INTO open_index (rowid, terms) VALUES (1, 'tulip tulip lantern'), (2, 'lantern')")
    old.execute("INSERT INTO inner_index (rowid, terms) VALUES (3, 'lantern')")
    old.close()
    with open_owner(path) as owner, owner.store.reading() as connection:
        assert counted(connection) == indexed(connection)
        assert counted(connection)["open", "lantern"] == 2

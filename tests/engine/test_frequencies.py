"""The frequencies of terms follow the index, whatever happens to a fact."""

import sqlite3

from tests.engine.house import House


def counted(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    rows = connection.execute("SELECT shelf, term, facts FROM frequencies")
    return {(shelf, term): facts for shelf, term, facts in rows}


def indexed(connection: sqlite3.Connection) -> dict[tuple[str, str], int]:
    return {
        (shelf, term): facts
        for shelf in ("open", "inner")
        for term, facts in connection.execute(f"SELECT term, doc FROM {shelf}_vocabulary")
    }


def test_they_are_those_of_the_index_after_every_change(house: House) -> None:
    tulip = house.add("tulip tulip and Maria")
    house.add("lantern", kind="incident")
    newer = house.add("tulip and lantern")
    house.add("lantern for Maria", "person", subject="Maria")
    house.owner.add_member("Maria")
    with house.owner.store.writing(1) as writing:
        writing.supersede(tulip, by=newer)
    house.owner.add_person("cust_419", "Maria")
    with house.owner.store.reading() as connection:
        assert counted(connection) == indexed(connection)
        assert counted(connection)["open", "tulip"] == 1


def test_a_word_that_nothing_has_any_more_leaves_the_file(house: House) -> None:
    tulip = house.add("tulip")
    newer = house.add("lantern")
    with house.owner.store.writing(1) as writing:
        writing.supersede(tulip, by=newer)
    with house.owner.store.reading() as connection:
        assert ("open", "tulip") not in counted(connection)


def test_a_brain_from_before_them_gets_them(house: House) -> None:
    house.add("tulip and lantern")
    house.add("lantern", kind="incident")
    with house.owner.store.transaction() as connection:
        connection.execute("DROP TABLE frequencies")
        connection.execute("DROP INDEX facts_on_shelf_by_subject")
        connection.execute("DROP INDEX facts_told_together")
        connection.execute("PRAGMA user_version = 2")
    reply = house.internal().search({"query": "lantern"})
    assert len(reply["facts"]) == 2
    with house.owner.store.reading() as connection:
        assert counted(connection) == indexed(connection)

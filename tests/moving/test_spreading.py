"""What it takes to spread the tables of a database by workspace, and what stands in the way of nothing else."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

import psycopg
import pytest

from brainctl.engine.store.connection import Cursor
from brainctl.engine.store.owned import Choice
from brainctl.engine.store.postgres.connection import PostgresConnection
from tests.engine.house import House
from tests.moving.filled import fill

ON_EVERY_MACHINE: Final = {"workspaces", "keys"}
"""What is looked up before the workspace is known: these tables are on every machine, whole."""

pytestmark = pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every statement that a database is told from now on."""
    statements: list[str] = []
    execute, executemany, each = (
        PostgresConnection.execute,
        PostgresConnection.executemany,
        PostgresConnection.each,
    )

    def heard_execute(self: PostgresConnection, sql: str, parameters: Sequence[Any] = ()) -> Cursor:
        statements.append(sql)
        return execute(self, sql, parameters)

    def heard_many(self: PostgresConnection, sql: str, parameters: Iterable[Sequence[Any]]) -> None:
        statements.append(sql)
        executemany(self, sql, parameters)

    def heard_each(self: PostgresConnection, sql: str, parameters: Sequence[Any]) -> Iterator[Any]:
        statements.append(sql)
        return each(self, sql, parameters)

    monkeypatch.setattr(PostgresConnection, "execute", heard_execute)
    monkeypatch.setattr(PostgresConnection, "executemany", heard_many)
    monkeypatch.setattr(PostgresConnection, "each", heard_each)
    return statements


def tables_of(address: str) -> set[str]:
    with psycopg.connect(address) as connection:
        return {
            name
            for (name,) in connection.execute(
                "SELECT table_name FROM information_schema.columns "
                "WHERE table_schema = 'brainctl' AND column_name = 'workspace'"
            )
        }


def live(house: House) -> None:
    """Do a bit of everything."""
    brain = house.brain(fill(house))
    brain.search({"query": "which hall seats guests", "end_user": {"id": "cust_1"}})
    brain.context({"query": "the bell that rings"})
    owner = house.owner
    owner.figures()
    owner.audit()
    owner.add_person("cust_3", "Iris")
    owner.remove_person("cust_3")
    owner.remove_member("Tomas")
    newest = owner.facts(Choice(), 1)[0]
    owner.why(newest.fact_id)
    owner.history(newest.subject or "")
    owner.what_would_go([newest.fact_id])
    list(owner.export(answers=True))
    owner.find_by_words()
    owner.remove_worker("night")
    owner.set_credits(None)


def test_every_statement_about_a_workspace_names_it(house: House, said: list[str]) -> None:
    live(house)
    tables = tables_of(house.path) - ON_EVERY_MACHINE
    about = [sql for sql in said if tables.intersection(re.findall(r"\w+", sql))]
    unnamed = [sql for sql in about if "workspace" not in re.findall(r"\w+", sql)]
    assert len(about) > 100
    # Written anew as a whole, for what is to leave no trace.
    assert {sql for sql in unnamed if not sql.startswith("VACUUM")} == set()


def test_every_key_and_every_tie_between_tables_begins_with_the_workspace(house: House) -> None:
    tables = tables_of(house.path)
    assert tables > ON_EVERY_MACHINE
    with psycopg.connect(house.path) as connection:
        unique = connection.execute(
            "SELECT c.relname, i.relname, array_agg(a.attname::text ORDER BY k.place) FROM pg_index AS x "
            "JOIN pg_class AS c ON c.oid = x.indrelid JOIN pg_class AS i ON i.oid = x.indexrelid "
            "CROSS JOIN unnest(x.indkey) WITH ORDINALITY AS k (number, place) "
            "JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = k.number "
            "WHERE x.indisunique AND c.relnamespace = 'brainctl'::regnamespace GROUP BY 1, 2"
        ).fetchall()
        ties = connection.execute(
            "SELECT c.conrelid::regclass::text, c.confrelid::regclass::text, c.conname, "
            "(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = c.conrelid AND a.attnum = c.conkey[1]), "
            "(SELECT a.attname FROM pg_attribute AS a WHERE a.attrelid = c.confrelid AND a.attnum = c.confkey[1]) "
            "FROM pg_constraint AS c WHERE c.contype = 'f' AND c.connamespace = 'brainctl'::regnamespace"
        ).fetchall()
    spread = tables - ON_EVERY_MACHINE
    assert [
        (table, name) for table, name, columns in unique if table in spread and columns[0] != "workspace"
    ] == []
    assert {columns[0] for table, _, columns in unique if table in ON_EVERY_MACHINE} == {
        "workspace",
        "digest",
        "name",
    }
    assert len(ties) > 10
    assert [tie for tie in ties if tie[3:] != ("workspace", "workspace")] == []
    # What is on every machine is tied to nothing that is not.
    of_whole = {other for table, other, *_ in ties if table.rpartition(".")[2] in ON_EVERY_MACHINE}
    assert {other.rpartition(".")[2] for other in of_whole} <= ON_EVERY_MACHINE

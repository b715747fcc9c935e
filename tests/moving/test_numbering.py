"""The numbers that a database gives what comes after what was moved there, beside others who take them."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Event
from typing import Final

from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.store.tables import NUMBERED
from tests.spot import raw

TAKERS: Final = 2
TIMES: Final = 500


def number_on(owner: Owner, *tables: str) -> None:
    with owner.store.transaction() as connection:
        for table, column in NUMBERED:
            if not tables or table in tables:
                connection.dialect.number_on(connection, owner.workspace, table, column)


def test_numbers_go_on_behind_what_brought_its_own(new_database: Callable[[], str]) -> None:
    with create_brain(address := new_database()) as owner, raw(address) as other:
        other.execute(
            "INSERT INTO decisions (workspace, place, fact_id, told, action, reason, kind_rule, subject_rule, decided) "
            "VALUES (%s, 5000, 'f', 'x', 'create', '', '', '', 0)",
            (owner.workspace,),
        )
        number_on(owner)
        taken = [
            other.execute(f"SELECT nextval('{table}_{column}_seq')").fetchone()[0]
            for table, column in NUMBERED
        ]
    assert taken == [2, 5001, 2]


def test_who_writes_in_another_workspace_is_not_waited_for(new_database: Callable[[], str]) -> None:
    with create_brain(address := new_database()) as owner, raw(address) as other:
        other.execute("BEGIN")
        for table, _ in NUMBERED:
            other.execute(f"LOCK TABLE {table} IN ROW EXCLUSIVE MODE")
        with owner.store.transaction() as connection:
            connection.execute("SET LOCAL lock_timeout = '1s'")
            for table, column in NUMBERED:
                connection.dialect.number_on(connection, owner.workspace, table, column)
        other.execute("COMMIT")


def test_no_number_is_given_twice_while_others_take_them(new_database: Callable[[], str]) -> None:
    address, over = new_database(), Event()

    def taken() -> list[int]:
        numbers: list[int] = []
        with raw(address) as connection:
            while not over.is_set():
                rows = connection.execute("SELECT nextval('facts_row_seq') FROM generate_series(1, 50)")
                numbers += [number for (number,) in rows]
        return numbers

    with create_brain(address) as owner, ThreadPoolExecutor(TAKERS) as pool:
        taking = [pool.submit(taken) for _ in range(TAKERS)]
        for _ in range(TIMES):
            number_on(owner, "facts")
        over.set()
        numbers = [number for each in taking for number in each.result()]
    assert len(set(numbers)) == len(numbers) > TIMES

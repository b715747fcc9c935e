"""A look at a queue in which many wait behind one, in a database."""

from typing import Final

import pytest

from brainctl.engine.store.answers import is_busy, is_work_waiting, take_next
from brainctl.engine.store.connection import Connection
from tests.answers.house import House, question

MANY: Final = 200
_LOOKS: Final = "SELECT CAST(coalesce(sum(idx_scan), 0) AS bigint) FROM pg_stat_xact_user_tables WHERE relname = 'answers'"


def looks(connection: Connection) -> int:
    return int(connection.execute(_LOOKS).fetchone()[0])


@pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)
def test_a_conversation_in_which_something_runs_is_looked_at_once_however_many_wait(house: House) -> None:
    brain, now = house.brain(), int(house.clock() * 1000)
    for _ in range(MANY):
        brain.enqueue(question(conversation_id="c"))
    with house.owner.store.transaction() as connection:
        assert (
            take_next(connection, house.workspace, "a lease", now_ms=now, until_ms=now + 30_000) is not None
        )
    with house.owner.store.transaction() as connection:
        before = looks(connection)
        assert not is_work_waiting(connection, house.workspace, now_ms=now, last_ms=now + 60_000)
        assert is_busy(connection, house.workspace, "internal", "c", streams_only=False)
        assert looks(connection) - before < 10
    free = brain.enqueue(question(conversation_id="d"))["answer_id"]
    with house.owner.store.transaction() as connection:
        taken = take_next(connection, house.workspace, "another", now_ms=now, until_ms=now + 30_000)
        assert taken is not None
        assert taken.answer_id == free

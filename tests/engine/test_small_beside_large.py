"""A small workspace beside a large one in a database: what its owner looks at goes through no others' rows."""

import os
from collections.abc import Callable, Iterator
from typing import Final

import pytest

from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.store.archive import read_named_keys
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.forgetting import Going
from brainctl.engine.store.opening import create_store
from brainctl.engine.store.owned import Choice, count_all, read_newest
from brainctl.engine.store.workspaces import count_held
from tests.postgres import Server
from tests.spot import raw

LARGE: Final = 5000
_FACTS: Final = (
    "INSERT INTO facts (workspace, fact_id, text, kind, origin, subject_key, stated, judged, about, confidence, "
    "recorded_time, pinned, shelf, terms, normal, normal_digest, outside) SELECT %s, 'f' || g, 'some text', "
    "'observation', 'system', 't' || g, 0, 'general', 'general', 1, g, 0, 'open', 'a', 'a', '', 0 "
    "FROM generate_series(1, %s) AS g"
)
_SEEN: Final = (
    "SELECT CAST(coalesce(sum(seq_tup_read + idx_tup_fetch), 0) AS bigint) "
    "FROM pg_stat_xact_user_tables WHERE relname = 'facts'"
)


def ids(connection: Connection, workspace: int) -> None:
    going = Going(connection, workspace)
    assert going.name(["f1"]) == []
    assert going.ids() == ["f1"]


@pytest.fixture(scope="module")
def small(postgres_server: Server) -> Iterator[Owner]:
    address = postgres_server.new_database(f"small_beside_large_{os.getpid()}")
    with create_brain(address, "small") as owner:
        create_store(address, "large").close()
        with raw(address) as connection:
            for workspace, facts in ((1, 20), (2, LARGE)):
                connection.execute(_FACTS, (workspace, facts))
            connection.execute("ANALYZE")
        yield owner


@pytest.mark.parametrize(
    "look",
    [
        count_held,
        ids,
        lambda *of: read_named_keys(*of, answers=True),
        lambda *of: count_all(*of, answers=True),
        lambda connection, workspace: list(read_newest(connection, workspace, Choice(), 10)),
    ],
)
def test_an_owners_look_reads_the_rows_of_the_workspace_alone(
    small: Owner, look: Callable[[Connection, int], object]
) -> None:
    with small.store.transaction() as connection:
        look(connection, small.workspace)
        (seen,) = connection.execute(_SEEN).fetchone()
    assert seen < LARGE / 10

"""A brain moved to another file: all of it, or nothing."""

import itertools
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import open_brain
from brainctl.engine.moving.moving import Move
from brainctl.engine.owner import open_owner
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.owned import Choice
from brainctl.engine.store.sqlite.dialect import SqliteConnection
from brainctl.engine.store.tables import COPIED, MADE_ANEW, Digest
from brainctl.engine.store.vectors import write_model
from tests.engine.house import House
from tests.moving.filled import digests, exported, fill, moved, nothing
from tests.owning.records import assert_consistent


@pytest.fixture
def to(tmp_path: Path) -> str:
    return str(tmp_path / "there" / "moved.db")


def beside(path: str) -> list[str]:
    """What lies where a brain is moved to, but for the log of one that is open, and the beginnings of an empty file."""
    folder = os.path.dirname(path)
    found = sorted(os.listdir(folder)) if os.path.isdir(folder) else []
    return [name for name in found if not name.endswith(("-wal", "-shm", ".new"))]


def test_every_row_arrives_and_the_keys_go_on_working(house: House, to: str) -> None:
    secret = fill(house)
    before, archive = digests(house.owner.store), exported(house.owner.store)
    found = moved(house, to)
    assert dict(found.tables) == before
    assert all(digest.rows for digest in before.values())
    assert digests(house.owner.store) == before
    assert_consistent(to)
    with open_owner(to) as there:
        assert exported(there.store) == archive
        assert there.credits() == house.owner.credits()
    with open_brain(to, secret, clock=house.clock) as brain:
        assert brain.whoami()["key_prefix"] == secret[:12]
        query = {"query": "when does the bell ring"}
        assert brain.search({**query, "limit": 20}) == house.brain(secret).search({**query, "limit": 20})  # type: ignore[typeddict-item]  # built of parts
        again = brain.enqueue({"input": "And tomorrow?", "conversation_id": "c1"}, "twice")
        assert again == house.brain(secret).enqueue(
            {"input": "And tomorrow?", "conversation_id": "c1"}, "twice"
        )
    assert beside(to) == ["moved.db"]


def test_no_column_of_any_table_is_left_behind(house: House) -> None:
    with closing(sqlite3.connect(house.path)) as connection:
        tables = {
            name: [column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")]
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_index%' ESCAPE '\\' "
                "AND name NOT LIKE '%vocabulary' AND name NOT LIKE 'sqlite%'"
            )
        }
    assert tables.pop("workspaces") == ["workspace", "name", "created"]
    assert {table.name: sorted(("workspace", *table.columns)) for table in (*COPIED, *MADE_ANEW)} == {
        name: sorted(columns) for name, columns in tables.items()
    }


def test_a_second_run_finds_it_there(house: House, to: str) -> None:
    fill(house)
    first = moved(house, to)
    again = moved(house, to)
    assert (first.was_there, again.was_there) == (False, True)
    assert again.tables == first.tables


def test_an_empty_brain_moves_too(house: House, to: str) -> None:
    moved(house, to)
    with open_owner(to) as there:
        assert there.fact_count() == 0
        assert there.store.named_workspaces() == house.owner.store.named_workspaces()


def test_a_plan_changes_nothing(house: House, to: str) -> None:
    fill(house)
    move = Move(house.owner.store, 1, to, clock=house.clock)
    plan = move.plan()
    assert dict(plan.tables) == {
        name: digest.rows
        for name, digest in digests(house.owner.store).items()
        if name not in ("shelves", "frequencies")
    }
    assert (plan.there, beside(to)) == ("nothing", [])
    move.run(nothing)
    assert move.plan().there == "all"


def test_another_brain_there_is_left_as_it_is(house: House, new_house: Callable[[], House], to: str) -> None:
    fill(house)
    other = new_house()
    other.add("We close at eight")
    before = digests(other.owner.store)
    with pytest.raises(BrainError, match=r"another brain at .* give another path") as refused:
        moved(house, other.path)
    assert refused.value.code == "store_error"
    assert digests(other.owner.store) == before


def test_a_brain_is_not_moved_onto_itself(house: House, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(house.path)
    for path in (house.path, str(link)):
        with pytest.raises(BrainError, match="in that store already"):
            moved(house, path)


def test_what_is_told_while_it_is_copied_keeps_it_where_it_is_until_the_next_run(
    house: House, to: str
) -> None:
    another = house.brain(fill(house))

    def tell(doing: str, done: int, _of: int) -> None:
        if doing == "Copying" and done == 1:
            another.teach({"facts": [{"text": "The well is deep."}]})

    with pytest.raises(BrainError, match="changed while it was copied"):
        Move(house.owner.store, 1, to, clock=house.clock, at_a_time=1).run(tell)
    assert not os.path.exists(to)
    assert dict(moved(house, to).tables) == digests(house.owner.store)


def test_a_copy_of_what_has_changed_since_is_begun_anew(house: House, to: str) -> None:
    fill(house)

    def killed(doing: str, *_: int) -> None:
        if doing == "Checking":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Move(house.owner.store, 1, to, clock=house.clock).run(killed)
    assert Move(house.owner.store, 1, to, clock=house.clock).plan().there == "a part"
    house.owner.forget([house.owner.facts(Choice(), 1)[0].fact_id])
    house.owner.add_person("cust_1", "Marie")
    with house.owner.store.transaction() as connection:
        write_model(connection, 1, None)
    assert dict(moved(house, to).tables) == digests(house.owner.store)
    assert_consistent(to)
    assert beside(to) == ["moved.db"]


def test_a_brain_that_answers_just_now_stays_until_it_is_done(house: House, to: str) -> None:
    fill(house)
    with house.owner.store.transaction() as connection:
        connection.execute(
            "UPDATE answers SET status = 'in_progress', lease = 'x', lease_until = ? WHERE status = 'queued'",
            (int(house.now * 1000) + 30_000,),
        )
    with pytest.raises(BrainError, match="answering a question just now"):
        moved(house, to)
    house.now += 31
    moved(house, to)


def test_half_a_brain_opens_to_no_key(house: House, to: str) -> None:
    secret = fill(house)
    refused: list[str] = []

    def tell(doing: str, *_: int) -> None:
        [half] = [name for name in beside(to) if name.endswith(".moving")]
        if doing == "Copying":
            with open_brain(f"{os.path.dirname(to)}/{half}", secret, clock=house.clock) as brain:
                try:
                    brain.whoami()
                except BrainError as error:
                    refused.append(error.code)

    Move(house.owner.store, 1, to, clock=house.clock, at_a_time=5).run(tell)
    assert len(refused) > 10
    assert set(refused) == {"api_key_invalid"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks off")
def test_killed_at_any_moment_it_goes_on_when_run_again(house: House, tmp_path: Path) -> None:
    fill(house, 4)
    whole = digests(house.owner.store)
    steps = 0
    for step in itertools.count(1):
        to = tmp_path / f"killed {step}" / "moved.db"
        if not killed_at(step, house, str(to)):
            break
        steps += 1
        assert not to.exists() or digests_of(to) == whole
        assert dict(moved(house, str(to)).tables) == whole
        assert digests_of(to) == whole
        assert_consistent(to)
        assert beside(str(to)) == ["moved.db"]
    assert steps > 30


def killed_at(step: int, house: House, to: str) -> bool:
    """Whether a process that moves the brain was killed at so many steps: each begin and end of a transaction, and
    each change of a folder.
    """
    child = os.fork()
    if not child:
        try:
            _die_at(step, os.path.dirname(to))
            with closing(open_store(house.path)) as store:
                Move(store, 1, to, clock=house.clock, at_a_time=6).run(nothing)
        except BaseException:  # noqa: BLE001 - nothing of the child may go on as the test
            os._exit(2)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0
    return os.WIFSIGNALED(status)


def _die_at(step: int, folder: str) -> None:
    left = itertools.count(step, -1)

    def one_more() -> None:
        if next(left) == 1:
            os.kill(os.getpid(), signal.SIGKILL)

    def execute(connection: SqliteConnection, sql: str, parameters: Sequence[Any] = ()) -> sqlite3.Cursor:
        if sql.startswith(("BEGIN", "COMMIT")):
            one_more()
        return sqlite3.Connection.execute(connection, sql, parameters)

    def hook(event: str, about: tuple[object, ...]) -> None:
        if event in {"os.link", "os.remove", "os.rename"} and str(about[0]).startswith(folder):
            one_more()

    SqliteConnection.execute = execute  # type: ignore[method-assign, assignment]  # of a process that is to die
    sys.addaudithook(hook)


def digests_of(path: Path) -> dict[str, Digest]:
    with closing(open_store(str(path))) as store:
        return digests(store)

"""A brain moved to another store: all of it, or nothing."""

import itertools
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import open_brain
from brainctl.engine.moving.moving import Move
from brainctl.engine.moving.places import FilePlace, Half
from brainctl.engine.owner import Owner, open_owner
from brainctl.engine.store.opening import find_store, is_database
from brainctl.engine.store.owned import Choice
from brainctl.engine.store.postgres.connection import PostgresConnection
from brainctl.engine.store.sqlite.dialect import SqliteConnection
from brainctl.engine.store.tables import COPIED, MADE_ANEW
from brainctl.engine.store.vectors import write_model
from brainctl.engine.workspaces import list_workspaces, remove_workspace
from tests.engine.house import House
from tests.moving.filled import digests, fill, moved, nothing, way
from tests.owning.records import assert_consistent, exported
from tests.spot import Spot, raw

WAYS: Final = (("sqlite", "file"), ("sqlite", "database"), ("postgres", "file"), ("postgres", "database"))
all_ways = pytest.mark.parametrize(("store_kind", "new_place"), WAYS, indirect=True)
OVER: Final = WAYS[1:3]
"""From a file to a database, and back."""
over_and_back = pytest.mark.parametrize(("store_kind", "new_place"), OVER, indirect=True)


def opened(to: Spot) -> Owner:
    return open_owner(to.address, to.name)


def is_there(to: Spot) -> bool:
    store = find_store(to.address)
    if store is None:
        return False
    with closing(store):
        return not store.holds_many or store.workspace_named(to.name) is not None


def left_at(to: Spot) -> list[str]:
    """What a move has left where it went: workspaces, or files but for the beginnings of an empty one."""
    if is_database(to.address):
        return [each.name for each in list_workspaces(to.address)]
    return sorted(name for name in os.listdir(Path(to.address).parent) if ".new" not in name)


def assert_arrived(to: Spot, whole: dict[str, Any]) -> None:
    with opened(to) as there:
        assert digests(there) == whole
    if is_database(to.address):
        assert left_at(to) == [to.name]
    else:
        assert_consistent(to.address)
        assert left_at(to) == ["moved.db"]


@all_ways
def test_every_row_arrives_and_the_keys_go_on_working(house: House, to: Spot) -> None:
    secret = fill(house)
    before, archive = digests(house.owner), exported(house.owner, answers=True)
    found = moved(house, to)
    assert dict(found.tables) == before == digests(house.owner)
    assert all(digest.rows for digest in before.values())
    assert_arrived(to, before)
    with opened(to) as there:
        [head, *rest] = exported(there, answers=True)
        assert (head["workspace"], rest) == (found.name, archive[1:])
        assert there.credits() == house.owner.credits()
    old = house.brain(secret)
    with open_brain(to.address, secret, clock=house.clock) as brain:
        assert brain.whoami() == old.whoami()
        assert brain.search({"query": "when does the bell ring"}) == old.search(
            {"query": "when does the bell ring"}
        )
        assert brain.context({"query": "halls that seat guests"}) == old.context(
            {"query": "halls that seat guests"}
        )
        again = brain.enqueue({"input": "And tomorrow?", "conversation_id": "c1"}, "twice")
        assert again == old.enqueue({"input": "And tomorrow?", "conversation_id": "c1"}, "twice")
        # What comes now comes behind what was there.
        assert brain.teach({"facts": [{"text": "The tower is closed in winter."}]})["created"] == 1
        done = brain.work_until(again["answer_id"], 20)
        assert done["status"] == "completed"


@over_and_back
def test_there_and_back_it_is_the_same_brain(house: House, to: Spot, tmp_path: Path) -> None:
    fill(house)
    before, archive = digests(house.owner), exported(house.owner, answers=True)
    moved(house, to)
    home = str(tmp_path / "home.db")
    with opened(to) as there:
        back = there.move(home)
        back.run(nothing)
    with open_owner(home) as owner:
        assert digests(owner) == before
        assert exported(owner, answers=True)[1:] == archive[1:]


def test_texts_that_a_database_cannot_hold_as_they_are_come_back_as_they_were(
    house: House, new_database: Callable[[], str], tmp_path: Path
) -> None:
    for number, odd in enumerate(("a\0b", "\ufdd0", "\ufdd00", "z\0", "a\ufdd0b", "ab", "zz")):
        house.owner.add_person(odd, f"{odd} and more")
        house.owner.add_member(f"member {odd}")
        house.add(f"fact {odd} {number}", subject=odd)
    # An index takes no term that is as long as this one.
    house.add("x" * 3000)
    before = digests(house.owner)
    to = Spot(new_database(), "odd")
    moved(house, to)
    assert_arrived(to, before)
    with opened(to) as there:
        there.move(str(tmp_path / "home.db")).run(nothing)
    with open_owner(str(tmp_path / "home.db")) as owner:
        assert digests(owner) == before


def test_no_column_of_any_table_is_left_behind(house: House, new_database: Callable[[], str]) -> None:
    with closing(sqlite3.connect(house.path)) as connection:
        in_files = {
            name: {column for _, column, *_ in connection.execute(f"PRAGMA table_info({name})")}
            for (name,) in connection.execute(
                "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE '%\\_index%' ESCAPE '\\' "
                "AND name NOT LIKE '%vocabulary' AND name NOT LIKE 'sqlite%'"
            )
        }
    address = new_database()
    moved(house, Spot(address, "one"))
    in_databases: dict[str, set[str]] = {}
    with psycopg.connect(address) as database:
        for table, column in database.execute(
            "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = 'brainctl'"
        ):
            in_databases.setdefault(table, set()).add(column)
    kept = {table.name: {"workspace", *table.columns} for table in (*COPIED, *MADE_ANEW)}
    kept["workspaces"] = {"workspace", "name", "created"}
    # Which process is at work just now is no part of a brain.
    for found in (in_files, in_databases):
        del found["indexing"]
    assert kept == in_files
    # Where a database finds facts, what it counts for itself, and the requests of the last minute.
    for table in ("schema_steps", "places", "stretches", "windows"):
        del in_databases[table]
    in_databases["frequencies"].remove("number")
    in_databases["meanings"].remove("changes")
    assert kept == in_databases


@over_and_back
def test_a_second_run_finds_it_there(house: House, to: Spot) -> None:
    fill(house)
    first, again = moved(house, to), moved(house, to)
    assert (first.was_there, again.was_there) == (False, True)
    assert again.tables == first.tables


@all_ways
def test_an_empty_brain_moves_too(house: House, to: Spot) -> None:
    moved(house, to)
    with opened(to) as there:
        assert there.fact_count() == 0
        assert [each.created for each in there.store.named_workspaces()] == [int(house.now * 1000)]


@over_and_back
def test_a_plan_changes_nothing(house: House, to: Spot) -> None:
    fill(house)
    plan = way(house, to).plan()
    whole = digests(house.owner)
    assert dict(plan.tables) == {table.name: whole[table.name].rows for table in COPIED}
    assert (plan.there, find_store(to.address)) == ("nothing", None)
    moved(house, to)
    assert way(house, to).plan().there == "all"


@over_and_back
def test_another_state_of_it_there_is_left_as_it_is(house: House, to: Spot) -> None:
    fill(house)
    moved(house, to)
    house.add("We close at eight")
    before = digests(house.owner)
    with pytest.raises(BrainError, match=r"this brain in another state at .* already") as refused:
        moved(house, to)
    assert refused.value.code == "store_error"
    with opened(to) as there:
        assert digests(there) != before


def test_a_brain_is_not_moved_onto_itself(house: House, tmp_path: Path) -> None:
    link = tmp_path / "link.db"
    link.symlink_to(house.path)
    for path in (house.path, str(link)):
        with pytest.raises(BrainError, match="in that store already"):
            moved(house, Spot(path, "local"))


@pytest.mark.parametrize("store_kind", ["postgres"], indirect=True)
def test_a_brain_stays_in_its_database_whatever_that_is_called(house: House) -> None:
    for address in (
        house.path,
        house.path.replace("postgresql:", "postgres:"),
        f"{house.path}?sslmode=disable",
    ):
        with pytest.raises(BrainError, match="in that store already"):
            moved(house, Spot(address, "another"))


def test_a_brain_is_in_one_workspace_of_a_database(house: House, new_database: Callable[[], str]) -> None:
    fill(house)
    address = new_database()
    moved(house, Spot(address, "one"))
    with pytest.raises(BrainError, match="same keys open the workspace one"):
        moved(house, Spot(address, "two"))


@over_and_back
def test_what_is_told_while_it_is_copied_keeps_it_where_it_is_until_the_next_run(
    house: House, to: Spot
) -> None:
    another = house.brain(fill(house))

    def tell(doing: str, done: int, _of: int) -> None:
        if doing == "Copying" and done == 1:
            another.teach({"facts": [{"text": "The well is deep."}]})

    with pytest.raises(BrainError, match="changed while it was copied"):
        way(house, to, at_a_time=1).run(tell)
    assert not is_there(to)
    moved(house, to)
    assert_arrived(to, digests(house.owner))


def killed(doing: str, *_: int) -> None:
    """Is told of progress, and ends it where all is copied."""
    if doing == "Checking":
        raise KeyboardInterrupt


def left_half(house: House, to: Spot) -> None:
    """Leave all of a brain but what completes it."""
    with pytest.raises(KeyboardInterrupt):
        way(house, to).run(killed)
    assert way(house, to).plan().there == "a part"


def wanted(house: House, model: str | None) -> None:
    """Let its facts have vectors of a model, or none."""
    with house.owner.store.transaction() as connection:
        write_model(connection, house.workspace, model)


@over_and_back
@pytest.mark.parametrize(
    "change",
    [
        lambda house: house.owner.set_credits(4),
        lambda house: house.owner.set_credits(None),
        lambda house: house.owner.capture_with("day"),
        lambda house: house.owner.capture_with(None),
        lambda house: wanted(house, None),
    ],
)
def test_whatever_has_changed_since_it_was_interrupted_the_next_run_does_it(
    house: House, to: Spot, change: Callable[[House], None]
) -> None:
    fill(house)
    left_half(house, to)
    change(house)
    moved(house, to)
    assert_arrived(to, digests(house.owner))


def half_at(to: Spot) -> str:
    """The address of the store that holds half a brain."""
    if is_database(to.address):
        return to.address
    [half] = [name for name in left_at(to) if name.endswith(".moving")]
    return str(Path(to.address).with_name(half))


@over_and_back
def test_what_has_another_number_there_is_begun_anew(house: House, to: Spot) -> None:
    fill(house)
    left_half(house, to)
    with raw(half_at(to)) as there:
        there.execute("UPDATE answers SET place = place + 100")
    moved(house, to)
    assert_arrived(to, digests(house.owner))


@pytest.mark.parametrize("model", [None, "one", "two"])
def test_a_file_that_was_all_there_and_had_not_got_its_name_is_gone_on_with(
    house: House, to: Spot, monkeypatch: pytest.MonkeyPatch, model: str | None
) -> None:
    def interrupted(_: FilePlace, half: Half) -> None:
        half.store.close()
        raise KeyboardInterrupt

    wanted(house, "one")
    monkeypatch.setattr(FilePlace, "put_in_place", interrupted)
    with pytest.raises(KeyboardInterrupt):
        moved(house, to)
    monkeypatch.undo()
    wanted(house, model)
    moved(house, to)
    assert_arrived(to, digests(house.owner))


def test_what_was_interrupted_may_go_under_another_name(
    house: House, new_database: Callable[[], str]
) -> None:
    fill(house)
    address = new_database()
    left_half(house, Spot(address, "one"))
    moved(house, Spot(address, "two"))
    with opened(Spot(address, "two")) as there:
        assert digests(there) == digests(house.owner)


@over_and_back
def test_a_copy_of_what_has_changed_since_is_begun_anew(house: House, to: Spot) -> None:
    fill(house)
    left_half(house, to)
    house.owner.forget([house.owner.facts(Choice(), 1)[0].fact_id])
    house.owner.add_person("cust_1", "Marie")
    wanted(house, None)
    moved(house, to)
    assert_arrived(to, digests(house.owner))


def test_a_brain_that_answers_just_now_stays_until_it_is_done(house: House, to: Spot) -> None:
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


@over_and_back
def test_half_a_brain_opens_to_no_key(house: House, to: Spot) -> None:
    secret = fill(house)
    refused: list[str] = []

    def tell(doing: str, *_: int) -> None:
        if doing != "Copying":
            return
        with open_brain(half_at(to), secret, clock=house.clock) as brain, pytest.raises(BrainError) as error:
            brain.whoami()
        refused.append(error.value.code)

    way(house, to, at_a_time=20).run(tell)
    assert len(refused) > 5
    assert set(refused) == {"api_key_invalid"}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills processes that it forks off")
@over_and_back
def test_killed_at_any_moment_it_goes_on_when_run_again(house: House, new_place: Callable[[], Spot]) -> None:
    fill(house, 2)
    whole = digests(house.owner)
    steps = 0
    for step in itertools.count(1):
        to = new_place()
        if not killed_at(step, house, to):
            break
        steps += 1
        if is_there(to):
            with opened(to) as there:
                assert digests(there) == whole
        assert dict(moved(house, to).tables) == whole
        assert_arrived(to, whole)
        clear(to)
    assert steps > 20


def clear(to: Spot) -> None:
    """A brain's keys open one workspace of a database."""
    if is_database(to.address):
        remove_workspace(to.address, to.name)


def killed_at(step: int, house: House, to: Spot) -> bool:
    """Whether a process that moves the brain was killed at so many steps: each begin and end of a transaction that
    writes, and each change of a folder.
    """
    child = os.fork()
    if not child:
        try:
            _die_at(step, os.path.dirname(to.address))
            with open_owner(house.path, house.name, clock=house.clock) as owner:
                name = to.name if is_database(to.address) else None
                way = Move(
                    owner.store, owner.workspace, to.address, name=name, clock=house.clock, at_a_time=10
                )
                way.run(nothing)
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
        if sql in {"BEGIN IMMEDIATE", "COMMIT"}:
            one_more()
        return sqlite3.Connection.execute(connection, sql, parameters)

    def begin(connection: PostgresConnection, how: str) -> None:
        if "READ ONLY" not in how:
            one_more()
        _BEGIN(connection, how)

    def commit(connection: PostgresConnection) -> bool:
        one_more()
        return _COMMIT(connection)

    def hook(event: str, about: tuple[object, ...]) -> None:
        if event in {"os.link", "os.remove", "os.rename"} and str(about[0]).startswith(folder):
            one_more()

    SqliteConnection.execute = execute  # type: ignore[method-assign, assignment]  # of a process that is to die
    PostgresConnection.begin, PostgresConnection.commit = begin, commit  # type: ignore[method-assign, assignment]  # likewise
    sys.addaudithook(hook)


_BEGIN, _COMMIT = PostgresConnection.begin, PostgresConnection.commit

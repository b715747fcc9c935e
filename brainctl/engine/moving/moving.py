"""A brain moved from one store to another, whole or not at all."""

import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.digest import sha256
from brainctl.engine.ids import Entropy
from brainctl.engine.moving.copying import AT_A_TIME, OtherRowsError, complete, copy
from brainctl.engine.moving.places import Half, another_is_moving, place_at
from brainctl.engine.store.archive import read_name
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import read_keys
from brainctl.engine.store.opening import find_store
from brainctl.engine.store.store import Store, facts_of, keys_of
from brainctl.engine.store.tables import COPIED, MADE_ANEW, NUMBERED, Digest, count_rows, digest_of
from brainctl.engine.store.workspaces import WorkspaceRow, name_workspace, read_workspace

COMPARED: Final = (*COPIED, *MADE_ANEW)

Tell = Callable[[str, int, int], None]
"""Is told what is being done, how many rows are done, and of how many."""


class Counted(NamedTuple):
    """How many rows a table has."""

    table: str
    rows: int


class Moved(NamedTuple):
    """What came of a move: the name of the workspace, and each table with the digest that it has in both stores;
    `was_there` says that nothing was left to do.
    """

    name: str
    tables: list[tuple[str, Digest]]
    was_there: bool


class Plan(NamedTuple):
    """What a move would do: the name of the workspace, the rows of each table, and what an earlier one has left
    (`nothing`, `a part` or `all`).
    """

    name: str
    tables: list[Counted]
    there: str


class Move:
    """A brain's way from its store to the one at another address.

    Everything raises `store_error`, also where the place is another brain's, or the brain is in use. Nothing is
    ever written to the store it comes from.
    """

    def __init__(
        self,
        source: Store,
        workspace: int,
        to: str,
        *,
        name: str | None = None,
        clock: Callable[[], float] = time.time,
        entropy: Entropy = os.urandom,
        at_a_time: int = AT_A_TIME,
    ) -> None:
        self._source = source
        self._workspace = workspace
        self._clock = clock
        self._entropy = entropy
        self._at_a_time = at_a_time
        with source.reading() as connection:
            self._name = name or read_name(connection, workspace)
            self._place = place_at(to, self._name, _mark(connection, workspace))

    def plan(self) -> Plan:
        """Look at both ends, and change nothing."""
        self._refuse_its_own_store()
        with self._source.reading() as connection:
            counts = [Counted(table.name, count_rows(connection, self._workspace, table)) for table in COPIED]
        if self._compared() is not None:
            return Plan(self._name, counts, "all")
        begun = self._place.begun()
        if begun is not None:
            begun.store.close()
        return Plan(self._name, counts, "nothing" if begun is None else "a part")

    def run(self, tell: Tell) -> Moved:
        """Move the brain. Killed at any moment, it goes on when it is run again.

        One state of the brain is copied; then, with nobody writing to it, both ends are compared, and the place
        gets its name. Raises `store_error` where the brain was changed meanwhile: what is copied stays for the next
        run.
        """
        self._refuse_its_own_store()
        with self._source.reading() as connection:
            self._refuse_while_answering(connection)
        there = self._compared()
        if there is not None:
            self._place.tidy()
            return Moved(self._name, there, was_there=True)
        half = self._place.begun() or self._place.begin(self._clock, self._entropy)
        try:
            half = self._copied(half, tell)
            tables = self._completed(half, tell)
        except BaseException:
            half.store.close()
            raise
        self._place.put_in_place(half)
        return Moved(self._name, tables, was_there=False)

    def _copied(self, half: Half, tell: Tell) -> Half:
        with self._source.reading() as connection:
            total = sum(count_rows(connection, self._workspace, table) for table in COPIED)
            copying = lambda done: tell("Copying", done, total)  # noqa: E731 - a name for two calls
            try:
                copy(connection, self._workspace, half, copying, self._at_a_time)
            except OtherRowsError:
                self._place.clear(half)
                half = self._place.begin(self._clock, self._entropy)
                try:
                    copy(connection, self._workspace, half, copying, self._at_a_time)
                except OtherRowsError as error:
                    raise another_is_moving() from error
        return half

    def _completed(self, half: Half, tell: Tell) -> list[tuple[str, Digest]]:
        alone = facts_of(self._workspace), keys_of(self._workspace)
        with self._source.transaction(*alone) as source:
            source.dialect.unhurried(source)
            self._refuse_while_answering(source)
            rows = sum(count_rows(source, self._workspace, table) for table in COMPARED)
            wanted = _digests(source, self._workspace, lambda done: tell("Checking", done, 2 * rows))
            with half.writing() as target:
                target.dialect.unhurried(target)
                complete(source, self._workspace, target, half.workspace)
                found = _digests(target, half.workspace, lambda done: tell("Checking", rows + done, 2 * rows))
                if found != wanted:
                    raise BrainError(
                        "store_error",
                        "The brain was changed while it was copied, so it stays where it is; stop what writes to it, "
                        "and run the same command again",
                    )
                for table, column in NUMBERED:
                    target.dialect.number_on(target, half.workspace, table, column)
                name_workspace(target, half.workspace, self._name, self._row(source).created)
        return found

    def _compared(self) -> list[tuple[str, Digest]] | None:
        """The tables of the brain that has the place, where it is this one; None where there is none."""
        there = self._place.there()
        if there is None:
            return None
        store, workspace = there
        with closing(store), store.reading() as target, self._source.reading() as source:
            found = _digests(target, workspace)
            if found == _digests(source, self._workspace):
                return found
            is_this = _mark(target, workspace) == self._place.mark
        what = "this brain in another state" if is_this else "another brain"
        raise BrainError(
            "store_error",
            f"There is {what} at {self._place.told} already, and it was left as it is; {self._place.way_on}",
        )

    def _refuse_its_own_store(self) -> None:
        store = find_store(self._place.address)
        if store is None:
            return
        with closing(store):
            if store.identity() == self._source.identity():
                raise BrainError(
                    "store_error",
                    "The brain is in that store already: give the address of another one, and nothing was changed",
                )

    def _refuse_while_answering(self, connection: Connection) -> None:
        (running,) = connection.execute(
            "SELECT count(*) FROM answers WHERE workspace = ? AND status = 'in_progress' AND lease_until > ?",
            (self._workspace, times.now_ms(self._clock())),
        ).fetchone()
        if running:
            raise BrainError(
                "store_error",
                "The brain is answering a question just now; stop what serves it, and run again half a minute later",
            )

    def _row(self, connection: Connection) -> WorkspaceRow:
        row = read_workspace(connection, self._workspace)
        if row is None:
            raise BrainError("store_error", "The brain was removed while it was copied")
        return row


def _digests(
    connection: Connection, workspace: int, tell: Callable[[int], None] = lambda _: None
) -> list[tuple[str, Digest]]:
    digests: list[tuple[str, Digest]] = []
    done = 0
    for table in COMPARED:
        digest = digest_of(connection, workspace, table, lambda rows, before=done: tell(before + rows))  # type: ignore[misc]  # a default that binds
        digests.append((table.name, digest))
        done += digest.rows
    return digests


def _mark(connection: Connection, workspace: int) -> str:
    """Tells a brain from all others, wherever it lies: by when it was made, and its first key."""
    row = read_workspace(connection, workspace)
    first = [key.key_id for key in read_keys(connection, workspace)[:1]]
    return sha256(repr((row and row.created, first)).encode()).hex()[:8]

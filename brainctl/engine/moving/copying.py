"""A brain's rows copied to another store, a few at a time: what is there already is looked at, and not written again."""

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine.digest import sha256
from brainctl.engine.moving.places import Half
from brainctl.engine.store.archive import read_name
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import read_key
from brainctl.engine.store.tables import (
    ANSWERS,
    COPIED,
    FACTS,
    KEYS,
    MEANINGS,
    Row,
    Table,
    count_rows,
    each_row,
    insert_rows,
    rows_of,
    update_column,
)

AT_A_TIME: Final = 2000
"""Rows a transaction."""

_LOOKED_UP: Final = 400
"""Rows a look-up: an older SQLite takes 999 parameters, and a key has up to two."""

_OVER: Final = "finished IS NOT NULL"
_NOT_OVER: Final = "finished IS NULL"
_HOLDING: Final = b"a key of a brain that is not all here yet\0"


class OtherRowsError(Exception):
    """What is there is not what would have been written: the brain has changed since the copy was begun."""


def copy(
    source: Connection, workspace: int, half: Half, tell: Callable[[int], None], at_a_time: int = AT_A_TIME
) -> None:
    """Copy all but what `complete` adds; `tell` is told how many rows are there. Raises `OtherRowsError`.

    Answers that wait for their turn come last, so that nobody works on them before all is there.
    """
    done = 0
    for table in COPIED:
        if table is MEANINGS:
            _refuse_others(source, workspace, half)
            continue
        only = _OVER if table is ANSWERS else "TRUE"
        copied = 0
        for rows in _batches(each_row(source, workspace, table, only), at_a_time):
            with half.writing() as connection:
                _write_missing(connection, half.workspace, table, rows)
            copied += len(rows)
            done += len(rows)
            tell(done)
        with half.store.reading() as connection:
            # All of these are there, so what is more is not of this brain.
            if count_rows(connection, half.workspace, table, only) != copied:
                raise OtherRowsError
    for rows in _batches(each_row(source, workspace, FACTS, "superseded_by IS NOT NULL"), at_a_time):
        with half.writing() as connection:
            _set(connection, half.workspace, FACTS, "superseded_by", rows)


def complete(source: Connection, workspace: int, connection: Connection, into: int) -> None:
    """Inside one transaction of the target: let its keys open it, and add what would make it work.

    Raises `store_error` where a key of it opens another brain of that store.
    """
    keys = list(each_row(source, workspace, KEYS))
    for key in keys:
        _refuse_twin(connection, into, key[KEYS.place("digest")])
    _set(connection, into, KEYS, "digest", keys)
    for table, only in ((ANSWERS, _NOT_OVER), (MEANINGS, "TRUE")):
        there = {table.key_of(row) for row in each_row(connection, into, table, only)}
        rows = (row for row in each_row(source, workspace, table, only) if table.key_of(row) not in there)
        for some in _batches(rows, AT_A_TIME):
            insert_rows(connection, into, table, some)


def _refuse_twin(connection: Connection, into: int, digest: bytes) -> None:
    key = read_key(connection, digest)
    if key is not None and key.workspace != into:
        raise BrainError(
            "store_error",
            f"The same keys open the workspace {read_name(connection, key.workspace)} of that store, so this brain was "
            "moved there before; a key opens one brain, and nothing was changed",
        )


def _write_missing(connection: Connection, into: int, table: Table, rows: list[Row]) -> None:
    there: dict[Row, Row] = {}
    for some in _batches(iter(rows), _LOOKED_UP):
        found = rows_of(connection, into, table, [table.key_of(row) for row in some])
        there.update((table.key_of(row), row) for row in found)
    missing: list[Row] = []
    for row in rows:
        held = _until_all_is_here(into, table, row)
        one = there.get(table.key_of(row))
        if one is None:
            missing.append(held)
        elif one not in (row, held):
            raise OtherRowsError
    if missing:
        _insert_new(connection, into, table, missing)


def _insert_new(connection: Connection, into: int, table: Table, rows: list[Row]) -> None:
    try:
        insert_rows(connection, into, table, rows)
    except Exception as error:
        if connection.dialect.is_repeat(error):
            raise OtherRowsError from error
        raise


def _refuse_others(source: Connection, workspace: int, half: Half) -> None:
    """Raises `OtherRowsError` where a run that got as far as to complete it wanted vectors of another model, or any."""
    wanted = list(each_row(source, workspace, MEANINGS))
    with half.store.reading() as connection:
        if list(each_row(connection, half.workspace, MEANINGS)) not in ([], wanted):
            raise OtherRowsError


def _set(connection: Connection, into: int, table: Table, column: str, rows: Iterable[Row]) -> None:
    place = table.place(column)
    update_column(connection, into, table, column, [(row[0], row[place]) for row in rows])


def _until_all_is_here(into: int, table: Table, row: Row) -> Row:
    """The form that a row has until the whole brain is there.

    A key has a digest that no secret has, so that nobody sees half a brain, and that no other half of the same brain
    has in the same store; a fact that was superseded is superseded by itself, since its successor may not be there yet.
    """
    if table is KEYS:
        place = table.place("digest")
        return _with(row, place, sha256(b"%b%d\0%b" % (_HOLDING, into, row[place])))
    if table is FACTS and row[table.place("superseded_by")] is not None:
        return _with(row, table.place("superseded_by"), row[table.place("fact_id")])
    return row


def _with(row: Row, place: int, value: object) -> Row:
    return (*row[:place], value, *row[place + 1 :])


def _batches(rows: Iterator[Row], size: int) -> Iterator[list[Row]]:
    while some := list(islice(rows, size)):
        yield some

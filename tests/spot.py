"""Where a brain of a test is, and the way to it past the program."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any, NamedTuple

import psycopg

from brainctl.engine.store.opening import is_database


class Spot(NamedTuple):
    """Where a new brain may be made, and under which name."""

    address: str
    name: str


@contextmanager
def raw(address: str) -> "Iterator[Any]":
    """A connection to a brain's file or database that knows nothing of brains. What it writes is there at once."""
    if is_database(address):
        with psycopg.connect(address, autocommit=True, options="-c search_path=brainctl") as connection:
            yield connection
        return
    with closing(sqlite3.connect(address, timeout=60, isolation_level=None)) as file:
        yield file

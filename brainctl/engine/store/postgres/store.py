"""A brain's store in a PostgreSQL database: opening it, making it, and transactions."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.digest import sha256
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.postgres import schema
from brainctl.engine.store.postgres.address import refuse_password
from brainctl.engine.store.postgres.clock import DatabaseClock
from brainctl.engine.store.postgres.connection import PostgresConnection, connected
from brainctl.engine.store.postgres.failures import told_of
from brainctl.engine.store.postgres.listening import CHANNEL
from brainctl.engine.store.postgres.remembered import Remembered
from brainctl.engine.store.store import Alone, Store

_READING: Final = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_TELL: Final = f"SELECT pg_notify('{CHANNEL}', ?)"
_WRITING: Final = "BEGIN ISOLATION LEVEL READ COMMITTED"
_TRIES: Final = 20
"""As many as a process may have connections: after a restart of the database all of them are lost."""


def _lock_of(name: Alone) -> int:
    """A number for the name of something: two names may share one, and then only wait for each other."""
    return int.from_bytes(sha256(repr(name).encode())[:8], "big", signed=True)


class PostgresStore(Store):
    """An open store. One thread's at a time; any number of processes may have it open.

    A connection that was lost is replaced where nothing has begun on it.
    """

    holds_many = True

    def __init__(
        self,
        address: str,
        connection: PostgresConnection,
        clock: DatabaseClock | None = None,
        reconnect: Callable[[PostgresConnection], PostgresConnection] | None = None,
    ) -> None:
        self.address = address
        self.connection = connection
        self._reconnect = reconnect or self._connected_anew
        self._remembered = Remembered()
        self._is_patient = True
        self._clock = clock or DatabaseClock()
        self._is_closed = False

    def close(self) -> None:
        self._is_closed = True
        self.connection.close()

    def identity(self) -> str:
        with self.reading() as connection:
            (cluster, database) = connection.execute(
                "SELECT (SELECT system_identifier FROM pg_control_system()), "
                "(SELECT oid FROM pg_database WHERE datname = current_database())"
            ).fetchone()
        return f"{cluster}:{database}"

    def clock(self) -> float:
        """Seconds since 1970 by the database's clock. Raises `store_error` where it was never reached."""
        if not self._clock.is_known:
            with self.reading():
                pass
        return self._clock()

    def tell(self, connection: Connection, answer_id: str) -> None:
        connection.execute(_TELL, (answer_id,))

    def _begin(self, how: str) -> PostgresConnection:
        try:
            self._start(how)
        except psycopg.Error:
            if self._is_closed or not self.connection.is_lost:
                raise
            self._begin_anew(how, _TRIES)
        return self.connection

    def _begin_anew(self, how: str, tries: int) -> None:
        # The server was restarted, or something between here and there has hung up.
        self.connection = self._reconnect(self.connection)
        try:
            self._start(how)
        except psycopg.Error:
            if tries <= 1 or not self.connection.is_lost:
                raise
            self._begin_anew(how, tries - 1)

    def _connected_anew(self, lost: PostgresConnection) -> PostgresConnection:
        lost.close()
        return connected(self.address)

    def _start(self, how: str) -> None:
        if self._clock.is_due:
            if self._clock.is_known:
                # Open for a while: the tables may be a newer program's by now.
                schema.version_of(self.connection)
            self._clock.ask(self.connection)
        self.connection.begin(how)

    @contextmanager
    def reading(self) -> Iterator[PostgresConnection]:
        """One state of the brain, however long it is looked at. Raises `store_error`."""
        with told_of(self.address):
            connection = self._begin(_READING)
            try:
                yield connection
            finally:
                connection.roll_back()

    @contextmanager
    def transaction(self, *alone: Alone) -> Iterator[PostgresConnection]:
        """All of what is written inside, or nothing; no other transaction deals with what is named meanwhile.

        Raises `store_error`, also where it cannot be known whether it was written.
        """
        with told_of(self.address):
            connection = self._begin(_WRITING)
            try:
                self._take(connection, alone)
                yield connection
                self._commit(connection)
            finally:
                connection.roll_back()

    def _take(self, connection: PostgresConnection, alone: tuple[Alone, ...]) -> None:
        for name in alone:
            if self._is_patient:
                connection.execute("SELECT pg_advisory_xact_lock(?)", (_lock_of(name),))
                continue
            (taken,) = connection.execute("SELECT pg_try_advisory_xact_lock(?)", (_lock_of(name),)).fetchone()
            if not taken:
                raise BrainError(
                    "store_error", "Another process is writing this brain; try again when it is done"
                )

    def _commit(self, connection: PostgresConnection) -> None:
        connection.write()
        try:
            is_done = connection.commit()
        except psycopg.OperationalError as error:
            if not connection.is_lost:
                raise
            raise BrainError(
                "store_error",
                f"The connection to the database {self.address} was lost in the moment of writing, so it is not known "
                "whether it was written; look before you try again",
            ) from error
        if not is_done:
            raise BrainError(
                "store_error",
                f"The database {self.address} wrote nothing, since something in it had failed; try again",
            )

    @contextmanager
    def impatient(self) -> Iterator[None]:
        """Raise `store_error` at once where another process is writing, instead of waiting for it."""
        self._is_patient = False
        try:
            yield
        finally:
            self._is_patient = True

    def rewrite(self) -> bool:
        from brainctl.engine.store.postgres.rewriting import rewrite

        with told_of(self.address):
            return rewrite(self.connection)


def open_database(
    address: str,
    *,
    any_thread: bool = False,
    clock: DatabaseClock | None = None,
) -> PostgresStore:
    """Open a database, bringing an older one up to date. Raises `store_error` with what to do about it."""
    found = find_in_database(address, clock)
    if found is None:
        raise BrainError(
            "store_error",
            f"There is no brain in the database {address}; make one with `brainctl brain init --store`, or check "
            "the address",
        )
    return found


def find_in_database(address: str, clock: DatabaseClock | None = None) -> PostgresStore | None:
    """Open a database as `open_database` does; None where it holds no brain."""
    refuse_password(address)
    with told_of(address):
        connection = connected(address)
        try:
            version = schema.version_of(connection)
            if not version:
                connection.close()
                return None
            if version < schema.VERSION:
                _upgrade(connection)
        except BaseException:
            connection.close()
            raise
    return PostgresStore(address, connection, clock=clock)


def create_in_database(
    address: str, name: str = "local", *, clock: Callable[[], float] = time.time
) -> PostgresStore:
    """Make an empty workspace in a database, and its tables where there are none yet, and open it.

    Raises `store_error` where there is a workspace of this name already.
    """
    refuse_password(address)
    with told_of(address):
        connection = connected(address)
        try:
            _refuse_other_encoding(connection)
            if schema.version_of(connection) < schema.VERSION:
                refuse_old_server(connection)
                _upgrade(connection)
            made = connection.execute(
                "INSERT INTO workspaces (name, created) VALUES (?, ?) ON CONFLICT (name) DO NOTHING RETURNING workspace",
                (name, times.now_ms(clock())),
            ).fetchone()
            if made is None:
                raise BrainError(
                    "store_error",
                    f"There is a workspace {name!r} in the database {address} already; give another name with "
                    "--workspace, or save one of its keys with `brainctl keys add NAME --env NAME --store ADDRESS`",
                )
        except BaseException:
            connection.close()
            raise
    return PostgresStore(address, connection)


def _refuse_other_encoding(connection: PostgresConnection) -> None:
    (encoding,) = connection.execute("SELECT current_setting('server_encoding')").fetchone()
    if encoding != "UTF8":
        raise BrainError(
            "store_error",
            f"The database keeps its texts as {encoding}, and a brain's may have any letter; use a database made with "
            "`createdb --encoding=UTF8 --template=template0`",
        )


def _upgrade(connection: PostgresConnection) -> None:
    connection.begin(_WRITING)
    try:
        schema.upgrade(connection)
        connection.commit()
    finally:
        connection.roll_back()


def refuse_old_server(connection: PostgresConnection) -> None:
    """Raises `store_error` for a server that is older than what a brain needs."""
    (version,) = connection.execute("SELECT current_setting('server_version_num')").fetchone()
    if int(version) < schema.OLDEST_SERVER * 10_000:
        raise BrainError(
            "store_error",
            f"The database is PostgreSQL {int(version) // 10_000}, and a brain needs {schema.OLDEST_SERVER} or later; "
            "use a newer server",
        )

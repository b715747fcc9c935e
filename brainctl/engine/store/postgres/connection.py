"""A connection to PostgreSQL that speaks the store's SQL."""

from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, Any, Final

import psycopg
from psycopg.pq import TransactionStatus
from psycopg.types.numeric import Int8Dumper

from brainctl.contract.errors import BrainError
from brainctl.engine.store.postgres.address import UNREADABLE
from brainctl.engine.store.postgres.arrivals import Arrivals
from brainctl.engine.store.postgres.dialect import PostgresDialect
from brainctl.engine.store.postgres.places import Places
from brainctl.engine.store.postgres.texts import TextDumper, TextLoader

if TYPE_CHECKING:
    from brainctl.engine.store.connection import Cursor, Query

SCHEMA: Final = "brainctl"
"""The name of the schema that holds all of it: a database may hold other things besides."""

LOCK_SECONDS: Final = 30
"""How long a process waits for another one's write."""
STATEMENT_SECONDS: Final = 60
IDLE_SECONDS: Final = 600
"""How long one statement may take, and how long a transaction may stand still, before the server ends it."""

_SETTINGS: Final = {
    "search_path": SCHEMA,
    "lock_timeout": f"{LOCK_SECONDS}s",
    "statement_timeout": f"{STATEMENT_SECONDS}s",
    "idle_in_transaction_session_timeout": f"{IDLE_SECONDS}s",
    # A database, or a role, may begin with another. Single statements are to see what others have written, too.
    "default_transaction_isolation": "read committed",
    # So that a server notices in a minute that a host is gone, and lets go of what that had locked.
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
    # Every look-up is short and goes by an index: compiling it, sharing it out, or planning it anew each time would
    # cost more than it saves.
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "max_parallel_workers_per_gather": "0",
}
_LINK: Final[dict[str, str | int]] = {
    "connect_timeout": 10,
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
    "application_name": "brainctl",
}
_PREPARED_AFTER: Final = 2
_ROWS_AT_A_TIME: Final = 1000


class _Flag(Int8Dumper):
    """A truth value as the store keeps it: 0 or 1."""

    def dump(self, obj: bool) -> Any:
        return super().dump(int(obj))


@lru_cache(maxsize=1000)
def _as_written_here(sql: str) -> bytes:
    return sql.replace("%", "%%").replace("?", "%s").encode()


class PostgresConnection:
    """An open connection. `arrivals` are the facts that this transaction writes, `places` what they are found by."""

    dialect: Final = PostgresDialect()

    def __init__(self, connection: "psycopg.Connection[Any]") -> None:
        self.plain = self._connection = connection
        self._numbers = count()
        self.places = Places(self)
        self.arrivals = Arrivals(connection)

    def execute(self, sql: str, parameters: Sequence[Any] = (), /) -> "Cursor":
        self._send()
        return self._executed(_as_written_here(sql), parameters)

    def _executed(self, sql: bytes, parameters: Sequence[Any] = ()) -> "psycopg.Cursor[Any]":
        try:
            return self._connection.execute(sql, parameters)
        except psycopg.errors.InvalidSqlStatementName:
            # Behind a connection to a pooler there may be another session: none of what was prepared is there.
            self.close()
            raise

    def executemany(self, sql: str, parameters: Iterable[Sequence[Any]], /) -> None:
        self._send()
        with self._connection.cursor() as cursor:
            cursor.executemany(_as_written_here(sql), parameters)

    def each(self, sql: str, parameters: Sequence[Any], /) -> Iterator[Any]:
        self._send()
        with self._connection.cursor(f"each{next(self._numbers)}") as cursor:
            cursor.itersize = _ROWS_AT_A_TIME
            yield from cursor.execute(_as_written_here(sql), parameters)

    def ask(self, queries: "Iterable[Query]", /) -> list[list[Any]]:
        # A stream of facts cannot be among them.
        self._send()
        try:
            with self._connection.pipeline():
                asked = [self.execute(sql, parameters) for sql, parameters in queries]
        except BaseException:
            # A query behind one that fails is not prepared, and yet called prepared by psycopg from then on.
            self.close()
            raise
        return [cursor.fetchall() for cursor in asked]

    def _send(self) -> None:
        if self.arrivals.waiting:
            self.arrivals.send()

    def fileno(self) -> int:
        return self._connection.fileno()

    def heard(self) -> Iterator[str]:
        """What was said on the channels that this connection listens on, as far as it is here by now."""
        link = self._connection.pgconn
        link.consume_input()
        while said := link.notifies():
            yield said.extra.decode()

    @property
    def is_lost(self) -> bool:
        return self._connection.closed or self._connection.broken

    def begin(self, how: str) -> None:
        self.arrivals.clear()
        self.places.clear()
        self._executed(how.encode())

    def write(self) -> None:
        """Send what waits for the end of the transaction."""
        self.places.write()
        self._send()

    def commit(self) -> bool:
        """End the transaction; False where the server had given it up already."""
        self.write()
        return self._executed(b"COMMIT").statusmessage == "COMMIT"

    def roll_back(self) -> None:
        """End the transaction, if there is one; a connection on which that fails is closed, and so ends it."""
        self.arrivals.clear()
        self.places.clear()
        if not self.is_lost and self._connection.info.transaction_status != TransactionStatus.IDLE:
            try:
                self._connection.execute(b"ROLLBACK")
            except psycopg.Error:
                self.close()

    def close(self) -> None:
        self._connection.close()


def link_of(address: str) -> dict[str, Any]:
    """How a connection to this address is made. Raises `usage` where the address cannot be read."""
    try:
        own = psycopg.conninfo.conninfo_to_dict(address)
    except psycopg.ProgrammingError:
        raise BrainError("usage", UNREADABLE) from None
    link = {name: value for name, value in _LINK.items() if name not in own}
    # Also where the address, the environment or the user's own settings say otherwise.
    link["client_encoding"] = "UTF8"
    return {**link, "autocommit": True, "prepare_threshold": _PREPARED_AFTER}


def set_up(connection: "psycopg.Connection[Any]") -> None:
    """Let a connection be used as the store uses it."""
    adapters = connection.adapters
    adapters.register_dumper(str, TextDumper)
    # One size for all: the type of a parameter is part of what is prepared.
    adapters.register_dumper(int, Int8Dumper)
    adapters.register_dumper(bool, _Flag)
    adapters.register_loader("text", TextLoader)
    connection.execute("; ".join(f"SET {name} = {value!r}" for name, value in _SETTINGS.items()).encode())


def connected(address: str) -> PostgresConnection:
    """Connect to a database. Raises psycopg's errors, and `usage` where the address cannot be read."""
    connection: psycopg.Connection[Any] = psycopg.connect(address, **link_of(address))
    try:
        set_up(connection)
    except BaseException:
        connection.close()
        raise
    return PostgresConnection(connection)

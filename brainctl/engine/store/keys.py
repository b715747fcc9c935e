"""Keys: rows in, rows out. What a key may do is the gate's."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from typing import NamedTuple

from brainctl.engine.store.connection import Connection


class KeyRow(NamedTuple):
    """A key as it is kept: the digest of its secret, never the secret. Times are milliseconds since 1970."""

    key_id: str
    workspace: int
    name: str
    prefix: str
    digest: bytes
    scopes: tuple[str, ...]
    audience: str
    created: int
    expires: int | None
    revoked: int | None


_COLUMNS = "key_id, workspace, name, prefix, digest, scopes, audience, created, expires, revoked"


def _key_row(row: tuple[str, int, str, str, bytes, str, str, int, int | None, int | None]) -> KeyRow:
    key_id, workspace, name, prefix, digest, scopes, audience, created, expires, revoked = row
    return KeyRow(
        key_id, workspace, name, prefix, digest, tuple(scopes.split()), audience, created, expires, revoked
    )


def read_key(connection: Connection, digest: bytes) -> KeyRow | None:
    row = connection.execute(f"SELECT {_COLUMNS} FROM keys WHERE digest = ?", (digest,)).fetchone()
    return _key_row(row) if row else None


def read_keys(connection: Connection, workspace: int) -> list[KeyRow]:
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM keys WHERE workspace = ? ORDER BY created, key_id", (workspace,)
    )
    return [_key_row(row) for row in rows]


def write_key(connection: Connection, key: KeyRow) -> None:
    connection.execute(
        f"INSERT INTO keys ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (*key[:5], " ".join(key.scopes), *key[6:]),
    )


def hold_key(connection: Connection, workspace: int, key_id: str) -> bool:
    """Let nobody remove a key before the end of this transaction; False where it is gone."""
    row = connection.execute(
        f"SELECT 1 FROM keys WHERE workspace = ? AND key_id = ? {connection.dialect.named}",
        (workspace, key_id),
    ).fetchone()
    return row is not None


def hold_keys(connection: Connection, workspace: int) -> None:
    """Wait until nobody holds any of the keys, and let nobody hold one before the end of this transaction."""
    connection.execute(
        f"SELECT key_id FROM keys WHERE workspace = ? {connection.dialect.going}", (workspace,)
    ).fetchall()


def write_all_revoked(connection: Connection, workspace: int, now_ms: int) -> None:
    connection.execute(
        "UPDATE keys SET revoked = ? WHERE workspace = ? AND revoked IS NULL", (now_ms, workspace)
    )


def write_revoked(connection: Connection, workspace: int, key_id: str, now_ms: int) -> None:
    connection.execute(
        "UPDATE keys SET revoked = ? WHERE workspace = ? AND key_id = ? AND revoked IS NULL",
        (now_ms, workspace, key_id),
    )

"""The gate of a brain: keys are made, shown once, admitted and turned away here."""

import os
from collections.abc import Iterable, Sequence
from typing import Final

from brainctl.contract.bounds import AUDIENCES, ID_MAX, SCOPES
from brainctl.contract.errors import BrainError, scope_missing
from brainctl.contract.keys import LABELS, key_prefix
from brainctl.engine.digest import same_digest, sha256
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow, hold_key, read_keys, write_key, write_revoked
from brainctl.engine.store.store import Store, keys_of

_LABEL: Final = LABELS[1]
"""Brains of one's own give out keys that no production client would send elsewhere."""

_BASE62: Final = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
_RANDOM_BYTES: Final = 32
_RANDOM_LENGTH: Final = 43
"""Digits of base 62 that 32 random bytes take."""


class NewKey:
    """A key just made. The secret is nowhere else and cannot be had again."""

    def __init__(self, secret: str, key: KeyRow) -> None:
        self.secret = secret
        self.key = key

    def __repr__(self) -> str:
        return f"NewKey({key_prefix(self.secret)}…)"


def _digest(secret: str) -> bytes:
    return sha256(secret.encode(errors="surrogatepass"))


def _new_secret(entropy: Entropy) -> str:
    number = int.from_bytes(entropy(_RANDOM_BYTES), "big")
    return _LABEL + "".join(_BASE62[number // 62**place % 62] for place in range(_RANDOM_LENGTH))


def _refuse_key(
    name: str, audience: str, scopes: tuple[str, ...], expires_ms: int | None, now_ms: int
) -> None:
    """Raises `validation_error` where no key can be made so."""
    if not name.strip() or len(name) > ID_MAX:
        raise BrainError("validation_error", f"A key's name has 1 to {ID_MAX} characters")
    if audience not in AUDIENCES:
        raise BrainError(
            "validation_error", f"A key's audience is {' or '.join(AUDIENCES)}, not {audience!r}"
        )
    unknown = [scope for scope in scopes if scope not in SCOPES]
    if unknown or not scopes:
        what = f"{unknown[0]!r} is none" if unknown else "it has none"
        raise BrainError("validation_error", f"A key needs one scope or more of {', '.join(SCOPES)}; {what}")
    if expires_ms is not None and expires_ms <= now_ms:
        raise BrainError(
            "validation_error", "A key's expiry lies in the future; this one would be dead at once"
        )


def create_key(
    store: Store,
    workspace: int,
    name: str,
    audience: str,
    scopes: Iterable[str],
    *,
    now_ms: int,
    expires_ms: int | None = None,
    entropy: Entropy = os.urandom,
) -> NewKey:
    """Make a key; scopes and audience never change afterwards. Raises `validation_error`, also for a name in use."""
    wanted = set(scopes)
    ordered = (*(scope for scope in SCOPES if scope in wanted), *sorted(wanted - set(SCOPES)))
    _refuse_key(name, audience, ordered, expires_ms, now_ms)
    secret = _new_secret(entropy)
    key = KeyRow(
        key_id=new_id("key", now_ms, entropy),
        workspace=workspace,
        name=name,
        prefix=key_prefix(secret),
        digest=_digest(secret),
        scopes=ordered,
        audience=audience,
        created=now_ms,
        expires=expires_ms,
        revoked=None,
    )
    with store.transaction(keys_of(workspace)) as connection:
        if any(other.name == name and other.revoked is None for other in read_keys(connection, workspace)):
            raise BrainError(
                "validation_error", f"There is a key named {name!r} already; revoke it or choose another name"
            )
        write_key(connection, key)
    return NewKey(secret, key)


def revoke_key(store: Store, workspace: int, which: str, *, now_ms: int) -> KeyRow:
    """Revoke the key of this name, prefix or id: it fails on its next request.

    Raises as `key_named` does.
    """
    with store.transaction(keys_of(workspace)) as connection:
        live = [key for key in read_keys(connection, workspace) if key.revoked is None]
        key = key_named(live, which)
        write_revoked(connection, workspace, key.key_id, now_ms)
    return key._replace(revoked=now_ms)


def key_named(keys: Sequence[KeyRow], which: str) -> KeyRow:
    """The key of this name, else of this id, else of this prefix; a live one before one that is revoked.

    Raises `not_found`, and `validation_error` where it fits several.
    """
    # A name may look like another key's prefix: what a person calls a key goes first.
    found = (
        [key for key in keys if key.name == which]
        or [key for key in keys if key.key_id == which]
        or [key for key in keys if key.prefix == which.rstrip("…")]
    )
    found = [key for key in found if key.revoked is None] or found
    if not found:
        raise BrainError(
            "not_found", "There is no key of that name, prefix or id; `brainctl brain keys list` shows them"
        )
    if len(found) > 1:
        names = ", ".join(f"{key.name!r} {key.key_id}" for key in found)
        raise BrainError("validation_error", f"That fits several keys ({names}); give the id of one")
    return found[0]


def admit(store: Store, secret: str, now_ms: int) -> KeyRow:
    """The key behind a secret. Raises `api_key_invalid`, `api_key_revoked` or `api_key_expired`."""
    digest = _digest(secret)
    key = store.key_by_digest(digest)
    if key is None or not same_digest(key.digest, digest):
        raise BrainError("api_key_invalid")
    if key.revoked is not None:
        raise BrainError("api_key_revoked")
    if key.expires is not None and now_ms >= key.expires:
        raise BrainError("api_key_expired")
    return key


def hold(connection: Connection, key: KeyRow) -> None:
    """Let nobody remove a key before the end of this transaction. Raises `api_key_invalid` where it is gone."""
    if not hold_key(connection, key.workspace, key.key_id):
        raise BrainError("api_key_invalid")


def require(key: KeyRow, scope: str) -> None:
    """Raises `scope_missing`, naming the scope, where the key does not have it."""
    if scope not in key.scopes:
        raise scope_missing(scope)

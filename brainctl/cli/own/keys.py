"""A key of a brain of one's own, as its owner is told of it."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brainctl.engine.store.keys import KeyRow


def time_or_none(milliseconds: int | None) -> str | None:
    """A time as the API writes it, where there is one."""
    from brainctl.engine import times

    return None if milliseconds is None else times.to_text(milliseconds)


def key_row(key: "KeyRow", now_ms: int) -> dict[str, Any]:
    """A key as a plain mapping, with whether it is live, revoked or expired."""
    state = "live"
    if key.revoked is not None:
        state = "revoked"
    elif key.expires is not None and now_ms >= key.expires:
        state = "expired"
    return {
        "key_name": key.name,
        "key_prefix": key.prefix,
        "key_audience": key.audience,
        "scopes": list(key.scopes),
        "state": state,
        "created_at": time_or_none(key.created),
        "expires_at": time_or_none(key.expires),
        "revoked_at": time_or_none(key.revoked),
    }

"""The system's keyring, which may be absent, locked, or hang: it is asked in a thread of its own, and not for long."""

from collections.abc import Callable, Mapping
from typing import Any, Final, Literal, TypeVar

SERVICE: Final = "brainctl"
LIMIT_SECONDS: Final = 3.0

T = TypeVar("T")

Dropped = Literal["gone", "kept", "unknown"]
"""What became of a secret that was to be dropped; `unknown` where there is no keyring here that could be asked."""


def is_off(environ: Mapping[str, str]) -> bool:
    """Whether BRAINCTL_KEYRING says that the keyring is not to be touched."""
    return environ.get("BRAINCTL_KEYRING", "").strip().lower() == "off"


def may_be_there(environ: Mapping[str, str]) -> bool:
    """Whether there is a keyring to ask at all."""
    if is_off(environ):
        return False
    from importlib.util import find_spec

    return find_spec("keyring") is not None


def store_in_keyring(
    environ: Mapping[str, str], slot: str, secret: str, limit: float = LIMIT_SECONDS
) -> bool | None:
    """Whether the keyring took the secret and gives it back. False where it surely has none of it; None where nobody
    knows, as it did not answer within `limit` seconds. Never raises.
    """

    def store() -> bool:
        try:
            import keyring

            keyring.set_password(SERVICE, slot, secret)
        except BaseException:  # noqa: BLE001  # a backend may raise anything, and the file stands in for it
            return False
        if keyring.get_password(SERVICE, slot) == secret:
            return True
        # One that is switched off takes everything and keeps nothing.
        _delete(keyring, slot)
        return False

    return False if is_off(environ) else _within(limit, store)


def read_from_keyring(environ: Mapping[str, str], slot: str, limit: float = LIMIT_SECONDS) -> str | None:
    """The secret, or None where the keyring has none, is off, or does not answer within `limit` seconds. Never raises."""

    def read() -> str | None:
        import keyring

        return keyring.get_password(SERVICE, slot)

    return None if is_off(environ) else _within(limit, read)


def drop_from_keyring(environ: Mapping[str, str], slot: str, limit: float = LIMIT_SECONDS) -> Dropped:
    """What becomes of the secret that the keyring may have, as far as it says. Never raises."""

    def drop() -> Dropped:
        import keyring

        return _delete(keyring, slot)

    return (_within(limit, drop) or "kept") if may_be_there(environ) else "unknown"


def _delete(keyring: Any, slot: str) -> Dropped:
    try:
        keyring.delete_password(SERVICE, slot)
    except Exception as error:
        if type(error).__name__ == "NoKeyringError":
            return "unknown"
        # The same is raised by one that is locked, and by one that has no such entry.
        if keyring.get_password(SERVICE, slot) is not None:
            raise
    return "gone"


def _within(limit: float, call: Callable[[], T]) -> T | None:
    """What `call` returns; None if it fails in any way or is not done in time, and then it is left to itself."""
    import threading

    result: list[T | None] = []

    def run() -> None:
        try:
            result.append(call())
        except BaseException:  # noqa: BLE001  # a backend may raise anything, and the file stands in for it
            result.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    return result[0] if result else None

"""The system's keyring, which may be absent, locked, or hang: it is asked in a thread of its own, and not for long."""

from collections.abc import Callable, Mapping
from typing import Final

SERVICE: Final = "brainctl"
LIMIT_SECONDS: Final = 3.0


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
) -> bool:
    """Whether the keyring took the secret and gives it back, within `limit` seconds. Never raises."""

    def store() -> str | None:
        import keyring

        keyring.set_password(SERVICE, slot, secret)
        # A keyring that is switched off takes everything and keeps nothing.
        return keyring.get_password(SERVICE, slot)

    return not is_off(environ) and _within(limit, store) == secret


def read_from_keyring(environ: Mapping[str, str], slot: str, limit: float = LIMIT_SECONDS) -> str | None:
    """The secret, or None where the keyring has none, is off, or does not answer within `limit` seconds. Never raises."""

    def read() -> str | None:
        import keyring

        return keyring.get_password(SERVICE, slot)

    return None if is_off(environ) else _within(limit, read)


def drop_from_keyring(environ: Mapping[str, str], slot: str, limit: float = LIMIT_SECONDS) -> bool:
    """Whether the keyring is now without the secret, as far as it says. Never raises."""

    def drop() -> str:
        import keyring

        keyring.delete_password(SERVICE, slot)
        return "gone"

    return not is_off(environ) and _within(limit, drop) is not None


def _within(limit: float, call: Callable[[], str | None]) -> str | None:
    """What `call` returns; None if it fails in any way or is not done in time, and then it is left to itself."""
    import threading

    result: list[str | None] = []

    def run() -> None:
        try:
            result.append(call())
        except BaseException:  # noqa: BLE001  # a backend may raise anything, and the file stands in for it
            result.append(None)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(limit)
    return result[0] if result else None

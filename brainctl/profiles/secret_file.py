"""The file in which secrets lie that no system keyring holds. It is 0600 from the moment it is made.

A change of the keys writes here and in the configuration, and may be killed in between. So whatever it adds, moves
or takes out is first written down here as being in doubt; once the configuration stands, that decides.
"""

import os
import time
from collections.abc import Callable, Collection, Mapping
from typing import Any, Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.profiles.entries import SecretPlace
from brainctl.profiles.files import DamagedFileError, read_json, set_aside, write_json
from brainctl.profiles.paths import places

DOUBTS: Final = "in_doubt"


class Held(NamedTuple):
    """A secret by where it is kept: the `kind` of its place (`file`, `keyring`), and the slot it is filed under there."""

    kind: str
    slot: str

    @classmethod
    def of(cls, place: SecretPlace, slot: str) -> "Held":
        return cls(place.kind, slot)


class Reading(NamedTuple):
    """A secret that was read, and a sentence for the user if something about it is not as it should be."""

    secret: str
    warning: str | None = None

    def __repr__(self) -> str:
        return f"Reading(warning={self.warning!r})"


def secret_file(environ: Mapping[str, str]) -> str:
    """The file's path: among the data, since people share their configuration folders."""
    return os.path.join(places(environ).data, "secrets.json")


def read_secret_file(environ: Mapping[str, str], slot: str) -> Reading | None:
    """The secret filed under `slot`, or None. Raises `BrainError` where the file cannot be read."""
    path = secret_file(environ)
    found = _secrets(path, read_json(path) or {}).get(slot)
    return Reading(found, _seen_by_others(path)) if isinstance(found, str) else None


def change_secret_file(
    environ: Mapping[str, str],
    changes: Mapping[str, str | None],
    warn: Callable[[str], None],
    *,
    in_doubt: Collection[Held] = (),
    settled: Collection[Held] = (),
    clock: Callable[[], float] = time.time,
) -> None:
    """File each secret under its slot, or take it out where it is None. Call it under the configuration's lock.

    `in_doubt` are the secrets, here or in the keyring, of which the configuration is about to say whether they stay;
    `settled` are those of which it has. A damaged file is kept aside, as `warn` is told, when there is a secret to
    file. Raises `BrainError` where the file cannot be written.
    """
    path = secret_file(environ)
    damaged = False
    try:
        content = read_json(path) or {}
    except DamagedFileError:
        content, damaged = {}, True
    secrets = dict(_secrets(path, content))
    doubts = _doubts(content)
    before = dict(secrets), dict(doubts)
    for slot, secret in changes.items():
        if secret is None:
            secrets.pop(slot, None)
        else:
            secrets[slot] = secret
    doubts |= dict.fromkeys(in_doubt, clock())
    for held in settled:
        doubts.pop(held, None)
    if (secrets, doubts) == before:
        return
    if damaged:
        if not secrets:
            warn(
                f"{path} is damaged and was left as it is: keys that were to be taken out may still be in it."
            )
            return
        set_aside(path, warn)
    content = {"version": 1, **content, "secrets": secrets}
    content.pop(DOUBTS, None)
    if doubts:
        content[DOUBTS] = {" ".join(held): at for held, at in doubts.items()}
    write_json(path, content)


def read_doubts(environ: Mapping[str, str]) -> dict[Held, float]:
    """What is in doubt, and since when (seconds since 1970). Raises `BrainError` where the file cannot be read."""
    path = secret_file(environ)
    content = read_json(path) or {}
    _secrets(path, content)
    return _doubts(content)


def _doubts(content: dict[str, Any]) -> dict[Held, float]:
    kept = content.get(DOUBTS)
    if not isinstance(kept, dict):
        return {}
    return {
        Held(*name.split(" ")): float(at)
        for name, at in kept.items()
        if name.count(" ") == 1 and isinstance(at, int | float)
    }


def _secrets(path: str, content: dict[str, Any]) -> dict[str, Any]:
    secrets = content.get("secrets", {})
    version = content.get("version", 1)
    if version != 1 or not isinstance(secrets, dict):
        raise BrainError(
            "usage",
            f"{path} is not a file of secrets that this brainctl knows: update brainctl, or move the file away "
            "and add the keys again.",
        )
    return secrets


def _seen_by_others(path: str) -> str | None:
    if os.name != "posix":
        return None
    try:
        mode = os.stat(path).st_mode & 0o777
    except OSError:
        return None
    if not mode & 0o077:
        return None
    return f"{path} holds your keys and other users may get at it (its mode is {mode:04o}): run `chmod 600 {path}`."

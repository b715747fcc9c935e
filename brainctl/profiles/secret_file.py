"""The file in which secrets lie that no system keyring holds. It is 0600 from the moment it is made."""

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.profiles.files import DamagedFileError, read_json, set_aside, write_json
from brainctl.profiles.paths import places


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
    environ: Mapping[str, str], changes: Mapping[str, str | None], warn: Callable[[str], None]
) -> None:
    """File each secret under its slot, or take it out where it is None. Call it under the configuration's lock.

    A damaged file is kept aside, as `warn` is told, when there is a secret to file.
    Raises `BrainError` where the file cannot be written.
    """
    path = secret_file(environ)
    damaged = False
    try:
        content = read_json(path) or {}
    except DamagedFileError:
        content, damaged = {}, True
    secrets = dict(_secrets(path, content))
    before = dict(secrets)
    for slot, secret in changes.items():
        if secret is None:
            secrets.pop(slot, None)
        else:
            secrets[slot] = secret
    if secrets == before:
        if damaged:
            warn(
                f"{path} is damaged and was left as it is: keys that were to be taken out may still be in it."
            )
        return
    if damaged:
        set_aside(path, warn)
    write_json(path, {"version": 1, **content, "secrets": secrets})


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

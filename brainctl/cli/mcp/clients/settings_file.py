"""Changing a file that belongs to another program, so that it is never lost, and never half written."""

import hashlib
import os
import stat
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from brainctl.cli.mcp.clients.jsonc import EditError
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import key_prefix, masked, secrets_in
from brainctl.profiles.files import locked, make_folders

BOM: Final = b"\xef\xbb\xbf"
TRIES: Final = 3
PRIVATE: Final = 0o600

Change = Callable[[str], str]


class Edit(NamedTuple):
    """A file as it is (None where there is none) and as it is to be."""

    path: str
    before: bytes | None
    after: bytes

    @property
    def changes(self) -> bool:
        return (self.before or b"") != self.after

    def diff(self) -> str:
        """What would change, as a unified diff; empty where nothing would."""
        import difflib

        old, new = (
            data.removeprefix(BOM).decode().replace("\r\n", "\n").splitlines(keepends=True)
            for data in (self.before or b"", self.after)
        )
        name_before = self.path if self.before is not None else os.devnull
        lines = difflib.unified_diff(old, new, name_before, self.path)
        return "".join(
            line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
        )


def planned(path: str, change: Change) -> Edit:
    """What `change` makes of the file. Raises `usage` where the file cannot be read or not be changed safely."""
    before = _read(path)
    mark = BOM if before is not None and before.startswith(BOM) else b""
    try:
        text = (before or b"").removeprefix(BOM).decode()
    except UnicodeDecodeError as error:
        raise BrainError(
            "usage",
            f"{path} is not UTF-8 (byte {error.start + 1}) and was left as it is: convert it, and run again.",
        ) from None
    try:
        changed = change(text)
    except EditError as error:
        raise BrainError(
            "usage", f"{path} was left as it is: {error}. Mend it by hand, and run again."
        ) from None
    return Edit(path, before, mark + changed.encode())


def changed(
    path: str,
    change: Change,
    *,
    state: str,
    new_mode: int = PRIVATE,
    private: bool = False,
    now: Callable[[], float] = time.time,
) -> tuple[Edit, str | None]:
    """Change the file, whole or not at all; returns what was done, and the path of the old one's copy,
    from which keys that are taken out are left out.

    A symbolic link is followed to its target. Mode stays (`private` narrows it to its user), a new file gets
    `new_mode`. `state` is the folder for the lock. Raises `usage` or `fault`; the file is then as it was.
    """
    target = os.path.realpath(path)
    lock = os.path.join(state, "mcp", hashlib.sha256(os.fsencode(target)).hexdigest()[:16])
    with locked(lock):
        for _ in range(TRIES):
            edit = planned(target, change)
            if not edit.changes:
                return edit, None
            mode = _mode(path, target, new_mode)
            try:
                backup = _copied(edit, mode, now()) if edit.before is not None else None
                if _replaced(edit, PRIVATE if private else mode):
                    return edit, backup
                if backup is not None:
                    os.unlink(backup)
            except OSError as error:
                raise _file_error(path, "written", error) from None
    raise BrainError(
        "fault", f"{path} is being changed by its own program all the time: end that, and run again."
    )


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise _file_error(path, "read", error) from None


def _file_error(path: str, doing: str, error: OSError) -> BrainError:
    reason = (error.strerror or type(error).__name__).lower()
    return BrainError("usage", f"{path} cannot be {doing}: {reason}; check its permissions and its folder's.")


def _mode(path: str, target: str, new_mode: int) -> int:
    try:
        mode = stat.S_IMODE(os.stat(target).st_mode)
    except FileNotFoundError:
        return new_mode
    except OSError as error:
        raise _file_error(path, "read", error) from None
    if not mode & stat.S_IWUSR:
        raise BrainError(
            "usage", f"{path} is read-only and was left as it is: make it writable, and run again."
        )
    return mode


def _copied(edit: Edit, mode: int, now: float) -> str:
    stamp = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(now))
    number = 1
    while True:
        backup = f"{edit.path}.backup-{stamp}" + (f"-{number}" if number > 1 else "")
        try:
            _write_new(backup, _copy(edit), mode)
        except FileExistsError:
            number += 1
        else:
            return backup


def _copy(edit: Edit) -> bytes:
    """The old file, without the keys that the new one has no more: in a copy they would be left lying about."""
    text = (edit.before or b"").decode()
    for secret in secrets_in(text) - secrets_in(edit.after.decode()):
        text = text.replace(secret, masked(key_prefix(secret)))
    return text.encode()


def _replaced(edit: Edit, mode: int) -> bool:
    """Put the new file in place, unless the old one has changed since it was read."""
    make_folders(os.path.dirname(edit.path))
    temporary = f"{edit.path}.{os.urandom(6).hex()}.tmp"
    try:
        _write_new(temporary, edit.after, mode)
        if _read(edit.path) != edit.before:
            return False
        os.replace(temporary, edit.path)
        return True
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def _write_new(path: str, data: bytes, mode: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    with open(os.open(path, flags, PRIVATE), "wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    os.chmod(path, mode)

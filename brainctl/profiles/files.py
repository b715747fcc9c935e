"""Files that many processes read and change at once, and that must never be lost, seen half-written, or seen by others."""

import errno
import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TypeVar

from brainctl.contract.errors import BrainError

_MACHINE_AT_FAULT: Final = {errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_POLL_SECONDS: Final = 0.01
_IN_USE_TRIES: Final = 200
"""How often a file that somebody else has open is tried again: two seconds in all."""

T = TypeVar("T")


class DamagedFileError(BrainError):
    """A file of ours that is not JSON, or not a JSON object. Reading has left it as it was."""

    def __init__(self, path: str) -> None:
        super().__init__(
            "usage",
            f"{path} is damaged (it is not a JSON object in UTF-8) and was left as it is: mend it by hand, or let the "
            "next command that changes it (for keys, `brainctl keys add`) keep it aside and start a new one.",
        )


def file_error(path: str, doing: str, error: OSError) -> BrainError:
    """The sentence for an `OSError` on `path`; `doing` is `read`, `written` and the like."""
    reason = (error.strerror or type(error).__name__).lower()
    if error.errno in _MACHINE_AT_FAULT:
        return BrainError("fault", f"{path} cannot be {doing}: {reason}; make room or check the disk.")
    return BrainError(
        "usage",
        f"{path} cannot be {doing}: {reason}; check its permissions and its folder's, "
        "or set BRAINCTL_HOME to another folder.",
    )


def make_folders(folder: str) -> None:
    """Create `folder` and the missing ones above it, each for this user alone (0700). Raises `OSError`."""
    missing = []
    while not os.path.isdir(folder):
        missing.append(folder)
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    for each in reversed(missing):
        try:
            os.mkdir(each, 0o700)
        except FileExistsError:
            # Another process may have made it in between; a file in its place is a true error.
            if not os.path.isdir(each):
                raise


def write_atomically(path: str, data: bytes) -> None:
    """Put `data` in place of the file at `path`, whole or not at all, readable by this user alone (0600).

    A symbolic link is written through: the link stays, its target is replaced. Missing folders are made.
    Raises `BrainError` (`usage`, or `fault` for a full or failing disk); the old file is then untouched.
    """
    target = os.path.realpath(path)
    try:
        make_folders(os.path.dirname(target))
        temporary, descriptor = _fresh_file_beside(target)
        try:
            try:
                write_all(descriptor, data)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            _once_free(lambda: os.replace(temporary, target))
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
    except OSError as error:
        raise file_error(path, "written", error) from None


def append(path: str, data: bytes, mode: int = 0o600, *, sync: bool = False) -> None:
    """Write `data` behind what is in the file, which is made with `mode` where there is none; with `sync`, until it is on
    the disk. Raises `OSError`.
    """
    flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | getattr(os, "O_BINARY", 0)
    descriptor = os.open(path, flags, mode)
    try:
        write_all(descriptor, data)
        if sync:
            os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_all(descriptor: int, data: bytes) -> None:
    """Write `data`, however little the system takes at a time. Raises `OSError`."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(descriptor, rest) :]


def read_bytes(path: str) -> bytes | None:
    """The file's bytes, or None where there is none. Raises `BrainError` where there is one that cannot be read."""
    try:
        return _once_free(lambda: _content_of(path))
    except FileNotFoundError:
        return None
    except OSError as error:
        raise file_error(path, "read", error) from None


def read_json(path: str) -> dict[str, Any] | None:
    """The JSON object in the file (a byte order mark is passed over), or None where there is no file.

    Raises `DamagedFileError` for anything else, and changes nothing.
    """
    raw = read_bytes(path)
    if raw is None:
        return None
    content = None
    with suppress(ValueError, RecursionError):
        content = json.loads(raw.decode("utf-8-sig"))
    # Raised out here, since the decoder's own error carries the whole file, and the file may hold secrets.
    if not isinstance(content, dict):
        raise DamagedFileError(path)
    return content


def write_json(path: str, content: dict[str, Any]) -> None:
    """Write `content` as readable JSON. Raises as `write_atomically` does."""
    # ASCII, so that a lone surrogate out of a brain's text cannot stop the file from being written.
    write_atomically(path, (json.dumps(content, indent=2) + "\n").encode("ascii"))


def set_aside(path: str, warn: Callable[[str], None]) -> None:
    """Keep a damaged file under another name, as `warn` is told in a sentence. Call it under the lock."""
    warn(f"{path} was damaged; it is kept as {keep_aside(path)}, and a new file was started.")


def keep_aside(path: str) -> str:
    """Move the file to the first free `NAME.corrupt-N` beside it, and return that path. Call it under the lock."""
    target = os.path.realpath(path)
    number = 1
    while os.path.lexists(kept := f"{target}.corrupt-{number}"):
        number += 1
    try:
        os.rename(target, kept)
    except OSError as error:
        raise file_error(path, "moved aside", error) from None
    return kept


@contextmanager
def locked(
    path: str,
    *,
    timeout: float = 10.0,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> Iterator[None]:
    """Hold the lock of `path` against every process and thread, through a file `NAME.lock` beside it that stays.

    The lock goes with the process, even one that is killed. Raises `BrainError`: `fault` after `timeout` seconds
    of waiting, `usage` where the lock file cannot be made.
    """
    target = os.path.realpath(path)
    lock_path = f"{target}.lock"
    try:
        make_folders(os.path.dirname(target))
        descriptor = os.open(lock_path, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise file_error(lock_path, "made", error) from None
    try:
        give_up = clock() + timeout
        while not _take(descriptor, lock_path):
            if clock() >= give_up:
                raise BrainError(
                    "fault",
                    f"{path} is being changed by another brainctl that has not finished within {timeout:g} s: "
                    "wait for it or end it, and run again.",
                )
            sleep(_POLL_SECONDS)
        yield
    finally:
        os.close(descriptor)


def _take(descriptor: int, lock_path: str) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        # Windows has no other reason to refuse, and Wine names none at all.
        if os.name == "nt" or error.errno in (errno.EAGAIN, errno.EACCES, errno.EDEADLK, errno.EINTR):
            return False
        raise file_error(lock_path, "locked", error) from None
    return True


def _content_of(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def _once_free(action: Callable[[], T]) -> T:
    """What the action returns. Windows refuses to replace a file that is being read, and to open one being replaced."""
    for _ in range(_IN_USE_TRIES if os.name == "nt" else 0):
        try:
            return action()
        except PermissionError:
            time.sleep(_POLL_SECONDS)
    return action()


def _fresh_file_beside(target: str) -> tuple[str, int]:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    temporary = f"{target}.{os.urandom(6).hex()}.tmp"
    return temporary, os.open(temporary, flags, 0o600)

"""A file that a command was told to write: there whole or not at all, and for its owner alone."""

import contextlib
import os
from collections.abc import Callable, Iterator

from brainctl.contract.errors import BrainError

Write = Callable[[bytes], object]


@contextlib.contextmanager
def saved(path: str, *, replace: bool, never: str) -> Iterator[Write]:
    """Gives what writes the file's bytes; the file gets its name at the end, and only if nothing was raised.

    A file that is there is kept unless it may be replaced, and the file `never` is kept in any case. What is no
    file, as a pipe, is written to as it is. Raises a usage error, or `fault` where the disk is full or fails.
    """
    target = os.path.realpath(path)
    if target == os.path.realpath(never):
        raise BrainError("usage", f"{path} is the brain itself: give another path.")
    there = os.path.lexists(target)
    try:
        if there and not os.path.isfile(target):
            with open(target, "wb") as stream:
                yield stream.write
            return
        if there and not replace:
            raise BrainError(
                "usage", f"There is a file {path} already: give another path, or --force to replace it."
            )
        temporary = f"{target}.{os.urandom(6).hex()}.tmp"
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
        with open(os.open(temporary, flags, 0o600), "wb") as stream:
            try:
                yield stream.write
                stream.flush()
                os.fsync(stream.fileno())
                stream.close()
                os.replace(temporary, target)
            except BaseException:
                with contextlib.suppress(OSError):
                    os.unlink(temporary)
                raise
    except BrokenPipeError:
        raise BrainError("usage", f"{path} cannot be written: whoever read it is gone.") from None
    except OSError as error:
        from brainctl.profiles.files import file_error

        raise file_error(path, "written", error) from None

"""Input that is read more than once: to check all of it, then to use it."""

from typing import IO, Any

from brainctl.contract.errors import BrainError


def open_to_reread(path: str) -> IO[bytes]:
    """A file at its beginning, one that can go back there. Raises a usage error where it cannot be read."""
    try:
        stream = open(path, "rb")  # noqa: SIM115 - the caller's stack closes it
        stream.peek(1)
    except OSError as error:
        raise BrainError("usage", f"{path} cannot be read: {error.strerror}.") from error
    if not stream.seekable():
        # A named pipe can be read once, and what is checked first is read twice.
        with stream:
            return spooled(stream)
    return stream


def spooled(stream: Any) -> IO[bytes]:
    """What can be read once, kept so that it can be read again; on disk past 8 MiB. Raises a usage error."""
    import shutil
    import tempfile

    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=8 * 1024 * 1024)  # noqa: SIM115 - the caller closes it
    if stream is None:
        raise BrainError("usage", "Standard input is closed, so there is nothing to read.")
    try:
        shutil.copyfileobj(stream, spool)
    except OSError as error:
        raise BrainError("usage", f"The input cannot be read: {error.strerror}.") from error
    spool.seek(0)
    return spool

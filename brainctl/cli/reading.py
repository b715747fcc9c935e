"""Text that a command is given: as an argument, from standard input, or from a file."""

from typing import Any

from brainctl.cli.session import Session
from brainctl.contract.errors import BrainError


def decoded(data: bytes, source: str) -> str:
    """UTF-8 text without its byte order mark. Raises a usage error that names the first bad byte."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise BrainError(
            "usage", f"{source} is not UTF-8: byte {error.start + 1} does not fit. Convert it to UTF-8 first."
        ) from error


def given_text(session: Session, argument: str | None, name: str) -> str:
    """The text of an argument; `-`, or a pipe where it was left out, reads standard input.

    One line end at the end of the input is not part of the text. Raises a usage error where there is nothing to
    read: at a terminal nobody waits for what will not come.
    """
    if argument is not None and argument != "-":
        return argument
    environment = session.environment
    if argument is None and (environment.stdin is None or environment.is_terminal(environment.stdin)):
        raise BrainError("usage", f"{name} is missing: give it as an argument, or pipe it in.")
    text = decoded(environment.read_stdin(), "Standard input")
    text = text.removesuffix("\n").removesuffix("\r")
    if not text.strip():
        raise BrainError("usage", f"{name} is missing: standard input was empty.")
    return text


def given_bytes(session: Session, path: str) -> bytes:
    """All of a file, or of standard input for `-`. Raises a usage error where it cannot be read."""
    if path == "-":
        return session.environment.read_stdin()
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError as error:
        raise BrainError("usage", f"{path} cannot be read: {error.strerror}.") from error


def is_batch(batch: str | None, resume: str | None, argument: str | None, name: str) -> bool:
    """Whether many requests are made in one run. Raises a usage error for what does not go together."""
    if batch is None:
        if resume is not None:
            raise BrainError("usage", "--resume goes with --batch: it names the file that a batch writes.")
        return False
    if argument is not None:
        raise BrainError("usage", f"Give {name} or --batch: a batch brings its own.")
    return True


def end_user(identity: str | None, name: str | None) -> dict[str, Any]:
    """The `end_user` part of a request; empty where nobody was named."""
    if identity is None:
        if name is not None:
            raise BrainError("usage", "--end-user-name goes with --end-user: a name alone chooses nobody.")
        return {}
    person = {"id": identity}
    if name is not None:
        person["name"] = name
    return {"end_user": person}

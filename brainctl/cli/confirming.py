"""Asks before something is lost."""

from typing import TYPE_CHECKING

from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session


def confirm(session: "Session", question: str, *, yes: bool) -> None:
    """Returns where the answer is yes. Raises a usage error where it is no, or where nobody can be asked."""
    if yes:
        return
    environment = session.environment
    if not environment.is_terminal(environment.stdin) or not environment.is_terminal(environment.stderr):
        raise BrainError("usage", f"{question} There is no terminal to ask at: give --yes to do it.")
    session.output.prompt(f"{question} [y/N] ")
    answer = environment.stdin.readline() if environment.stdin is not None else b""
    if answer.strip().lower() not in {b"y", b"yes"}:
        raise BrainError("usage", "Nothing was changed.")

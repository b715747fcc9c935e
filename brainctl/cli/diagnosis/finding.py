"""What one look at the set-up came to."""

from typing import Final, Literal, NamedTuple

from brainctl.cli import exits
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets

State = Literal["ok", "warning", "failure"]


class Finding(NamedTuple):
    """A failure is what stops a command, and `exit_code` what the command would exit with; a warning does not.

    `advice` is what to do, where there is something. `check` is set by whoever asks for the finding.
    """

    state: State
    message: str
    advice: str = ""
    exit_code: int = exits.DONE
    code: str | None = None
    check: str = ""

    def row(self) -> dict[str, str]:
        """The finding as a plain mapping; `code` only where it is an error of a known kind."""
        row = {"check": self.check, "state": self.state, "message": self.message, "advice": self.advice}
        return row if self.code is None else {**row, "code": self.code}


def ok(message: str, advice: str = "") -> Finding:
    return Finding("ok", message, advice)


def warning(message: str, advice: str = "") -> Finding:
    return Finding("warning", message, advice)


def failure(error: BrainError) -> Finding:
    """The finding that an error of a command is."""
    outcome = exits.outcome_of(error)
    return Finding("failure", mask_secrets(error.message), outcome.advice, outcome.exit_code, error.code)


def broken(error: Exception) -> Finding:
    """The finding where the look itself went wrong."""
    return Finding(
        "failure",
        f"This could not be looked at: {type(error).__name__}.",
        exits.OUTCOMES[_FAULT].advice,
        exits.FAULT,
        _FAULT,
    )


_FAULT: Final = "fault"

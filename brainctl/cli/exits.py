"""One table from error codes to exit codes and advice."""

from typing import Final, NamedTuple

from brainctl.contract.errors import BrainError

DONE: Final = 0
FAULT: Final = 1
USAGE: Final = 2
WAIT_RAN_OUT: Final = 10
UNMET: Final = 12
"""An expectation of `expect` does not hold."""
INTERRUPTED: Final = 130
READER_GONE: Final = 141
TERMINATED: Final = 143


class Outcome(NamedTuple):
    """What a code comes to at the shell: the exit code, and what to do next in a sentence ("" where there is nothing to add)."""

    exit_code: int
    advice: str


OUTCOMES: Final[dict[str, Outcome]] = {
    "internal_error": Outcome(FAULT, "Try again; if it persists, report the time of this request."),
    "fault": Outcome(FAULT, ""),
    "unwritable": Outcome(FAULT, ""),
    "store_error": Outcome(FAULT, ""),
    "usage": Outcome(USAGE, ""),
    "validation_error": Outcome(USAGE, ""),
    "method_not_allowed": Outcome(USAGE, ""),
    "no_key": Outcome(3, ""),
    "api_key_invalid": Outcome(3, "Check the key's environment, or add a new key with `brainctl keys add`."),
    "api_key_revoked": Outcome(3, "Create a new key, then `brainctl keys add`."),
    "api_key_expired": Outcome(3, "Create a new key, then `brainctl keys add`."),
    "scope_missing": Outcome(4, "Scopes are fixed at creation: create a key that has it."),
    "forbidden": Outcome(4, "Use the address that this brain is served under."),
    "not_found": Outcome(5, ""),
    "conversation_busy": Outcome(6, "Wait for it to finish, or use a different conversation."),
    "idempotency_key_reused": Outcome(
        6, "Send the same question again, or use a new key for a new question."
    ),
    "rate_limited": Outcome(7, "Wait a minute, or give each of your services a key of its own."),
    "out_of_credits": Outcome(8, "Add credits to the workspace; nothing runs until you do."),
    "run_failed": Outcome(9, ""),
    "wait_interrupted": Outcome(INTERRUPTED, ""),
    "interrupted": Outcome(INTERRUPTED, ""),
    "not_sent": Outcome(FAULT, ""),
    "unreachable": Outcome(11, ""),
    "bad_response": Outcome(11, ""),
}
"""Every code of the contract has its row here."""

LASTING: Final = frozenset(
    {
        "no_key",
        "usage",
        "store_error",
        "unreachable",
        "api_key_invalid",
        "api_key_revoked",
        "api_key_expired",
        "scope_missing",
        "forbidden",
    }
)
"""What stands in the way of one call through a key stands in the way of all that follow through it."""

_BY_STATUS: Final = {401: 3, 402: 8, 403: 4, 404: 5, 409: 6, 422: USAGE, 429: 7}


def outcome_of(error: BrainError) -> Outcome:
    """The row of an error; for a code that no table knows, the exit code its HTTP status stands for."""
    if error.code in OUTCOMES:
        return OUTCOMES[error.code]
    status = error.http_status or 0
    if status >= 500:
        return Outcome(FAULT, OUTCOMES["internal_error"].advice)
    return Outcome(_BY_STATUS.get(status, OUTCOMES["bad_response"].exit_code), "")

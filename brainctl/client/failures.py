"""An exchange that failed, with what the decision to try again needs to know."""

from typing import Any

from brainctl.contract.errors import BrainError


class ExchangeError(BrainError):
    """A `BrainError` of the way to the brain or of its refusal.

    `transient`: the same request may well succeed in a moment. `wait_seconds`: how long the brain asks us to
    wait first, where it does. `sent`: whether the brain may have seen the request; False means it did not.
    `retried`: whether an earlier try of the same exchange was lost, and may have been taken in.
    """

    def __init__(
        self,
        code: str,
        message: str | None = None,
        *,
        details: Any = None,
        http_status: int | None = None,
        request_id: str | None = None,
        transient: bool = False,
        wait_seconds: float | None = None,
        sent: bool = True,
    ) -> None:
        super().__init__(code, message, details=details, http_status=http_status, request_id=request_id)
        self.transient = transient
        self.wait_seconds = wait_seconds
        self.sent = sent
        self.retried = False

    @property
    def may_be_done(self) -> bool:
        """Whether the brain may have done what it was asked to, now or in an earlier try."""
        refused = self.http_status is not None and 400 <= self.http_status < 500
        return self.retried or (self.sent and not refused)


class TurnTooLateError(Exception):
    """A request was not sent, since its turn below the key's rate limit comes after the time that its caller has."""

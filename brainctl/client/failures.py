"""An exchange that failed, with what the decision to try again needs to know."""

from typing import Any

from brainctl.contract.errors import BrainError


class ExchangeError(BrainError):
    """A `BrainError` of the way to the brain or of its refusal.

    `transient`: the same request may well succeed in a moment. `wait_seconds`: how long the brain asks us to
    wait first, where it does. `sent`: whether the brain may have seen the request; False means it did not.
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

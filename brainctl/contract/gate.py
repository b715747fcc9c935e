"""How a served brain lets a caller in: a secret becomes a brain seen through that key, or an error."""

from typing import Protocol

from brainctl.contract.brain import Brain


class Admission(Protocol):
    """A caller who was let in. `key_prefix` is what may be logged of the key."""

    @property
    def brain(self) -> Brain: ...

    @property
    def key_prefix(self) -> str: ...

    @property
    def scopes(self) -> tuple[str, ...]: ...

    def count(self, requests: int) -> None:
        """Count further requests that came in the same body, all or none. Raises `rate_limited`."""


class Gate(Protocol):
    def admit(self, secret: str) -> Admission:
        """Let a caller in and count one request of its key's window.

        Raises `api_key_invalid`, `api_key_revoked` or `api_key_expired`, which are not counted; then `rate_limited`.
        """

    def is_ready(self) -> bool:
        """Whether the brain behind it can be used now."""

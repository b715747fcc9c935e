"""Keeping the key out of everything that is said about an exchange."""

from collections.abc import Mapping
from typing import Any, Final

from brainctl.contract.keys import key_prefix, mask_secrets, masked

SECRET_HEADERS: Final = frozenset(
    {"authorization", "x-api-key", "proxy-authorization", "cookie", "set-cookie"}
)
BODY_SHOWN_MAX: Final = 2000
"""Characters of a body in a trace line."""


class Mask:
    """Hides one key, and whatever else looks like a key, in texts that may come from anywhere."""

    def __init__(self, secret: str) -> None:
        self._secret = secret
        self._shown = masked(key_prefix(secret))

    def __repr__(self) -> str:
        return f"Mask({self._shown})"

    def text(self, text: str) -> str:
        # Cut at the key first: it may hold characters that no key is known by, or bear no label.
        return self._shown.join(mask_secrets(part) for part in text.split(self._secret))

    def value(self, value: Any) -> Any:
        """A JSON value with every string in it masked, keys of objects too."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(item) for item in value]
        if isinstance(value, dict):
            return {self.text(str(name)): self.value(item) for name, item in value.items()}
        return value

    def headers(self, headers: Mapping[str, str]) -> list[str]:
        """Header lines fit to be shown: those that carry secrets keep their name alone."""
        return [f"{name}: {self._hidden(name, value)}" for name, value in headers.items()]

    def body(self, body: bytes) -> str:
        """The beginning of a body, fit to be shown."""
        # A key that the cut goes through would no longer be recognised, so the cut comes last.
        text = self.text(body[: 5 * BODY_SHOWN_MAX].decode("utf-8", "replace"))
        return text if len(text) <= BODY_SHOWN_MAX else f"{text[:BODY_SHOWN_MAX]}…"

    def _hidden(self, name: str, value: str) -> str:
        if name.lower() not in SECRET_HEADERS:
            return self.text(value)
        return f"Bearer {self._shown}" if value == f"Bearer {self._secret}" else "…"

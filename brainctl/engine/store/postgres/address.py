"""Addresses of PostgreSQL databases."""

from typing import Final
from urllib.parse import parse_qs, urlsplit

from brainctl.contract.errors import BrainError

UNREADABLE: Final = (
    "The address of the database cannot be read; write it as postgresql://user@host:5432/database"
)


def refuse_password(address: str) -> None:
    """Raises `usage` where an address holds a password, or cannot be read."""
    try:
        parts = urlsplit(address)
        holds = parts.password is not None or bool(
            {"password", "sslpassword"} & parse_qs(parts.query, keep_blank_values=True).keys()
        )
    except ValueError:
        raise BrainError("usage", UNREADABLE) from None
    if holds:
        raise BrainError(
            "usage",
            "The address of the database holds a password, which others could read there; leave it out, and put it "
            "in PGPASSWORD, ~/.pgpass or a service file",
        )

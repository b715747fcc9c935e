"""Terms as an index can hold them."""

from typing import Final

from brainctl.engine.digest import sha256

_LONGEST: Final = 400
"""Characters: an index takes 2,704 bytes, and a text without a blank is one term however long it is."""


def kept(term: str) -> str:
    """The term, or its beginning and its digest where it is too long for an index."""
    if len(term) <= _LONGEST:
        return term
    return f"{term[:_LONGEST]} {sha256(term.encode()).hex()}"

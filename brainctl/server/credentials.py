"""Where a request carries its key."""

from collections.abc import Sequence


def secret_of(headers: Sequence[tuple[bytes, bytes]]) -> str:
    """The key: a Bearer `Authorization`, else `X-Api-Key`; empty where there is none.

    An `Authorization` of another scheme is some proxy's, and says nothing.
    """
    other = ""
    for name, value in headers:
        if name == b"authorization":
            scheme, _, token = value.decode("latin-1").strip().partition(" ")
            if scheme.lower() == "bearer":
                return token.strip()
        elif name == b"x-api-key" and not other:
            other = value.decode("latin-1").strip()
    return other

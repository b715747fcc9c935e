"""SHA-256 without the weight of `hashlib`, which loads OpenSSL: 4 ms that every command would wait for. The
standard library's own `random` takes this way round for the same reason.
"""

from importlib import import_module
from typing import Any, Final


def first_of(*places: tuple[str, str]) -> Any:
    """The first of these names that this Python has; the last one is in every Python."""
    for module, name in places[:-1]:
        try:
            return getattr(import_module(module), name)
        except (ImportError, AttributeError):
            continue
    module, name = places[-1]
    return getattr(import_module(module), name)


_sha256: Final = first_of(("_sha2", "sha256"), ("_sha256", "sha256"), ("hashlib", "sha256"))
_compare: Final = first_of(("_operator", "_compare_digest"), ("hmac", "compare_digest"))


def sha256(data: bytes) -> bytes:
    digest: bytes = _sha256(data).digest()
    return digest


def same_digest(one: bytes, other: bytes) -> bool:
    """Whether two digests are equal, in a time that does not tell where they part."""
    equal: bool = _compare(one, other)
    return equal

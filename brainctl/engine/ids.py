"""Ids of facts, keys and answers: a word and a ULID in lower-case Crockford base 32."""

import os
from collections.abc import Callable
from typing import Final

Entropy = Callable[[int], bytes]
"""Gives so many random bytes; `os.urandom` outside of tests."""

ALPHABET: Final = "0123456789abcdefghjkmnpqrstvwxyz"
ULID_LENGTH: Final = 26


def new_id(prefix: str, now_ms: int, entropy: Entropy = os.urandom) -> str:
    """`fact_01k9p3v8m7f2ha6z0qc4rjxn5w`: 48 bits of time and 80 fresh random bits.

    Never monotonic: an id that follows from the one before it would let its holder list the neighbours.
    """
    number = (now_ms & (1 << 48) - 1) << 80 | int.from_bytes(entropy(10), "big")
    digits = [ALPHABET[number >> 5 * place & 31] for place in reversed(range(ULID_LENGTH))]
    return f"{prefix}_{''.join(digits)}"

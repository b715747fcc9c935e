"""A reply that came packed though none was asked for, unpacked a piece at a time: a small one must not fill the memory."""

import zlib
from collections.abc import Iterable, Iterator
from typing import Final

from brainctl.client.failures import ExchangeError

PIECE_BYTES: Final = 64 * 1024
_GZIP: Final = 16 + zlib.MAX_WBITS


def unpacked(pieces: Iterable[bytes], encoding: str) -> Iterator[bytes]:
    """The bytes of a body with this `Content-Encoding`. Raises `bad_response` where they cannot be had.

    One layer of gzip is all that something on the way puts around what asked for none.
    """
    encoding = encoding.strip().lower()
    if encoding in {"", "identity"}:
        yield from pieces
        return
    if encoding not in {"gzip", "x-gzip"}:
        raise ExchangeError(
            "bad_response",
            f"What came back is packed as {encoding[:40]!r}, which was not asked for and is not read: something "
            "between here and the brain may change replies.",
        )
    unpacker = zlib.decompressobj(_GZIP)
    try:
        for piece in pieces:
            rest = piece
            while rest and not unpacker.eof:
                yield unpacker.decompress(rest, PIECE_BYTES)
                rest = unpacker.unconsumed_tail
    except zlib.error:
        raise ExchangeError("bad_response", "What came back says that it is gzip, and is not.") from None
    if not unpacker.eof:
        raise ExchangeError(
            "unreachable", "The connection was lost before the reply was complete.", transient=True
        )

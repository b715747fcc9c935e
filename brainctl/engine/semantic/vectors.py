"""Vectors as they are stored, a signed byte a number, and how close a query is to many of them."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from importlib import import_module
from typing import Any, Final

from brainctl.engine.semantic.model import DIMENSIONS

_LARGEST: Final = 127
_AT_A_TIME: Final = 8192
"""Vectors that are unpacked at once, to keep memory small."""


def packed(vector: Any) -> bytes:
    """384 bytes for 384 floats: only the direction is kept."""
    numpy: Any = import_module("numpy")
    return bytes(numpy.rint(vector * (_LARGEST / numpy.abs(vector).max())).astype(numpy.int8).tobytes())


class Near:
    """How close some facts are to a query: the cosine of their directions. The facts come in the order of their rows."""

    def __init__(self, query: Any, vectors: Iterable[tuple[int, bytes]]) -> None:
        numpy: Any = import_module("numpy")
        pairs = list(vectors)
        held = numpy.frombuffer(b"".join([vector for _, vector in pairs]), dtype=numpy.int8)
        held = held.reshape(-1, DIMENSIONS)
        self._rows = [row for row, _ in pairs]
        self._cosines = numpy.zeros(len(pairs), dtype=numpy.float32)
        for start in range(0, len(pairs), _AT_A_TIME):
            block = held[start : start + _AT_A_TIME].astype(numpy.float32)
            lengths = numpy.sqrt(numpy.einsum("ij,ij->i", block, block))
            # Row by row, and not as one product: how that is summed up depends on how many rows there are.
            self._cosines[start : start + _AT_A_TIME] = numpy.einsum("ij,j->i", block, query) / lengths
        self._numpy = numpy

    def best(self, most: int) -> Sequence[int]:
        """The rows of the closest facts, in no order. Among equals the earlier rows."""
        if len(self._rows) <= most:
            return self._rows
        order = self._numpy.argsort(-self._cosines, kind="stable")[:most]
        return [self._rows[place] for place in order.tolist()]

    def cosines(self, rows: Iterable[int]) -> dict[int, float]:
        """Of these rows, those that have a vector, and how close they are."""
        places = ((row, bisect_left(self._rows, row)) for row in rows)
        return {
            row: float(self._cosines[place])
            for row, place in places
            if place < len(self._rows) and self._rows[place] == row
        }

"""Vectors as they are stored, a signed byte a number, and how close a query is to many of them."""

from bisect import bisect_left
from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from brainctl.engine.facts import Vectors
from brainctl.engine.semantic.model import DIMENSIONS

if TYPE_CHECKING:
    from numpy import float32
    from numpy.typing import NDArray

_LARGEST: Final = 127
_AT_A_TIME: Final = 8192
"""Vectors that are unpacked at once, to keep memory small."""


def packed(vector: "NDArray[float32]") -> bytes:
    """384 bytes for 384 floats: only the direction is kept."""
    import numpy as np

    return bytes(np.rint(vector * (_LARGEST / np.abs(vector).max())).astype(np.int8).tobytes())


class Near:
    """How close some facts are to a query: the cosine of their directions."""

    def __init__(self, query: "NDArray[float32]", vectors: Vectors) -> None:
        import numpy as np

        held = np.frombuffer(vectors.packed, dtype=np.int8).reshape(-1, DIMENSIONS)
        self._rows = vectors.rows
        self._cosines = np.zeros(len(held), dtype=np.float32)
        for start in range(0, len(held), _AT_A_TIME):
            block = held[start : start + _AT_A_TIME].astype(np.float32)
            lengths = np.sqrt(np.einsum("ij,ij->i", block, block))
            # Row by row, and not as one product: how that is summed up depends on how many rows there are.
            self._cosines[start : start + _AT_A_TIME] = np.einsum("ij,j->i", block, query) / lengths

    def best(self, most: int, above: float) -> list[int]:
        """The rows of the closest facts whose cosine is above a bound, closest first; among equals the earlier rows."""
        order: list[int] = (-self._cosines).argsort(kind="stable")[:most].tolist()
        return [self._rows[place] for place in order if self._cosines[place] > above]

    def cosines(self, rows: Iterable[int]) -> dict[int, float]:
        """Of these rows, those that have a vector, and how close they are."""
        places = ((row, bisect_left(self._rows, row)) for row in rows)
        return {
            row: float(self._cosines[place])
            for row, place in places
            if place < len(self._rows) and self._rows[place] == row
        }

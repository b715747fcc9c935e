"""How close the facts that a viewer may see are in meaning to a query."""

import re
from collections.abc import Iterable
from typing import Protocol

from brainctl.contract.errors import BrainError
from brainctl.engine.facts import Vectors
from brainctl.engine.semantic.model import DIGEST, load_model
from brainctl.engine.semantic.vectors import Near


class WithVectors(Protocol):
    """What is asked of a store: the vectors of what one viewer may see."""

    def model(self) -> str | None:
        """The digest of the model that made the vectors; None where there are none."""

    def vectors(self) -> Vectors: ...


def closeness(view: WithVectors, query: str, names: Iterable[str]) -> Near | None:
    """How close each visible fact is to a query without the names of people in it, which are matched by themselves.

    None where vectors are not kept, or where the model is not to be had here: facts are then found by their words.
    """
    if view.model() != DIGEST:
        return None
    try:
        model = load_model()
    except BrainError:
        return None
    return Near(model.vector(without(query, names)), view.vectors())


def without(query: str, names: Iterable[str]) -> str:
    """The query without some folded names, unless nothing is left of it then."""
    left = query
    for name in names:
        pattern = r"[\W_]+".join(map(re.escape, name.split()))
        left = re.sub(rf"\b{pattern}\b(?:['\u2019]s\b)?", " ", left, flags=re.IGNORECASE)
    return " ".join(left.split()) or query

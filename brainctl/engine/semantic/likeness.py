"""Whether two words say the same in two texts, by how close their meanings are."""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from brainctl.contract.errors import BrainError
from brainctl.engine.capture.lexicon import is_ordinary, listed
from brainctl.engine.capture.verbs import FINITE
from brainctl.engine.semantic.model import Model, load_model

WORDS_CLOSE: Final = 0.84
"""The least cosine of two words that say the same. "Start" and "begin" have it, "send" and "receive" do not."""
TEXTS_CLOSE: Final = 0.90
"""The least cosine of the two texts, so that a word is read as it is used."""
TEXTS_EQUAL: Final = 0.96
"""The least cosine of two texts that say the same, where no value, name, "not" or order of words parts them."""
VERBS_CLOSE: Final = 0.6
"""The least cosine of two verbs in such texts."""
WORDS_REMEMBERED: Final = 2_000

_OPPOSED: Final = frozenset(
    frozenset(pair.split("/"))
    for pair in listed(
        """
    inbound/outbound husband/wife upstairs/downstairs buyer/seller ascending/descending lend/borrow lender/borrower
    employer/employee horizontal/vertical enabled/disabled teaches/learns teacher/student black/white sister/brother
    mother/father son/daughter boys/girls men/women uncle/aunt bride/groom sells/buys sell/buy import/export
    sender/recipient sender/receiver incoming/outgoing lock/unlock locked/unlocked upload/download sold/bought
    maximum/minimum increase/decrease indoor/outdoor indoors/outdoors left/right large/small small/big earlier/later
    front/back boy/girl man/woman heating/cooling upper/lower starts/ends start/end opens/closes send/receive sends/receives
    """
    )
)
"""Words that are close because they are said of the same things, and are each other's opposites."""


def _is_verb(word: str) -> bool:
    return word in FINITE or word.endswith(("ed", "en"))


class Likeness:
    """Words compared by meaning. May be used from any thread.

    It is told texts and nothing else, so what it says of two texts depends on no third.
    """

    def __init__(self, model: Model) -> None:
        self._vector = lru_cache(maxsize=WORDS_REMEMBERED)(model.vector)

    def says_the_same(self, text: str, other: str) -> bool:
        return self._cosine(text, other) >= TEXTS_EQUAL

    def may_mean(self, verb: str, other: str) -> bool:
        return (
            frozenset((verb, other)) not in _OPPOSED
            and _is_verb(verb)
            and _is_verb(other)
            and self._cosine(verb, other) >= VERBS_CLOSE
        )

    def means(self, word: str, other: str, text: str, other_text: str) -> bool:
        return (
            frozenset((word, other)) not in _OPPOSED
            and is_ordinary(word)
            and is_ordinary(other)
            and self._cosine(word, other) >= WORDS_CLOSE
            and self._cosine(text, other_text) >= TEXTS_CLOSE
        )

    def _cosine(self, one: str, other: str) -> float:
        return float(self._vector(one) @ self._vector(other))


def likeness_if_installed(load: Callable[[], Model] = load_model) -> Likeness | None:
    """None where the model cannot be used."""
    try:
        return Likeness(load())
    except BrainError:
        return None

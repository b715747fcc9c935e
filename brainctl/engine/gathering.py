"""What goes into a context packet: a brain's own face of it, and the one its worker is given, are the same."""

from typing import Final, Protocol

from brainctl.engine.candidates import Visible
from brainctl.engine.facts import StoredFact
from brainctl.engine.packet import Entry, Packet, build
from brainctl.engine.recall import rank

RETRIEVED_MOST: Final = 100
"""How many facts a query may bring into a packet, whatever the budget."""


SHARE_OF_BEST: Final = 0.5
WORDS_ENOUGH: Final = 3
"""What a fact's score has to be of the best one's, unless it has so many words of the query: with less it shares a
stray word, and costs its reader more than it helps. However weak the best one is, it is there, but for one whose
meaning is known to be another: its score is below nothing.
"""


class VisibleWithPinned(Visible, Protocol):
    def pinned(self) -> list[StoredFact]: ...


def gather(view: VisibleWithPinned, query: str, token_budget: int) -> Packet:
    """The packet for a query, of facts that the viewer may see: pinned, about the named person, and retrieved."""
    ranked = rank(view, query, None)
    scores = {each.fact.row: each.score for each in ranked}
    about = [(fact, "pinned_core" if fact.pinned else "about_actor") for fact in view.personal()]
    entries = {
        fact.row: Entry(fact, layer, scores.get(fact.row, 0.0))
        for fact, layer in (*((fact, "pinned_core") for fact in view.pinned()), *about)
    }
    retrieved = [each for each in ranked if each.fact.row not in entries][:RETRIEVED_MOST]
    best = max((each.score for each in retrieved), default=0.0)
    entries.update(
        (each.fact.row, Entry(each.fact, "retrieved", each.score))
        for each in retrieved
        if each.score >= best * SHARE_OF_BEST or each.words >= WORDS_ENOUGH
    )
    return build(entries.values(), view.viewer.end_user_id, token_budget)

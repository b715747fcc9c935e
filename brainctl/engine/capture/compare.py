"""Whether a claim repeats a known fact, replaces one, or is new.

The two mistakes are not alike: a fact kept twice costs a line, a fact wrongly skipped or replaced is lost to every
reader. So a claim repeats only what says the same with the same values, and replaces only what has the same subject
and kind and differs in one value, one name or a "not", or what it says itself to have changed.
"""

from collections.abc import Sequence
from typing import Final

from brainctl.engine.capture.claims import Claim, KnownFact, Verdict
from brainctl.engine.capture.frame import Frame, frame_of, sort_of
from brainctl.engine.stem import stem
from brainctl.engine.text import words


def _stems(listed: str) -> frozenset[str]:
    return frozenset(map(stem, listed.split()))


_RELATIONS: Final = _stems(
    """
    before after than from over under above below between by with instead behind per into unless if because versus
    until
    """
)
"""Words whose two sides may not be swapped."""
_RESTRICTIONS: Final = _RELATIONS | _stems(
    """
    only always all every each some any most many few several more less least both either or must can should could
    might if except outside inside within during up large small big free half double early late new old other
    """
)
"""Words that make another rule of a sentence they are added to."""
_GENERIC: Final = _stems("want prefer like love need make take give go come use keep ask say can must allow")
"""Words that two claims may share and be about different things."""
_EVENTS: Final = frozenset(("incident", "channel_digest"))
_SIMILAR: Final = 0.9
_SAME_FRAME: Final = 0.6
_MOST_NEW_WORDS: Final = 1


def compare(claim: Claim, known: Sequence[KnownFact]) -> Verdict:
    """What to do with a claim, given the current facts it may repeat or replace.

    Of several facts it could replace, the one that shares most words with it is taken, then the newest.
    """
    for fact in known:
        if fact.normal == claim.normal:
            return Verdict("skip", fact.fact_id, "the same words")
    frame = frame_of(claim.text)
    subject = frozenset(map(stem, words(claim.subject)))
    replaced: list[tuple[int, int, int, str, str]] = []
    for fact in known:
        other = frame_of(fact.text)
        if _repeats(frame, other):
            return Verdict("skip", fact.fact_id, "the same in other words")
        if (
            fact.kind == claim.kind
            and frame.asks == other.asks
            and frozenset(map(stem, words(fact.subject))) == subject
        ):
            reason = _reason_to_replace(claim, frame, other, subject)
            if reason:
                mine, theirs = {*frame.stems, *frame.weekdays}, {*other.stems, *other.weekdays}
                closeness = (len(mine & theirs), -len(mine ^ theirs))
                replaced.append((*closeness, fact.recorded_time, fact.fact_id, reason))
    if not replaced:
        return Verdict("create", None, "nothing like it is known")
    *_, fact_id, reason = max(replaced)
    return Verdict("supersede", fact_id, reason)


def _repeats(claim: Frame, known: Frame) -> bool:
    if (claim.values, claim.weekdays, claim.negated) != (known.values, known.weekdays, known.negated):
        return False
    if claim.asks != known.asks:
        return False
    mine, theirs = set(claim.stems), set(known.stems)
    new, gone = mine - theirs, theirs - mine
    # A word put in another's place makes another claim, however long the rest.
    if not mine or (new and gone) or len(new) > _MOST_NEW_WORDS:
        return False
    shared = mine & theirs
    if len(shared) < _SIMILAR * len(mine | theirs):
        return False
    if (new | gone) & (_RESTRICTIONS | claim.names | known.names):
        return False
    return _in_one_order([s for s in claim.stems if s in shared], [s for s in known.stems if s in shared])


def _in_one_order(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the words come in one order, but for a part moved from the front to the end ("On Mondays …")."""
    if mine == theirs:
        return True
    if len(mine) != len(theirs) or not _RELATIONS.isdisjoint(mine):
        return False
    return any([*mine[cut:], *mine[:cut]] == theirs for cut in range(1, len(mine)) if mine[cut] == theirs[0])


def _differing(mine: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(a != b for a, b in zip(mine, theirs, strict=False)) + abs(len(mine) - len(theirs))


def _reason_to_replace(claim: Claim, mine: Frame, known: Frame, subject: frozenset[str]) -> str:
    """Why the claim replaces a known fact of its subject and kind; empty where it does not."""
    if not mine.cued and (claim.kind in _EVENTS or (mine.happened and claim.about != "general")):
        return ""
    reason = _one_difference(mine, known, subject)
    if reason or not mine.cued:
        return reason
    return _said_difference(mine, known, subject)


def _one_difference(mine: Frame, known: Frame, subject: frozenset[str]) -> str:
    """What alone differs between two texts in an otherwise equal frame; empty where something else does too."""
    same_values = mine.values == known.values
    same_days = mine.weekdays == known.weekdays
    here, there = set(mine.stems) - subject, set(known.stems) - subject
    if here == there:
        if mine.negated != known.negated:
            return "says the opposite" if same_values and same_days else ""
        if [*map(sort_of, mine.values)] != [*map(sort_of, known.values)]:
            return ""
        if same_days and _differing(mine.values, known.values) == 1:
            return "gives another value"
        # Beside other values a weekday says which day is meant; alone it is the value.
        if not mine.values and len(mine.weekdays) == len(known.weekdays) == 1 and not same_days:
            return "gives another day"
        return ""
    swapped = (here - there <= mine.names) and (there - here <= known.names)
    if swapped and len(here - there) == len(there - here) == 1 and same_values and same_days:
        return "gives another name" if mine.negated == known.negated else ""
    return ""


def _said_difference(mine: Frame, known: Frame, subject: frozenset[str]) -> str:
    """What the claim says to have changed, if the known fact is what it speaks of."""
    here, there = set(mine.stems) - subject - _RELATIONS, set(known.stems) - subject - _RELATIONS
    if (mine.given_up & there) - _GENERIC:
        return "says what no longer holds"
    same_sorts = {*map(sort_of, mine.values)} == {*map(sort_of, known.values)}
    if not same_sorts or len(mine.weekdays) != len(known.weekdays):
        return ""
    shared = here & there
    alike = len(shared) >= _SAME_FRAME * len(here | there)
    return "says that it changed" if alike and shared - _GENERIC else ""

"""Whether a claim repeats a known fact, replaces one, or is new.

The two mistakes are not alike: a fact kept twice costs a line, a fact wrongly skipped or replaced is lost to every
reader. So a claim repeats only what says the same with the same values, and replaces only what has the same subject
and kind and differs in one value, one name or a "not", or what it says itself to have changed.

Kinds are the same when they are equal. Subjects are the same when their words are equal, when each text names the
subject of the other ("the report" and "the report deadline"), or when both texts say who holds one post: "the head of
sales is Oliver" is about Oliver, and about the head of sales.
"""

from collections.abc import Sequence
from typing import Final

from brainctl.engine.capture.changes import other_state
from brainctl.engine.capture.claims import Claim, KnownFact, Meaning, Verdict
from brainctl.engine.capture.frame import Frame, frame_of, mentioned_in, reworded, stem_of
from brainctl.engine.capture.nearness import (
    RELATIONS,
    RESTRICTIONS,
    may_repeat,
    one_verb,
    one_word_apart,
    stems_of,
)
from brainctl.engine.capture.subject import NOWHERE
from brainctl.engine.capture.values import sort_of

_GENERIC: Final = stems_of(
    "want prefer like love need make take give go come use keep ask say can must allow work"
)
"""Words that two claims may share and be about different things."""
_HELD_BY_MANY: Final = stems_of(
    """
    client customer guest supplier vendor friend colleague member partner employee intern student tenant user patient
    visitor sponsor speaker contact neighbor child agent buyer nurse doctor
    """
)
"""What several can be at once."""
_EVENTS: Final = frozenset(("incident", "channel_digest"))
_BY_THE_WAY: Final = stems_of("only with")
"""Words that an update may add or leave out: "only until eleven now"."""
_SIMILAR: Final = 0.9
_SAME_FRAME: Final = 0.6
_MOST_NEW_WORDS: Final = 1
_MOST_ASKED: Final = 4
"""With how many facts a claim is compared by meaning, which takes some milliseconds each."""


def compare(claim: Claim, known: Sequence[KnownFact], meaning: Meaning | None = None) -> Verdict:
    """What to do with a claim, given the current facts it may repeat or replace.

    Of several facts it could replace, the one that shares most words with it is taken, then the newest. What the words
    make new is compared by meaning, where that is known: a fact that differs in the order of its words alone, or in a
    small word, is repeated by what means the same; and a word in another's place is read as that one where both mean
    the same, with all the rules as strict as ever.
    """
    for fact in known:
        if fact.normal == claim.normal:
            return Verdict("skip", fact.fact_id, "the same words")
    verdict = _verdict(claim, known, frame_of(claim.text), _subject(claim.subject))
    if verdict.action != "create" or meaning is None:
        return verdict
    return _verdict_by_meaning(claim, known, meaning) or verdict


def _verdict_by_meaning(claim: Claim, known: Sequence[KnownFact], meaning: Meaning) -> Verdict | None:
    frame = frame_of(claim.text)
    asked = 0
    for fact in known:
        other = frame_of(fact.text)
        if fact.kind != claim.kind or frame.asks != other.asks:
            continue
        pair = one_word_apart(claim.text, frame, fact.text, other)
        is_near = may_repeat(claim.text, frame, fact.text, other)
        if not (pair or is_near):
            continue
        asked += 1
        if (
            is_near
            and meaning.says_the_same(claim.text, fact.text)
            and (pair is None or one_verb(*pair) or meaning.may_mean(*pair))
        ):
            return Verdict("skip", fact.fact_id, "the same in other words, by its meaning")
        if pair and meaning.means(*pair, claim.text, fact.text):
            word, its_word = pair
            read = reworded(frame, stem_of(word), stem_of(its_word))
            subject = frozenset(
                stem_of(its_word) if each == stem_of(word) else each for each in _subject(claim.subject)
            )
            verdict = _verdict(claim, [fact], read, subject)
            if verdict.action != "create":
                return verdict._replace(
                    reason=f"{verdict.reason}, where \u201c{word}\u201d means \u201c{its_word}\u201d"
                )
        if asked == _MOST_ASKED:
            break
    return None


def _verdict(claim: Claim, known: Sequence[KnownFact], frame: Frame, subject: frozenset[str]) -> Verdict:
    replaced: list[tuple[int, int, int, str, str]] = []
    for fact in known:
        other = frame_of(fact.text)
        if _repeats(frame, other):
            return Verdict("skip", fact.fact_id, "the same in other words")
        if frame.asks == other.asks and fact.kind == claim.kind:
            reason = _reason_to_replace(claim, frame, subject, other, _subject(fact.subject))
            if reason:
                mine, theirs = {*frame.stems, *frame.weekdays}, {*other.stems, *other.weekdays}
                closeness = (len(mine & theirs), -len(mine ^ theirs))
                replaced.append((*closeness, fact.recorded_time, fact.fact_id, reason))
    if not replaced:
        return Verdict("create", None, "nothing like it is known")
    *_, fact_id, reason = max(replaced)
    return Verdict("supersede", fact_id, reason)


def is_same_subject(claim: Claim, fact: KnownFact) -> bool:
    """Whether a claim and a fact are about the same."""
    mine, its = frame_of(claim.text), frame_of(fact.text)
    subject, its_subject = _subject(claim.subject), _subject(fact.subject)
    return _named_by_each(mine, subject, its, its_subject) or bool(
        _another_holder(mine, subject, its, its_subject)
    )


def _named_by_each(mine: Frame, subject: frozenset[str], known: Frame, known_subject: frozenset[str]) -> bool:
    return subject == known_subject or (subject <= known.mentions and known_subject <= mine.mentions)


def _subject(phrase: str) -> frozenset[str]:
    return mentioned_in(phrase) if phrase != NOWHERE else frozenset()


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
    if (new | gone) & (RESTRICTIONS | claim.names | known.names):
        return False
    mine_in_order = [each for each in claim.stems if each in shared]
    theirs_in_order = [each for each in known.stems if each in shared]
    # Of what only is, and does nothing to anything, the order of the words on either side of "is" says nothing, nor
    # which side comes first. "Lena's manager is Tom" has another word on each side than "Tom's manager is Lena".
    is_still = not claim.verbs and not known.verbs and RELATIONS.isdisjoint(shared)
    same_halves = all(claim.halves) and set(claim.halves) == set(known.halves)
    return (is_still and same_halves) or _in_one_order(mine_in_order, theirs_in_order)


def _in_one_order(mine: Sequence[str], theirs: Sequence[str]) -> bool:
    """Whether the words come in one order, but for a part moved from the front to the end ("On Mondays …")."""
    if mine == theirs:
        return True
    relations = [each for each in mine if each in RELATIONS]
    # "Until March the hall is booked": the one relation moves together with what it relates.
    if len(mine) != len(theirs) or (relations and relations not in ([mine[0]], [theirs[0]])):
        return False
    return any([*mine[cut:], *mine[:cut]] == theirs for cut in range(1, len(mine)) if mine[cut] == theirs[0])


def _differing(mine: Sequence[str], theirs: Sequence[str]) -> int:
    return sum(a != b for a, b in zip(mine, theirs, strict=False)) + abs(len(mine) - len(theirs))


def _reason_to_replace(
    claim: Claim, mine: Frame, subject: frozenset[str], known: Frame, known_subject: frozenset[str]
) -> str:
    """Why the claim replaces a known fact; empty where it does not."""
    if not mine.cued and (claim.kind in _EVENTS or (mine.happened and claim.about != "general")):
        return ""
    if not _named_by_each(mine, subject, known, known_subject):
        return _another_holder(mine, subject, known, known_subject)
    about = subject | known_subject
    reason = _one_difference(mine, known, about)
    if reason or not mine.cued:
        return reason
    return _said_difference(mine, known, about)


def _another_holder(mine: Frame, subject: frozenset[str], known: Frame, known_subject: frozenset[str]) -> str:
    """Why a claim about one person replaces a fact about another: it says who holds the same post now."""
    same_values = mine.values == known.values and mine.weekdays == known.weekdays
    if not same_values or mine.negated or known.negated:
        return ""
    post = {*known.stems} - known.names - known.verbs
    if not post or not post <= {*mine.stems} or post & _HELD_BY_MANY:
        return ""
    if mine.cued and known_subject <= mine.given_up:
        return "says who gave it up"
    same_post = post == {*mine.stems} - mine.names - mine.verbs
    of_the_post = subject <= mine.names | post and known_subject <= known.names | post
    another = bool(mine.names - known.names) and bool(known.names - mine.names)
    # "Jana is our accountant" leaves room for another one, unless the claim says that something changed.
    is_one = mine.cued or not (mine.names & mine.halves[0] - post or known.names & known.halves[0] - post)
    is_held = same_post and of_the_post and another and is_one and mine.holder and known.holder
    return "gives another name" if is_held else ""


def _one_difference(mine: Frame, known: Frame, subject: frozenset[str]) -> str:
    """What alone differs between two texts in an otherwise equal frame; empty where something else does too."""
    same_values = mine.values == known.values
    same_days = mine.weekdays == known.weekdays
    here, there = {*mine.stems} - subject, {*known.stems} - subject
    if mine.cued:
        here -= _BY_THE_WAY
        there -= _BY_THE_WAY
        if not mine.verbs:
            # "The fee was raised" has no verb of its own, and takes that of the fact.
            there -= known.verbs
    if here == there:
        return _another_value(mine, known, same_values=same_values, same_days=same_days)
    new, gone = here - there, there - here
    is_moved = mine.cued and new <= mine.names and gone <= known.names and same_days
    if is_moved and new and gone and mine.single and known.single:
        return "gives another name"
    if not same_values or not same_days or len(new) != 1 or len(gone) != 1:
        return ""
    if other_state(frozenset(new), frozenset(gone)) and mine.negated == known.negated:
        return "gives another state"
    is_swapped = new <= mine.names and gone <= known.names and mine.negated == known.negated
    return "gives another name" if is_swapped and mine.single and known.single else ""


def _another_value(mine: Frame, known: Frame, *, same_values: bool, same_days: bool) -> str:
    if mine.negated != known.negated:
        return "says the opposite" if same_values and same_days else ""
    if [*map(sort_of, mine.values)] != [*map(sort_of, known.values)]:
        return ""
    if same_days and _differing(mine.values, known.values) == 1:
        return "gives another value"
    # Beside other values a weekday says which day is meant; alone it is the value.
    if (
        {*map(sort_of, mine.values)} <= {"every"}
        and len(mine.weekdays) == len(known.weekdays) == 1
        and not same_days
    ):
        return "gives another day"
    return ""


def _said_difference(mine: Frame, known: Frame, subject: frozenset[str]) -> str:
    """What the claim says to have changed, if the known fact is what it speaks of."""
    here, there = {*mine.stems} - subject - RELATIONS, {*known.stems} - subject - RELATIONS
    if (mine.given_up & there) - _GENERIC:
        return "says what no longer holds"
    same_sorts = {*map(sort_of, mine.values)} == {*map(sort_of, known.values)}
    days = {*mine.weekdays}
    same_days = len(days) == len({*known.weekdays}) or days > {*known.weekdays}
    if not same_sorts or not same_days:
        return ""
    shared = here & there
    alike = here == there or (len(shared) >= _SAME_FRAME * len(here | there) and shared - _GENERIC)
    return "says that it changed" if alike else ""

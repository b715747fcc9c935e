"""What a fact is about: a short noun phrase or a name, and whether it is anybody's own."""

from collections.abc import Collection, Sequence
from functools import lru_cache
from typing import Final, NamedTuple

from brainctl.engine.capture.claims import About, Names
from brainctl.engine.capture.doubt import ROLES, is_general_subject, names_of_nobody_known
from brainctl.engine.capture.lexicon import is_ordinary, lexicon, listed, singular
from brainctl.engine.capture.verbs import ALSO_NOUNS, AUXILIARIES, CONTROL, FINITE
from brainctl.engine.capture.wording import Word, words_of
from brainctl.engine.words.text import STOP_WORDS, fold, words


class Subject(NamedTuple):
    """`phrase` is lower-case and never empty; a registered name is given whole, anything else to 80 characters. `rule`
    says how it was told. `is_thing` says that the phrase is surely nobody's name, although it may be somebody's thing.
    """

    phrase: str
    about: About
    rule: str = ""
    is_thing: bool = True


LONGEST: Final = 80
_MOST_WORDS: Final = 5
_WORKER: Final = frozenset(
    (
        "worker",
        "assistant",
        "ai",
        "ai assistant",
        "ai worker",
        "virtual assistant",
        "digital worker",
        "bot",
        "main",
    )
)
_TEAM: Final = listed("team staff crew employee colleague coworker personnel intern trainee apprentice")
_LABELS: Final = listed("""
    note notes fyi update correction decision decided reminder internal confidential important heads nb warning info
    fact rule policy preference observation incident project routine todo private remember reported news
    """)
_ARTICLES: Final = listed("""
    a an the this that these those our your my their his her its all every each any some no both most many much more
    several few such please also only just always never often sometimes usually normally currently now generally
    officially if when as per next last once longer
    """)
_ADVERBS: Final = listed(
    "always never often sometimes usually normally currently now generally officially also only just longer already"
)
"""Words that may stand between a subject and its verb."""
_PREPOSITIONS: Final = listed("""
    of to in on at by for from with without within into onto out up down over under above below between among through
    during across along around behind beside beyond inside outside near off toward towards against about per via plus
    minus upon despite regarding including excluding than after before until till since because although unless while
    where which who whose whom and or but so then
    """)
_PRONOUNS: Final = listed("we you it there they i he she one everyone anyone nobody someone people this")
_SOMEBODY: Final = listed("i im ive he she they")
_EMPTY: Final = _ARTICLES | _PREPOSITIONS | _PRONOUNS | FINITE | CONTROL
_OPENING: Final = listed("open opens opened close closes closed reopen")
_MONEY: Final = listed("euro euros eur dollar dollars usd pound pounds gbp percent percentage cent cents")
NOWHERE: Final = "workspace"
"""The subject of a text in which none was found."""


def subject_of(text: str, names: Names) -> Subject:
    """The subject of a taught text.

    A colleague named anywhere makes it the team's; then a registered person's name makes it theirs, the first one's
    where there are several. Else it is what the sentence is grammatically about, and general only beyond doubt.
    """
    if member := _colleague_named(text, names):
        return Subject(member, "team", "a colleague is named")
    if person := _first_named(text, names.people):
        return Subject(
            person, "person", "a registered person is named, the first one in the text", is_thing=False
        )
    doubt = names_of_nobody_known(text)
    if doubt.name:
        name = doubt.name[:LONGEST].strip()
        return Subject(name, "person", "somebody is named whom nobody has registered", is_thing=False)
    phrase = _phrase(text)[:LONGEST].strip() or NOWHERE
    if phrase in _WORKER:
        return Subject(phrase, "worker", "the sentence is about the worker")
    if not _TEAM.isdisjoint(phrase.split()):
        return Subject(phrase, "team", "the sentence is about the team")
    if doubt.found:
        rule = "what the sentence is about; a word in it may be a person's name"
        return Subject(phrase, "person", rule, is_thing=_is_thing(phrase, text))
    return Subject(phrase, "general", "what the sentence is about; nobody is named")


def _is_thing(phrase: str, text: str) -> bool:
    """Whether a phrase is neither somebody's name nor a word for somebody, and the text does not begin with "he"."""
    opening = words_of(text)[:1]
    return (
        phrase != NOWHERE
        and is_general_subject(phrase)
        and ROLES.isdisjoint(phrase.split())
        and not any(word.plain in _SOMEBODY for word in opening)
    )


def judge_subject(subject: str, names: Names) -> About:
    """Whom a stated subject is about. The fact's text is not read: whoever brought it said what it is about."""
    folded = fold(subject)
    if folded in _WORKER:
        return "worker"
    if _colleague_named(subject, names):
        return "team"
    if _first_named(subject, names.people):
        return "person"
    if not _TEAM.isdisjoint(singular(word) for word in folded.split()):
        return "team"
    return "general" if is_general_subject(subject) else "person"


def _first_named(text: str, names: Collection[str]) -> str | None:
    """The registered name that stands first in the text, as whole words; the longer one where two begin together."""
    if not names:
        return None
    by_first: dict[str, list[str]] = {}
    for name in names:
        folded = _folded(name)
        if folded:
            by_first.setdefault(folded.partition(" ")[0], []).append(folded)
    found = words(text)
    capitals = {word.plain for word in words_of(text) if word.is_capital}
    for place, word in enumerate(found):
        for name in sorted(by_first.get(word, ()), key=len, reverse=True):
            parts = name.split()
            if found[place : place + len(parts)] == parts and (not _is_everyday(name) or name in capitals):
                return name
    if not text.isascii():
        # Scripts without blanks between words: the name anywhere.
        whole = "".join(found)
        return next((name for name in names if name and not name.isascii() and _folded(name) in whole), None)
    return None


@lru_cache(maxsize=20_000)
def _folded(name: str) -> str:
    return fold(name)


def _is_everyday(name: str) -> bool:
    """Whether a name in lower case is far more often the word: Will, May, Mark."""
    return name in STOP_WORDS or name in AUXILIARIES or name in lexicon().words_and_given_names


def _colleague_named(text: str, names: Names) -> str | None:
    """The colleague a text names, by the whole name or by the first name alone.

    A first name that a customer has too still counts as the colleague's: what is said of the team stays in.
    """
    whole = _first_named(text, names.members)
    if whole:
        return whole
    by_first_name = {name.partition(" ")[0]: name for name in map(_folded, names.members) if " " in name}
    longer = {_folded(name) for name in names.people if " " in name}
    first = _first_named(text, by_first_name)
    if first is None or _first_named(text, [name for name in longer if name.split()[0] == first]):
        return None
    return by_first_name[first]


def _phrase(text: str) -> str:
    """What the first sentence is about: the words before a colon, or up to the verb, or else after it."""
    sentence = _first_sentence(words_of(text))
    head = _before_colon(text)
    if head:
        return _noun_phrase(head) or _noun_phrase(sentence)
    start = _skip_opening(sentence)
    before = _up_to_verb(sentence[start:])
    if before:
        return _joined(before)
    return _after_verb(sentence[start:]) or _noun_phrase(sentence)


def _first_sentence(found: Sequence[Word]) -> list[Word]:
    sentence: list[Word] = []
    for word in found:
        if word.opens and any(known.plain not in _LABELS for known in sentence):
            break
        if word.opens:
            sentence = []
        sentence.append(word)
    return sentence


def _before_colon(text: str) -> list[Word]:
    """The words of a heading such as "Refund policy:", unless it only labels the note."""
    head, colon, rest = text.partition(":")
    if not colon or not rest[:1].isspace() or any(stop in head for stop in ".!?\n"):
        return []
    found = words_of(head)
    if not 0 < len(found) <= _MOST_WORDS or all(word.plain in _LABELS for word in found):
        return []
    return found


def _skip_opening(sentence: Sequence[Word]) -> int:
    """Where the clause begins: after "On Mondays," or "In summer the"."""
    if not sentence or sentence[0].plain not in _PREPOSITIONS | {"if", "when"}:
        return 0
    for place, word in enumerate(sentence[1:], start=1):
        if word.after_pause or (place > 1 and word.plain in ("the", "we", "our", "you", "all")):
            return place
    return 0


def _ends_phrase(words_left: Sequence[Word], place: int) -> bool:
    """Whether the word after a phrase's words is its verb, or begins something else."""
    word = words_left[place]
    if word.hyphenated:
        return False
    if word.after_pause and place:
        return True
    if word.plain in _PREPOSITIONS or word.plain in AUXILIARIES or word.plain == "not":
        return True
    if word.plain in FINITE:
        following = words_left[place + 1].plain if place + 1 < len(words_left) else ""
        return not (word.plain in ALSO_NOUNS and (following in FINITE or following == "of")) and place > 0
    return place > 0 and word.plain.endswith("ed") and is_ordinary(word.plain)


def _up_to_verb(clause: Sequence[Word]) -> list[Word]:
    """The words of the subject, or none where it is a pronoun or the clause begins with its verb."""
    place = 0
    while place < len(clause) and clause[place].plain in _ARTICLES:
        place += 1
    if place == len(clause) or clause[place].plain in _PRONOUNS:
        return []
    phrase: list[Word] = []
    rest = clause[place:]
    for place, word in enumerate(rest):
        if _ends_phrase(rest, place):
            return phrase if _has_verb(rest[place:]) else []
        if (place == 0 and word.is_number) or word.plain in _ADVERBS:
            continue
        phrase.append(word)
    return phrase if len(phrase) <= _MOST_WORDS else []


def _has_verb(rest: Sequence[Word]) -> bool:
    return any(word.plain in FINITE or word.plain.endswith("ed") for word in rest)


def _after_verb(clause: Sequence[Word]) -> str:
    if any(word.plain in _OPENING for word in clause[:4]):
        return "opening hour"
    place = 0
    while place < len(clause) and (
        clause[place].plain in _EMPTY
        or clause[place].is_number
        or clause[place].plain in _MONEY
        or (place > 0 and clause[place].plain.endswith("ing") and clause[place - 1].plain in CONTROL)
    ):
        place += 1
    begins_with_verb = place == 0 and len(clause) > 1 and clause[1].plain in _ARTICLES | _PREPOSITIONS
    verb_is_next = place > 0 and all(word.plain not in FINITE for word in clause[:place])
    if begins_with_verb or (verb_is_next and any(word.plain in _PRONOUNS for word in clause[:place])):
        place += 1
    return _noun_phrase(clause[place:])


def _noun_phrase(rest: Sequence[Word]) -> str:
    """The first run of words that can carry a meaning."""
    phrase: list[Word] = []
    for word in rest:
        if not (phrase and word.hyphenated) and (
            word.plain in _EMPTY or word.is_number or word.plain in _MONEY
        ):
            if phrase:
                break
            continue
        phrase.append(word)
        if len(phrase) == _MOST_WORDS - 2:
            break
    return _joined(phrase)


def _joined(phrase: Sequence[Word]) -> str:
    kept = list(phrase[-_MOST_WORDS:])
    plain = [word.plain for word in kept]
    if plain and kept[-1].raw.isalpha():
        plain[-1] = singular(plain[-1])
    return "".join(
        (("-" if word.hyphenated else " ") if place else "") + form
        for place, (word, form) in enumerate(zip(kept, plain, strict=True))
    )

"""Looking through a brain's facts for those that deserve a second look. Nothing is changed here."""

import re
from collections.abc import Callable, Iterator
from itertools import combinations
from typing import Final, Literal, NamedTuple

from brainctl.contract.keys import mask_secrets
from brainctl.engine.capture.claims import Claim, KnownFact
from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.frame import frame_of
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.owned import OwnedFact, read_in_order
from brainctl.engine.store.writing import KNOWN_MOST
from brainctl.engine.words.text import fold

Sort = Literal["near_duplicate", "contradiction", "stale", "secret", "instruction"]

STALE_DAYS: Final = 365
"""After so many days what was seen or was going on may be so no longer."""
_PASSING: Final = frozenset(("observation", "project", "incident", "channel_digest"))
_DAY_MS: Final = 86_400_000


class Finding(NamedTuple):
    """A fact to look at, and why. `beside` is the fact it repeats or contradicts, the newer one of the two."""

    sort: Sort
    fact: OwnedFact
    beside: str | None
    reason: str


def audit(connection: Connection, workspace: int, *, now_ms: int) -> list[Finding]:
    """What was found, sort by sort, the oldest fact first. Of current facts alone."""
    current: list[OwnedFact] = []
    alone: list[Finding] = []
    for fact in read_in_order(connection, workspace):
        # A superseded fact is read by nobody, but its secret still lies in the store.
        alone += _alone(fact, now_ms)
        if fact.superseded_by is None:
            current.append(fact)
    sorts: tuple[Sort, ...] = ("secret", "instruction", "contradiction", "near_duplicate", "stale")
    return sorted([*alone, *_together(current)], key=lambda each: (sorts.index(each.sort), each.fact.row))


def _alone(fact: OwnedFact, now_ms: int) -> Iterator[Finding]:
    if secret := next(_secrets(fact.text), None):
        yield Finding("secret", fact, None, secret[0])
    if fact.superseded_by is not None:
        return
    if instruction := _INSTRUCTION.search(normalise(fact.text)):
        yield Finding("instruction", fact, None, f"says \u201c{instruction.group().strip()}\u201d")
    days = (now_ms - fact.recorded_time) // _DAY_MS
    if fact.kind in _PASSING and not fact.pinned and days > STALE_DAYS:
        yield Finding("stale", fact, None, f"recorded {days} days ago")


def _together(facts: list[OwnedFact]) -> Iterator[Finding]:
    """Repeats and contradictions among the newest facts of each subject, and repeats across subjects."""
    subjects: dict[str, list[OwnedFact]] = {}
    worded: dict[object, list[OwnedFact]] = {}
    for fact in facts:
        subjects.setdefault(fold(fact.subject or ""), []).append(fact)
        frame = frame_of(fact.text)
        if frame.stems:
            worded.setdefault((frozenset(frame.stems), frame.values, frame.weekdays), []).append(fact)
    seen: set[tuple[int, int]] = set()
    for group in (*worded.values(), *subjects.values()):
        for older, newer in combinations(group[-KNOWN_MOST:], 2):
            if (older.row, newer.row) not in seen:
                seen.add((older.row, newer.row))
                yield from _pair(older, newer)


def _pair(older: OwnedFact, newer: OwnedFact) -> Iterator[Finding]:
    if older.person_id != newer.person_id:
        return
    claim = Claim(newer.text, newer.normal, newer.kind, newer.subject or "", newer.about, newer.confidence)
    known = KnownFact(
        older.fact_id, older.text, older.normal, older.kind, older.subject or "", older.recorded_time
    )
    verdict = compare(claim, [known])
    if verdict.action == "skip":
        yield Finding("near_duplicate", older, newer.fact_id, verdict.reason)
    elif verdict.action == "supersede":
        yield Finding("contradiction", older, newer.fact_id, f"the newer one {verdict.reason}")


# Secrets

_MARK: Final = "\u2026"
_SHOWN: Final = 4
_CARD_DIGITS: Final = range(13, 20)
_DIGITS_ENOUGH: Final = 5


def _is_card(found: "re.Match[str]") -> bool:
    """Whether the digits are a card's: they have a card's length and its check digit, and are no phone number."""
    digits = [int(digit) for digit in found.group() if digit.isdigit()]
    if len(digits) not in _CARD_DIGITS or len(set(digits)) == 1:
        return False
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


def _any(_: "re.Match[str]") -> bool:
    return True


def _is_random(found: "re.Match[str]") -> bool:
    """Whether a long word mixes letters and digits as no word does."""
    word = found.group()
    return sum(character.isdigit() for character in word) >= _DIGITS_ENOUGH and any(map(str.isalpha, word))


_SECRETS: Final[tuple[tuple[str, "re.Pattern[str]", "Callable[[re.Match[str]], bool]"], ...]] = (
    ("looks like a private key", re.compile(r"-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*"), _any),
    (
        "looks like an API key",
        re.compile(
            r"\b(?:ak_(?:live|test)_[\w-]{5,}|sk[-_](?:[a-z]+[-_])*[\w-]{12,}|(?:AKIA|ASIA)[0-9A-Z]{16}"
            r"|gh[pousr]_\w{20,}|github_pat_\w{20,}|glpat-[\w-]{16,}|xox[abeprs]-[\w-]{10,}|AIza[\w-]{30,}"
            r"|pypi-[\w-]{16,}|npm_\w{20,}|[rp]k_(?:live|test)_\w{10,})"
        ),
        _any,
    ),
    ("looks like a token", re.compile(r"\beyJ[\w-]{8,}\.[\w-]{8,}\.[\w-]*"), _any),
    ("looks like a card number", re.compile(r"(?<![\d+])\d(?:[ -]?\d){12,18}(?!\d)"), _is_card),
    (
        "looks like a password",
        re.compile(
            r"(?i)\b(?:password|passwort|passphrase|passcode|pass code|api key|secret key|access token|door code"
            r"|alarm code|gate code|safe code|pin code|pin)\b[^.:=\n]{0,40}?(?::|=|\bis\b(?: now)?)\s*"
            r"[\"'\u201c]?(?P<secret>(?=\S*[\d!@#$%^&*_+-])\S{4,})"
        ),
        _any,
    ),
    ("looks like a token", re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])[A-Za-z0-9_]{32,}\b"), _is_random),
)


def _secrets(text: str) -> Iterator[tuple[str, tuple[int, int]]]:
    for name, pattern, holds in _SECRETS:
        for found in pattern.finditer(text):
            if holds(found):
                yield name, found.span("secret" if "secret" in pattern.groupindex else 0)


def without_secrets(text: str) -> str:
    """The text with what looks like a secret in it cut down to a few characters, or to none of a short one."""
    kept: list[str] = []
    last = 0
    for start, end in sorted(span for _, span in _secrets(text)):
        if start >= last:
            kept += (text[last:start], text[start : start + min(_SHOWN, (end - start) // 4)], _MARK)
        last = max(last, end)
    return mask_secrets("".join((*kept, text[last:])))


# Instructions

_INSTRUCTION: Final = re.compile(
    r"\b(?:ignore|disregard|forget|override|bypass)\b (?:\w+ ){0,3}?"
    r"(?:previous|prior|earlier|above|preceding|system|your|all)\b(?: \w+){0,2}? "
    r"(?:instruction|prompt|rule|message|guideline|context|direction)s?\b"
    r"|(?:^|[\n.!?] ?)(?:system|assistant|developer) ?(?:prompt|message)?:"
    r"|</?(?:system|assistant|user|instructions?|workspace_memory)\b[^>]*>"
    r"|<\|[a-z_]+\|>|\[/?inst\]|\bnew instructions?:"
    r"|\byou are now (?:a|an|in|the)\b|\bfrom now on,? you (?:are|must|will)\b"
    r"|\b(?:reveal|print|repeat|show|output) (?:\w+ ){0,2}?(?:system prompt|hidden prompt|instructions)\b"
    r"|\bdo not follow (?:\w+ ){0,3}?(?:instructions|rules)\b"
)
"""What speaks to a model instead of telling something. Looked for in a text's normal form."""

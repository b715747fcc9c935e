"""Taking a taught text in: read by the capture pipeline, compared with what is known, and written or not."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from brainctl.engine.capture.claims import Action, Claim, KnownFact, Names, Verdict
from brainctl.engine.ids import Entropy, new_id
from brainctl.engine.store.decisions import Decision, digest_of
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.writing import NewFact, Writing

if TYPE_CHECKING:
    from brainctl.engine.capture.suggestion import Suggestion

_OWN_WORD: Final = "is the workspace's own word, where an external key had said the same"


class Capture(Protocol):
    """The capture pipeline, as teaching needs it."""

    def read(self, text: str, names: Names) -> Claim: ...

    def compare(self, claim: Claim, known: Sequence[KnownFact]) -> Verdict: ...


def known_to(writing: Writing, key: KeyRow, claim: Claim) -> list[KnownFact]:
    """The facts that a claim taught through a key is compared with first."""
    if key.audience == "internal":
        return writing.known_inside(claim.normal, claim.subject, claim.text)
    return writing.known_taught_by(key.key_id, claim.normal, claim.subject)


def names_for(writing: Writing, key: KeyRow) -> Names:
    """The names by which a key's texts are read: none for an external key, whose counters would tell it who is a
    colleague and who is a customer. Whom a fact is about is told when it is written, whoever taught it.
    """
    return writing.directory().names if key.audience == "internal" else Names((), ())


def take_in(
    writing: Writing,
    key: KeyRow,
    capture: Capture,
    text: str,
    *,
    now_ms: int,
    entropy: Entropy = os.urandom,
    suggested: "Suggestion | None" = None,
) -> Action:
    """Teach one text through one key, and say what became of it; `suggested` is what a model would do with it.

    The workspace's own word and what external keys bring in are two stories that are kept apart. An internal key
    repeating what an external one said makes it the workspace's word: a fact of its own replaces the other. An
    external key is compared with what it taught itself, and may change nothing else; what anybody may read anyway
    it can repeat without effect. So its counters tell it nothing that it could not read or did not say.
    """
    names = names_for(writing, key)
    claim = capture.read(text, names)
    internal = key.audience == "internal"
    known = known_to(writing, key, claim)
    if suggested is None:
        verdict = capture.compare(claim, known)
    else:
        from brainctl.engine.capture.suggestion import as_suggested, settled

        claim = as_suggested(claim, suggested, names)
        verdict = settled(claim, suggested, known, capture.compare(claim, known))
    if verdict.action == "create":
        if internal:
            other = capture.compare(claim, writing.known_outside(claim.normal, claim.subject))
            if other.action != "create":
                told = other.reason if other.action == "supersede" else _OWN_WORD
                verdict = Verdict("supersede", other.fact_id, told)
        else:
            other = capture.compare(claim, writing.known_open(claim.normal, claim.subject))
            if other.action == "skip":
                verdict = other
    replaced = verdict.fact_id if verdict.action == "supersede" else None
    repeated = verdict.fact_id if verdict.action == "skip" else None
    fact_id = repeated or new_id("fact", now_ms, entropy)
    writing.decide(
        Decision(
            fact_id=fact_id,
            told=digest_of(text),
            action=verdict.action,
            against=replaced,
            reason=verdict.reason,
            kind_rule=claim.kind_rule,
            subject_rule=claim.subject_rule,
            key_id=key.key_id,
            decided=now_ms,
        )
    )
    if verdict.action == "skip":
        return "skip"
    writing.add(
        NewFact(
            fact_id=fact_id,
            text=text,
            kind=claim.kind,
            origin="user_stated",
            subject=claim.subject or None,
            stated=False,
            judged=claim.about,
            confidence=claim.confidence,
            recorded_time=now_ms,
            normal=claim.normal,
            # What was always to be in the packet still is in its new wording, if the owner's side worded it.
            pinned=internal and replaced is not None and writing.is_pinned(replaced),
            taught_by=key.key_id,
            outside=not internal,
        )
    )
    if replaced is None:
        return "create"
    writing.supersede(replaced, by=fact_id)
    return "supersede"

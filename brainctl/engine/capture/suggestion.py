"""What a model suggests to do with a taught text, in one strict form, and how far the rules let it have its way."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, KINDS
from brainctl.contract.json_names import NameTwiceError, each_name_once
from brainctl.engine.capture.claims import Action, Claim, KnownFact, Names, Verdict
from brainctl.engine.capture.compare import is_same_subject
from brainctl.engine.capture.frame import Frame, frame_of, mentioned_in
from brainctl.engine.capture.subject import LONGEST, judge_subject

NONE: Final = "none"
"""Stands for a fact where there is none."""
_DECISIONS: Final[tuple[Action, ...]] = ("create", "skip", "supersede")
_FIELDS: Final = ("kind", "subject", "decision", "against")
_SHARED_TO_SKIP: Final = 1 / 3
"""The least part of their words, beside those of the subject, that a repeat and a fact have in common."""
_SHARED_TO_REPLACE: Final = 1 / 2
"""The same for what replaces a fact without a word that says so."""
_SAID_SO: Final = "the model said so"


class Suggestion(NamedTuple):
    """`against` is the id of a fact that was offered, for all but `create`; `offered` are the ids of all of them."""

    kind: str
    subject: str
    action: Action
    against: str | None
    offered: frozenset[str]


class SuggestionError(Exception):
    """Why what a model said is no suggestion, for the log."""


def schema(offered: Sequence[str]) -> dict[str, Any]:
    """The JSON schema of a suggestion, given the names of the facts that it may be about."""
    return {
        "type": "object",
        "properties": {
            "kind": {"type": "string", "enum": list(KINDS)},
            "subject": {"type": "string", "minLength": 1, "maxLength": LONGEST},
            "decision": {"type": "string", "enum": list(_DECISIONS if offered else _DECISIONS[:1])},
            "against": {"type": "string", "enum": [NONE, *offered]},
        },
        "required": list(_FIELDS),
        "additionalProperties": False,
    }


def read_suggestion(said: str, offered: Mapping[str, KnownFact]) -> Suggestion:
    """A model's words as a suggestion; `offered` are the facts by the names it knows them by.

    Raises `SuggestionError` for whatever is not exactly of the form.
    """
    try:
        found = json.loads(said, object_pairs_hook=each_name_once)
    except NameTwiceError:
        raise SuggestionError("a field is there twice") from None
    except (ValueError, RecursionError):
        raise SuggestionError("it is no JSON") from None
    if not isinstance(found, dict) or sorted(found) != sorted(_FIELDS):
        raise SuggestionError("it is no object of these four fields")
    if not all(isinstance(value, str) for value in found.values()):
        raise SuggestionError("a field is no text")
    kind, subject, decision, against = (found[name] for name in _FIELDS)
    if kind not in KINDS:
        raise SuggestionError("its kind is none of the kinds")
    if not subject.strip() or len(subject) > LONGEST or not subject.isprintable():
        raise SuggestionError(f"its subject is not one line of 1 to {LONGEST} characters")
    if decision not in _DECISIONS:
        raise SuggestionError("its decision is none of the three")
    if (against == NONE) != (decision == "create") or (against != NONE and against not in offered):
        raise SuggestionError("it is not about a fact that it was shown")
    ids = frozenset(fact.fact_id for fact in offered.values())
    fact_id = None if against == NONE else offered[against].fact_id
    return Suggestion(kind, " ".join(subject.casefold().split()), decision, fact_id, ids)


def as_suggested(claim: Claim, suggestion: Suggestion, names: Names) -> Claim:
    """The claim with the kind and the subject that a model gave it, where that shows nobody more of it.

    What the rules hold for internal stays so, whatever a text may have talked a model into; and whom a claim is about is
    for the rules alone, so only what is about nobody gets another subject, of its own words.
    """
    if claim.kind in CUSTOMER_FACING_KINDS or suggestion.kind not in CUSTOMER_FACING_KINDS:
        claim = claim._replace(kind=suggestion.kind, kind_rule=_SAID_SO)
    own_words = mentioned_in(suggestion.subject) <= mentioned_in(claim.text)
    if claim.about == "general" and own_words and judge_subject(suggestion.subject, names) == "general":
        claim = claim._replace(subject=suggestion.subject, subject_rule=_SAID_SO)
    return claim


def settled(claim: Claim, suggestion: Suggestion, known: Sequence[KnownFact], ruled: Verdict) -> Verdict:
    """What becomes of a claim, given what a model suggests and what the rules say: the model's word where the rules'
    guards allow it, else theirs. `known` are current facts, read anew since the model was asked.
    """
    if any(fact.normal == claim.normal for fact in known):
        return ruled
    if suggestion.action == "create":
        # Of a fact that has come since the model knew nothing.
        if ruled.fact_id is not None and ruled.fact_id not in suggestion.offered:
            return ruled
        return Verdict("create", None, "the model found nothing that it repeats or replaces")
    fact = next((fact for fact in known if fact.fact_id == suggestion.against), None)
    if fact is None:
        return ruled
    against = _guarded(claim, suggestion.action, fact)
    if against:
        return ruled._replace(reason=f"{ruled.reason}; the model would {suggestion.action}, but {against}")
    if suggestion.action == "skip":
        return Verdict("skip", fact.fact_id, "the same, as the model has it")
    return Verdict("supersede", fact.fact_id, "takes its place, as the model has it")


def _guarded(claim: Claim, action: Action, fact: KnownFact) -> str:
    """Why a claim may not skip or supersede a fact, whatever a model says; empty where it may."""
    mine, its = frame_of(claim.text), frame_of(fact.text)
    if mine.asks or its.asks:
        return "a question claims nothing"
    subject = mentioned_in(f"{claim.subject} {fact.subject}")
    here, there = {*mine.stems} - subject, {*its.stems} - subject
    shared, all_words = len(here & there), len(here | there)
    if action == "skip":
        if _differ(mine, its):
            return "they differ in a number, a date, a name or a \u201cnot\u201d"
        return "" if shared >= _SHARED_TO_SKIP * all_words else "they have hardly a word in common"
    if claim.kind != fact.kind:
        return "they are of different kinds"
    if not is_same_subject(claim, fact):
        return "they are about different things"
    if mine.cued:
        return "" if shared else "they have no word in common"
    if not _differ(mine, its):
        return "nothing tells that anything has changed"
    return "" if shared >= _SHARED_TO_REPLACE * all_words else "too much else differs"


def _differ(mine: Frame, its: Frame) -> bool:
    return (mine.values, mine.weekdays, mine.negated, mine.names) != (
        its.values,
        its.weekdays,
        its.negated,
        its.names,
    )

"""A fact of a brain of one's own, as its owner is told of it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from brainctl.engine.store.keys import KeyRow
    from brainctl.engine.store.owned import OwnedFact


def fact_rows(facts: Iterable["OwnedFact"], keys: Iterable["KeyRow"]) -> list[dict[str, Any]]:
    """The facts as plain mappings: what a key would be told, and how each stands in the brain."""
    names = {key.key_id: key for key in keys}
    return [_row(fact, names) for fact in facts]


def whole_row(fact: "OwnedFact", replaced: list[str], keys: Iterable["KeyRow"]) -> dict[str, Any]:
    """All that is stored of a fact."""
    [row] = fact_rows([fact], keys)
    return {**row, "replaced": replaced, "found_by": fact.terms.split(), "normal_form": fact.normal}


def _row(fact: "OwnedFact", keys: Mapping[str, "KeyRow"]) -> dict[str, Any]:
    from brainctl.engine import times

    teacher = keys.get(fact.taught_by or "")
    return {
        "fact_id": fact.fact_id,
        "fact_text": fact.text,
        "kind": fact.kind,
        "origin": fact.origin,
        "subject": fact.subject,
        "confidence_level": fact.confidence,
        "recorded_time": times.to_text(fact.recorded_time),
        "pinned": fact.pinned,
        "about": fact.about,
        "person_id": fact.person_id,
        "seen_by": _seen_by(fact),
        "taught_by": teacher
        and {"key_name": teacher.name, "key_prefix": teacher.prefix, "key_audience": teacher.audience},
        "superseded_by": fact.superseded_by,
    }


def _seen_by(fact: "OwnedFact") -> str:
    from brainctl.engine.withholding import withheld_by

    named = "" if fact.person_id is None else "_naming_the_person"
    for audience, key in (("external", "any_key"), ("internal", "internal_key")):
        if withheld_by(fact, audience, fact.person_id) is None:
            return key + named
    return "nobody"

"""A fact's line as a fact to be written, and what makes two of them the same."""

import json
from typing import Any

from brainctl.engine.capture.claims import Names
from brainctl.engine.digest import sha256
from brainctl.engine.ids import new_id
from brainctl.engine.store.owned import OwnedFact
from brainctl.engine.store.writing import NewFact

_NOBODY = Names((), ())


def id_of(clean: dict[str, Any]) -> str:
    """The fact's id; one without gets an id that follows from what it says, so that it is the same every time."""
    if "fact_id" in clean:
        return str(clean["fact_id"])
    words = [
        *(clean.get(name) for name in ("text", "kind", "origin", "subject")),
        float(clean["confidence"]),
        clean["recorded_time"],
    ]
    digest = sha256(json.dumps(words).encode())
    return new_id("fact", clean["recorded_time"], lambda count: digest[:count])


def said(clean: dict[str, Any]) -> bytes:
    """A digest of what a fact's line says: not of how it stands, which a brain goes on to change."""
    return _digest(
        clean["text"],
        clean["kind"],
        clean["origin"],
        clean.get("subject"),
        clean.get("stated", True),
        float(clean["confidence"]),
        clean["recorded_time"],
        clean.get("taught_by"),
        clean.get("outside", False),
    )


def said_in_store(fact: OwnedFact) -> bytes:
    """The same digest of a fact that is stored."""
    return _digest(
        fact.text,
        fact.kind,
        fact.origin,
        fact.subject,
        fact.stated,
        fact.confidence,
        fact.recorded_time,
        fact.taught_by,
        fact.outside,
    )


def _digest(*parts: Any) -> bytes:
    return sha256(json.dumps(parts).encode())[:16]


def new_fact(clean: dict[str, Any]) -> NewFact:
    """The fact of a line."""
    from brainctl.engine.capture.normalise import normalise
    from brainctl.engine.capture.subject import judge_subject

    subject = clean.get("subject")
    judged = clean.get("judged")
    if judged is None:
        # Whoever is not told of may be anybody: in doubt, it is somebody's own.
        judged = "person" if subject is None else judge_subject(subject, _NOBODY)
    return NewFact(
        fact_id=id_of(clean),
        text=clean["text"],
        kind=clean["kind"],
        origin=clean["origin"],
        subject=subject,
        stated=clean.get("stated", True),
        judged=judged,
        confidence=float(clean["confidence"]),
        recorded_time=clean["recorded_time"],
        normal=normalise(clean["text"]) if "normal" not in clean else clean["normal"],
        pinned=clean.get("pinned", False),
        taught_by=clean.get("taught_by"),
        outside=clean.get("outside", False),
    )

"""What kind of fact a text is, by cues a reader can check. What sounds internal never comes out customer-facing."""

from typing import Final, NamedTuple

from brainctl.engine.capture import cues
from brainctl.engine.capture.negations import affirmed
from brainctl.engine.capture.subject import Subject
from brainctl.engine.words.text import words

_INTERNAL: Final = (
    ("channel_digest", cues.DIGESTS),
    ("roster", cues.PAY_AND_STAFF),
    ("workspace_profile", cues.BUSINESS_SECRETS),
    ("incident", cues.INCIDENTS),
    ("project", cues.PROJECTS),
    ("routine", cues.ROUTINES),
    ("relationship", cues.RELATIONSHIPS),
)
_INTERNAL_OF_SOMEBODY: Final = (
    ("relationship", cues.CANDID),
    ("role", cues.ROLES),
)
"""Kinds whose cues are harmless unless said of somebody: parking may be difficult."""

_SAID_OF_CHANGES: Final = (" from now on ", " no longer ", " now ", " went down to ", " went up to ")
"""Left out, so that a claim and its update are of one kind."""
_COPULAS: Final = (" is ", " are ", " was ", " were ", " been ")
_STATES: Final = ("cancelled ", "canceled ", "refunded ")
"""Words of rules that are also the state of one thing: of it, "is confirmed" would be said just as well."""


class Kind(NamedTuple):
    """One of the twelve kinds, and the cue it was told by."""

    name: str
    rule: str


def kind_of(normal: str, subject: Subject) -> Kind:
    """The kind of a text in its normal form, given what it is about.

    The internal kinds are looked for first, and a text with a cue of one is never customer-facing, whatever else it
    says. The customer-facing kinds are told by what is said and not by whether it is denied, nor by the state a
    thing is in: so a claim and its contradiction, or its update, are of one kind.
    """
    folded = f" {' '.join(words(normal))} "
    for change in _SAID_OF_CHANGES:
        folded = folded.replace(change, " ")
    of_somebody = subject.about != "general" or _cue_in(folded, cues.SOMEBODY) is not None
    return (
        _internal_kind(normal, folded, of_somebody=of_somebody)
        or _open_kind(normal, _what_is_said(folded), subject, of_somebody=of_somebody)
        or Kind("observation", "it has no cue of another kind")
    )


def _what_is_said(folded: str) -> str:
    said = f" {' '.join(affirmed(folded.split()))} "
    for copula in _COPULAS:
        for state in _STATES:
            said = said.replace(copula + state, copula)
    return said


def _cue_in(folded: str, phrases: tuple[str, ...]) -> str | None:
    return next((phrase.strip() for phrase in phrases if phrase in folded), None)


def _internal_kind(normal: str, folded: str, *, of_somebody: bool) -> Kind | None:
    if normal.startswith("#"):
        return Kind("channel_digest", "it begins with #")
    tables = (*_INTERNAL[:2], *(_INTERNAL_OF_SOMEBODY if of_somebody else ()), *_INTERNAL[2:])
    for kind, phrases in tables:
        if cue := _cue_in(folded, phrases):
            return Kind(kind, f"it says \u201c{cue}\u201d, which is internal")
    return None


def _open_kind(normal: str, said: str, subject: Subject, *, of_somebody: bool) -> Kind | None:
    if cue := _cue_in(said, cues.AGREED):
        return Kind("decision", f"it says \u201c{cue}\u201d")
    if of_somebody and (cue := _cue_in(said, cues.PREFERENCES)):
        return Kind("preference", f"it says \u201c{cue}\u201d of somebody")
    if subject.about == "person" and not subject.is_thing:
        return Kind("profile_fact", "it is about a person, and has no other cue")
    money = next((sign for sign in cues.MONEY_SIGNS if sign in normal), None) or _cue_in(
        said, cues.MONEY_WORDS
    )
    if cue := money or _cue_in(said, cues.RULES):
        return Kind("decision", f"it says \u201c{cue}\u201d")
    return None

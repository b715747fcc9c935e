"""What kind of fact a text is, by cues a reader can check. What sounds internal never comes out customer-facing."""

from typing import Final, NamedTuple

from brainctl.engine.capture import cues
from brainctl.engine.capture.claims import About
from brainctl.engine.text import words

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


class Kind(NamedTuple):
    """One of the twelve kinds, and the cue it was told by."""

    name: str
    rule: str


def kind_of(normal: str, about: About) -> Kind:
    """The kind of a text in its normal form.

    The internal kinds are looked for first, and a text with a cue of one is never customer-facing, whatever else it
    says.
    """
    folded = f" {' '.join(words(normal))} "
    for change in _SAID_OF_CHANGES:
        folded = folded.replace(change, " ")

    def cue_among(phrases: tuple[str, ...]) -> str | None:
        return next((phrase.strip() for phrase in phrases if phrase in folded), None)

    of_somebody = about != "general" or cue_among(cues.SOMEBODY) is not None
    tables = (*_INTERNAL[:2], *(_INTERNAL_OF_SOMEBODY if of_somebody else ()), *_INTERNAL[2:])
    if normal.startswith("#"):
        return Kind("channel_digest", "it begins with #")
    for kind, phrases in tables:
        if cue := cue_among(phrases):
            return Kind(kind, f"it says \u201c{cue}\u201d, which is internal")
    if cue := cue_among(cues.AGREED):
        return Kind("decision", f"it says \u201c{cue}\u201d")
    if of_somebody and (cue := cue_among(cues.PREFERENCES)):
        return Kind("preference", f"it says \u201c{cue}\u201d of somebody")
    if about == "person":
        return Kind("profile_fact", "it is about a person, and has no other cue")
    money = next((sign for sign in cues.MONEY_SIGNS if sign in normal), None) or cue_among(cues.MONEY_WORDS)
    if cue := money or cue_among(cues.RULES):
        return Kind("decision", f"it says \u201c{cue}\u201d")
    return Kind("observation", "it has no cue of another kind")

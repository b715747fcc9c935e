"""What kind of fact a text is, by cues a reader can check. What sounds internal never comes out customer-facing."""

from typing import Final

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

_SAID_OF_CHANGES: Final = (" from now on ", " no longer ", " now ")
"""Left out, so that a claim and its update are of one kind."""


def kind_of(normal: str, about: About) -> str:
    """One of the twelve kinds, for a text in its normal form.

    The internal kinds are looked for first, and a text with a cue of one is never customer-facing, whatever else it
    says.
    """
    folded = f" {' '.join(words(normal))} "
    for change in _SAID_OF_CHANGES:
        folded = folded.replace(change, " ")

    def has(phrases: tuple[str, ...]) -> bool:
        return any(phrase in folded for phrase in phrases)

    of_somebody = about != "general" or has(cues.SOMEBODY)
    tables = (*_INTERNAL[:2], *(_INTERNAL_OF_SOMEBODY if of_somebody else ()), *_INTERNAL[2:])
    internal = (
        "channel_digest" if normal.startswith("#") else next((k for k, cue in tables if has(cue)), None)
    )
    if internal:
        return internal
    if has(cues.AGREED):
        return "decision"
    if of_somebody and has(cues.PREFERENCES):
        return "preference"
    if about == "person":
        return "profile_fact"
    has_price = any(sign in normal for sign in cues.MONEY_SIGNS) or has(cues.MONEY_WORDS)
    return "decision" if has_price or has(cues.RULES) else "observation"

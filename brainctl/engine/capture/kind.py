"""What kind of fact a text is, by cues a reader can check. What sounds internal never comes out customer-facing."""

from collections.abc import Iterable

from brainctl.engine.capture import cues
from brainctl.engine.capture.claims import About
from brainctl.engine.text import words


def kind_of(normal: str, about: About) -> str:
    """One of the twelve kinds, for a text in its normal form.

    The internal kinds are looked for first, and a text with a cue of one is never customer-facing, whatever else it
    says.
    """
    folded = f" {' '.join(words(normal))} "

    def has(phrases: Iterable[str]) -> bool:
        return any(phrase in folded for phrase in phrases)

    if normal.startswith("#") or has(cues.DIGESTS):
        return "channel_digest"
    if has(cues.PAY_AND_STAFF):
        return "roster"
    if has(cues.CANDID) and (about != "general" or has(cues.SOMEBODY)):
        return "relationship"
    if has(cues.BUSINESS_SECRETS):
        return "workspace_profile"
    if has(cues.INCIDENTS):
        return "incident"
    if has(cues.ROLES) and about != "general":
        return "role"
    if has(cues.PROJECTS):
        return "project"
    if has(cues.ROUTINES):
        return "routine"
    if has(cues.RELATIONSHIPS):
        return "relationship"
    if has(cues.AGREED):
        return "decision"
    if has(cues.PREFERENCES) and (about != "general" or has(cues.SOMEBODY)):
        return "preference"
    if about == "person":
        return "profile_fact"
    if has(cues.RULES) or (any(sign in normal for sign in cues.MONEY_SIGNS) or has(cues.MONEY_WORDS)):
        return "decision"
    return "observation"

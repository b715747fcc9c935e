"""The words by which a text says that something has changed, and the states of which a thing is in one at a time."""

from collections.abc import Sequence
from typing import Final

from brainctl.engine.capture.lexicon import listed
from brainctl.engine.words.stem import stem

CUES: Final = listed(
    """
    moved moves changed changes now instead correction corrected updated update postponed rescheduled replaces
    replaced switched switches
    """
)
"""Words that say it wherever they stand."""

PHRASES: Final = (
    ("no longer", "not now"),
    ("not anymore", "not now"),
    ("anymore", "now"),
    ("any more", "now"),
    ("from now on", "now"),
    ("from today on", "now"),
    ("as of now", "now"),
    ("as of", "now"),
    ("went up to", "now"),
    ("went down to", "now"),
    ("pushed back to", "now"),
    ("brought forward to", "now"),
    ("put off to", "now"),
    ("taken over", "now"),
    ("took over", "now"),
    ("stopped taking", "not now takes"),
    ("stopped", "not now"),
)
"""Phrases that say it, and what stands for them."""

_MADE: Final = listed(
    """
    raised lowered increased decreased reduced extended shortened delayed relocated renewed doubled halved upgraded
    downgraded migrated escalated slipped relaxed rose fell dropped grew shrank
    """
)
_MADE_TO: Final = listed("cut set brought")
_AUXILIARIES: Final = listed("was were has have been is are got gets")
_DIRECTIONS: Final = listed("to from until by")


def says_change(found: Sequence[str], place: int) -> bool:
    """Whether the token that stands here says that something changed.

    "Was raised" and "slipped to" do; an extended warranty does not.
    """
    token = found[place]
    if token in CUES:
        return True
    before = found[place - 1] if place else ""
    after = found[place + 1] if place + 1 < len(found) else ""
    if token in _MADE_TO:
        return after == "to"
    if token not in _MADE:
        return False
    return before in _AUXILIARIES or after in _DIRECTIONS


def _groups(listed_groups: str) -> tuple[frozenset[str], ...]:
    return tuple(frozenset(map(stem, line.split())) for line in listed_groups.strip().splitlines())


_STATES: Final = _groups(
    """
    pending packed processing shipped delivered returned dispatched
    open resolved solved pending blocked
    confirmed canceled pending tentative requested
    paid overdue refunded outstanding
    broken repaired fixed working defective
    free reserved occupied taken vacant
    draft approved rejected published pending
    """
)


def other_state(mine: frozenset[str], known: frozenset[str]) -> bool:
    """Whether two things said are two states of which only one can be at a time. Both are stems."""
    return (
        len(mine) == len(known) == 1
        and mine != known
        and any(mine <= states and known <= states for states in _STATES)
    )

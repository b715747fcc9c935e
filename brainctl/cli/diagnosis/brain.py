"""The brain itself: what it says of the key, and, of one's own, whether it finds what it holds."""

from typing import TYPE_CHECKING, Final

from brainctl.cli.diagnosis.finding import Finding, ok, warning
from brainctl.cli.session import Session
from brainctl.contract.bounds import LIMIT_MAX, QUERY_MAX
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.engine.store.owned import OwnedFact

LOOKED_AT: Final = 100
SEARCHED_FOR: Final = 5
"""Of how many of the newest facts how many are searched for; more than one, since a fact may be found by its subject
alone.
"""


def whoami(session: Session) -> Finding:
    """What the brain says of the key. Raises `BrainError` where it refuses it."""
    told = session.brain.whoami()
    profile = session.access.profile
    if profile is not None and profile.key_prefix is not None:
        saved = (profile.key_prefix, profile.key_name, profile.key_audience, profile.scopes)
        if saved != (told["key_prefix"], told["key_name"], told["key_audience"], tuple(told["scopes"])):
            return warning(
                f"the brain now says something else of the key than is saved with the profile {profile.slot}",
                f"Run `brainctl keys check {profile.slot}`, which notes what it says.",
            )
    scopes = ", ".join(told["scopes"]) or "no scopes"
    return ok(f"{told['key_name']}, {told['key_audience']}: {scopes}")


def own_search(session: Session, store: str) -> Finding:
    """Whether facts of one's own brain that the key may see are found by their own words. Raises `BrainError`."""
    told = session.brain.whoami()
    if "memory.read" not in told["scopes"]:
        return warning("not tried: the key lacks the scope memory.read", "Use a key that has it.")
    facts = _visible_facts(store, session.access.workspace, told["key_audience"])
    if not facts:
        return ok("not tried: there is no fact that the key may see")
    for fact in facts:
        reply = session.brain.search({"query": fact.text[:QUERY_MAX], "limit": LIMIT_MAX})
        if all(found["fact_id"] != fact.fact_id for found in reply["facts"]):
            raise BrainError(
                "fault", f"The brain does not find {fact.fact_id} by its own words: its index may be damaged."
            )
    return ok(f"finds each of {len(facts)} by its own words")


def _visible_facts(store: str, workspace: str | None, audience: str) -> "list[OwnedFact]":
    """The newest facts about nobody bound to an id that a key of this audience may see."""
    from brainctl.engine.owner import open_owner
    from brainctl.engine.store.owned import Choice
    from brainctl.engine.withholding import withheld_by

    with open_owner(store, workspace) as owner:
        newest = owner.facts(Choice(), LOOKED_AT)
    return [fact for fact in newest if fact.terms and withheld_by(fact, audience) is None][:SEARCHED_FOR]

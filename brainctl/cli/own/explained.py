"""What is decided in a brain of one's own, as its owner is told of it."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from brainctl.cli.own.owned import fact_rows, whole_row

if TYPE_CHECKING:
    from brainctl.engine.explaining import Explained
    from brainctl.engine.store.decisions import Decision
    from brainctl.engine.store.keys import KeyRow
    from brainctl.engine.store.owned import OwnedFact
    from brainctl.engine.withholding import Shown


def why_row(explained: "Explained", keys: list["KeyRow"]) -> dict[str, Any]:
    """A fact with the rules that made it what it is, and what else was decided of it, the oldest first."""
    fact = explained.fact
    own = next((each for each in explained.decisions if _is_own(each, explained)), None)
    return {
        **whole_row(fact, explained.replaced, keys),
        "kind_rule": own and own.kind_rule,
        "subject_rule": own and own.subject_rule,
        "decisions": decision_rows(explained.decisions, keys),
    }


def _is_own(decision: "Decision", explained: "Explained") -> bool:
    return (
        decision.fact_id == explained.fact.fact_id
        and decision.told == explained.told
        and decision.action in ("create", "supersede")
    )


def decision_rows(decisions: Iterable["Decision"], keys: Iterable["KeyRow"]) -> list[dict[str, Any]]:
    from brainctl.engine import times

    names = {key.key_id: key.name for key in keys}
    return [
        {
            "action": decision.action,
            "fact_id": decision.fact_id,
            "against": decision.against,
            "reason": decision.reason,
            "told_by": names.get(decision.key_id or ""),
            "time": times.to_text(decision.decided),
        }
        for decision in decisions
    ]


def history_rows(
    chain: Iterable[tuple["OwnedFact", list["Decision"]]], keys: list["KeyRow"]
) -> list[dict[str, Any]]:
    """The facts of a subject, the oldest first, each with why it replaced what it replaced."""
    return [
        {
            **fact_rows([fact], keys)[0],
            "decisions": decision_rows((each for each in decisions if each.fact_id == fact.fact_id), keys),
        }
        for fact, decisions in chain
    ]


def shown_rows(shown: "Shown", keys: list["KeyRow"]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """The facts that a key gets, with their scores, and those that are withheld, with the rule."""
    from brainctl.engine.facts import as_reply
    from brainctl.engine.withholding import RULES

    facts: list[dict[str, Any]] = [
        {
            **as_reply(each.fact),
            "score": round(each.score, _PLACES),
            "parts": {name: round(value, _PLACES) for name, value in each.parts._asdict().items()},
        }
        for each in shown.ranked
    ]
    rows = fact_rows([each.fact for each in shown.withheld], keys)
    withheld = [
        {**row, "withheld_by": each.rule, "why": RULES[each.rule], "query_words": each.words}
        for row, each in zip(rows, shown.withheld, strict=True)
    ]
    return facts, withheld


_PLACES = 3


def key_row(key: "KeyRow") -> Mapping[str, Any]:
    return {
        "key_name": key.name,
        "key_prefix": key.prefix,
        "key_audience": key.audience,
        "scopes": list(key.scopes),
        "revoked": key.revoked is not None,
    }

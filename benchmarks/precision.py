"""How little a packet holds besides what helps: PrecisionMemBench through the product's own doors.

    python benchmarks/precision.py FOLDER [--semantic] [--strict] [--failed]

FOLDER holds the set's beliefs.json and cases.json. The data is read from where it lies and is no part of this project.

A belief becomes a fact as its owner would load it: its canonical name, with its aliases in brackets behind it, is the
subject, its content and why it matters are the text, its type the kind. A brain has no users and scopes inside it:
each user and choice of scopes gets a brain of its own, with what is current there. What a case calls relevant are the
facts of the packet's layer `retrieved`, up to the case's number; what it calls pinned are those of `pinned_core`. Open
questions and the participants of a relation are looked up in the set itself, as in its own scoring, and personas are
taken as they are: the brain has no such things. A participant that is an open question counts as a question; with
--strict every participant in scope counts as a relevant belief, an open question or a superseded one too.

A case passes when all that it expects holds. Precision and recall are means over the single-turn cases, as published.
"""

import argparse
import json
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, Final, NamedTuple

from brainctl.contract.bounds import SCOPES, TOKEN_BUDGET_MAX
from brainctl.engine.local_brain import LocalBrain, open_brain
from brainctl.engine.owner import create_brain

USER: Final = "test-user"
BELIEFS_MOST: Final = 20
QUESTIONS_MOST: Final = 15
Row = dict[str, Any]


class Outcome(NamedTuple):
    case: str
    wrong: list[str]
    precision: float | None
    recall: float | None


class Workspace:
    """The brains of all users and scopes."""

    def __init__(self, beliefs: Sequence[Row], folder: Path, stack: ExitStack, *, semantic: bool) -> None:
        self.beliefs = {belief["_id"]: belief for belief in beliefs}
        self._folder = folder
        self._semantic = semantic
        self._stack = stack
        self._brains: dict[tuple[str, ...], tuple[LocalBrain, dict[str, str]]] = {}

    def current(self, user: str, scopes: Sequence[str]) -> list[Row]:
        return [
            belief
            for belief in self.beliefs.values()
            if belief["user_id"] == user
            and not belief.get("superseded_by")
            and not belief.get("resolved_at")
            and any(scope in scopes for scope in belief["scope"])
        ]

    def brain(self, user: str, scopes: Sequence[str]) -> tuple[LocalBrain, dict[str, str]]:
        """A brain, and the belief that each text in it stands for."""
        which = (user, *sorted(scopes))
        if which not in self._brains:
            path = str(self._folder / f"{len(self._brains)}.db")
            held = [belief for belief in self.current(user, scopes) if belief["type"] != "open_question"]
            with create_brain(path) as owner:
                owner.load_facts(map(described, held))
                if self._semantic:
                    owner.want_meanings()
                    owner.await_meanings(lambda *_: None)
                secret = owner.create_key("bench", "internal", SCOPES).secret
            texts = {described(belief)["text"]: belief["_id"] for belief in held}
            self._brains[which] = self._stack.enter_context(open_brain(path, secret)), texts
        return self._brains[which]


def described(belief: Row) -> Row:
    aliases = f" ({', '.join(belief['aliases'])})" if belief.get("aliases") else ""
    return {
        "text": f"{belief['content']} {belief['why_it_matters']}",
        "kind": belief["type"],
        "origin": "user_stated",
        "subject": belief["canonical_name"].replace("_", " ") + aliases,
        "confidence": belief["confidence"],
        "recorded_time": f"{belief['created_at'][:19]}.000Z",
        "pinned": belief["pinned"],
    }


def outcome(workspace: Workspace, case: Row, times: list[float], *, strict: bool) -> Outcome:
    user, scopes, query = case.get("userId", USER), case["scope"], case["query"]
    most = case.get("budget", {}).get("maxBeliefs", BELIEFS_MOST)
    current = workspace.current(user, scopes)
    questions = [each["_id"] for each in current if each["type"] == "open_question" and each["pinned"]]
    pinned = [each["_id"] for each in current if each["type"] != "open_question" and each["pinned"]]
    relevant: list[str] = []
    if query.strip():
        brain, texts = workspace.brain(user, scopes)
        started = time.process_time()
        packet = brain.context({"query": query, "token_budget": TOKEN_BUDGET_MAX})
        times.append(time.process_time() - started)
        layers = [(fact["layer"], texts[fact["fact_text"]]) for fact in packet["facts"]]
        relevant = [belief for layer, belief in layers if layer == "retrieved"][:most]
        pinned = [belief for layer, belief in layers if layer == "pinned_core"]
    if strict:
        in_reach = {
            each["_id"]
            for each in workspace.beliefs.values()
            if each["user_id"] == user and any(scope in scopes for scope in each["scope"])
        }
    else:
        in_reach = {each["_id"] for each in current if each["type"] != "open_question"}
    relevant += [
        other
        for belief in relevant
        if workspace.beliefs[belief]["type"] == "relation"
        for other in workspace.beliefs[belief].get("participants") or ()
        if other in in_reach and other not in pinned and other not in relevant
    ]
    pinned = pinned[:most]
    relevant = relevant[: max(0, most - len(pinned))]
    wrong = failures(case["expect"], relevant, pinned, questions[:QUESTIONS_MOST])
    asked = case["expect"].get("relevantBeliefs") or {}
    if "shouldOnlyInclude" in asked:
        wanted = set(asked["shouldOnlyInclude"])
    else:
        wanted = {
            each
            for each in asked.get("mustInclude", ())
            if not (workspace.beliefs[each]["pinned"] and workspace.beliefs[each]["user_id"] == USER)
        }
    hits = len(wanted & set(relevant))
    precision = hits / len(relevant) if relevant else 0.0 if wanted else None
    return Outcome(case["caseId"], wrong, precision, hits / len(wanted) if wanted else None)


def failures(
    expected: Row, relevant: Sequence[str], pinned: Sequence[str], questions: Sequence[str]
) -> list[str]:
    """What of a case's expectations does not hold."""
    wrong: list[str] = []
    asked = expected.get("relevantBeliefs") or {}
    held = {*relevant, *pinned}
    wrong += [
        f"-{each}"
        for each in (*asked.get("mustInclude", ()), *asked.get("shouldInclude", ()))
        if each not in held
    ]
    wrong += [f"+{each}" for each in asked.get("mustExclude", ()) if each in held]
    if "shouldOnlyInclude" in asked:
        only = set(asked["shouldOnlyInclude"])
        wrong += [f"-{each}" for each in sorted(only - set(relevant))]
        wrong += [f"+{each}" for each in sorted(set(relevant) - only)]
    if not asked.get("minCount", 0) <= len(relevant) <= asked.get("maxCount", len(relevant)):
        wrong.append(f"{len(relevant)} beliefs")
    for first, second in asked.get("orderedBefore", ()):
        if not (first in relevant and second in relevant and relevant.index(first) < relevant.index(second)):
            wrong.append(f"{first} before {second}")
    for name, got in (("pinnedFacts", pinned), ("openQuestions", questions)):
        wanted = expected.get(name) or {}
        wrong += [f"-{each}" for each in wanted.get("mustInclude", ()) if each not in got]
        wrong += [f"+{each}" for each in wanted.get("mustExclude", ()) if each in got]
    return wrong


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("folder", type=Path)
    options.add_argument("--semantic", action="store_true", help="facts are found by their meaning too")
    options.add_argument("--strict", action="store_true", help="count every participant of a relation")
    options.add_argument(
        "--failed", action="store_true", help="name each case that failed, and what was wrong"
    )
    given = options.parse_args()
    beliefs = json.loads((given.folder / "beliefs.json").read_text(encoding="utf-8"))
    cases = json.loads((given.folder / "cases.json").read_text(encoding="utf-8"))
    times: list[float] = []
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        workspace = Workspace(beliefs, Path(folder), stack, semantic=given.semantic)
        outcomes = [outcome(workspace, case, times, strict=given.strict) for case in cases]
    if given.failed:
        for each in outcomes:
            if each.wrong:
                print(f"{each.case}: {' '.join(each.wrong)}")
    precisions = [each.precision for each in outcomes if each.precision is not None]
    recalls = [each.recall for each in outcomes if each.recall is not None]
    passed = [each for each in outcomes if not each.wrong]
    print(
        f"passed {len(passed)} of {len(outcomes)}, {sum(1 for each in passed if each.precision)} of them with facts"
        f" · precision {sum(precisions) / len(precisions):.3f} · recall {sum(recalls) / len(recalls):.3f}"
        f" · context, CPU: median {sorted(times)[len(times) // 2] * 1000:.2f} ms"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

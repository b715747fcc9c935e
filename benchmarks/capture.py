"""What becomes of taught pairs: the confusion table, and precision and recall of what is skipped and superseded.

    python benchmarks/capture.py [UPDATES.json] [--semantic]

Each pair of tests/data/pairs.jsonl is taught to a brain of its own, the known text first. The half called `seen` was
looked at while the rules were written, the half called `held` was set aside before. A duplicate should be skipped, an
update and a contradiction should supersede, and what is different should be created. Then every text of a half is
compared with every other text of it that it has nothing to do with: all of these should be created.

UPDATES.json is a file of others' cases, read from where it lies: {"cases": [{"initial_fact", "contradicting_fact"}]}.
Each second one should supersede the first.

With --semantic the brains find facts by their meaning too, and what words make new is compared by meaning.
"""

import argparse
import json
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from brainctl.contract.bounds import SCOPES
from brainctl.engine.capture.claims import KnownFact, Names
from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import create_brain
from brainctl.engine.semantic.likeness import Likeness
from brainctl.engine.semantic.model import load_model

PAIRS: Final = Path(__file__).parents[1] / "tests" / "data" / "pairs.jsonl"
WANTED: Final = {
    "duplicate": "skipped",
    "update": "superseded",
    "contradiction": "superseded",
    "different": "created",
}
ACTIONS: Final = ("skipped", "superseded", "created")
NOBODY: Final = Names((), ())


def read_pairs() -> list[dict[str, str]]:
    return [json.loads(line) for line in PAIRS.read_text("utf-8").splitlines()]


def taught(known: str, told: str, folder: Path, *, semantic: bool) -> str:
    """What becomes of a text where another one is known."""
    path = str(folder / f"{time.monotonic_ns()}.db")
    with create_brain(path) as owner:
        if semantic:
            owner.want_meanings()
        secret = owner.create_key("bench", "internal", SCOPES).secret
    with open_brain(path, secret) as brain:
        brain.teach({"facts": [{"text": known}]})
        reply: Mapping[str, Any] = brain.teach({"facts": [{"text": told}]})
    return next(action for action in ACTIONS if reply[action])


def print_table(half: str, table: Counter[tuple[str, str]]) -> None:
    print(f"\n{half:14}" + "".join(f"{action:>12}" for action in ACTIONS))
    for kind in WANTED:
        print(f"{kind:14}" + "".join(f"{table[kind, action]:>12}" for action in ACTIONS))
    for action in ACTIONS:
        given = sum(table[kind, action] for kind in WANTED)
        right = sum(table[kind, action] for kind, wanted in WANTED.items() if wanted == action)
        all_of = sum(count for (kind, _), count in table.items() if WANTED[kind] == action)
        print(f"{action:14} precision {right / max(given, 1):.3f}   recall {right / max(all_of, 1):.3f}")
    for kind, wanted in WANTED.items():
        all_of = sum(table[kind, action] for action in ACTIONS)
        print(f"{kind:14} as wanted {table[kind, wanted]} of {all_of}")


def unrelated(pairs: Iterable[Mapping[str, str]], pipeline: Pipeline) -> tuple[int, int]:
    """Of how many pairs of texts that have nothing to do with each other, how many are not kept apart."""
    own = {frozenset((pair["known"], pair["told"])) for pair in pairs}
    claims = [pipeline.read(text, NOBODY) for text in sorted({text for pair in own for text in pair})]
    compared = wrong = 0
    for known in claims:
        fact = KnownFact("fact", known.text, known.normal, known.kind, known.subject, 1)
        for told in claims:
            if told is not known and frozenset((known.text, told.text)) not in own:
                compared += 1
                wrong += pipeline.compare(told, [fact]).action != "create"
    return compared, wrong


def main() -> int:
    parser = argparse.ArgumentParser(description="What becomes of taught pairs.")
    parser.add_argument("updates", nargs="?", type=Path, help="a file of others' updates")
    parser.add_argument("--semantic", action="store_true", help="compare by meaning too")
    given = parser.parse_args()
    updates: Path | None = given.updates
    pipeline = (
        Pipeline(compare=partial(compare, meaning=Likeness(load_model()))) if given.semantic else Pipeline()
    )
    pairs = read_pairs()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for half in ("seen", "held"):
            of_half = [pair for pair in pairs if pair["half"] == half]
            print_table(
                half,
                Counter(
                    (pair["class"], taught(pair["known"], pair["told"], folder, semantic=given.semantic))
                    for pair in of_half
                ),
            )
            compared, wrong = unrelated(of_half, pipeline)
            print(f"unrelated      {wrong} of {compared} not kept apart")
        if updates:
            cases = json.loads(updates.read_text("utf-8"))["cases"]
            actions = [
                taught(case["initial_fact"], case["contradicting_fact"], folder, semantic=given.semantic)
                for case in cases
            ]
            print(f"\n{updates.name}: {actions.count('superseded')} of {len(cases)} superseded")
    return 0


if __name__ == "__main__":
    sys.exit(main())

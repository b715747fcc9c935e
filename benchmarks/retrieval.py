"""How well a brain finds: any LoCoMo-shaped set, through the product's own doors, with the usual measures.

    python benchmarks/retrieval.py FACTS.jsonl QUERIES.jsonl [--pooled] [--split dev|test] [--semantic]

FACTS holds {"id", "conv", "text", "speaker", "date"} and, where a fact covers others, "src"; QUERIES holds
{"id", "conv", "query", "category", "gold"}. Facts are loaded as an owner loads them and found as a key searches, in one
brain a conversation, or all in one with --pooled. Questions without gold, and those of the category "adversarial",
are left out. The data is read from where it lies and is no part of this project.

recall@k = gold covered by the first k / gold; nDCG@10 with binary relevance, where a fact counts that covers gold no
earlier one did; MRR of the first such fact. Means are over questions.
"""

import argparse
import json
import math
import resource
import statistics
import sys
import tempfile
import time
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

from brainctl.contract.bounds import SCOPES
from brainctl.engine.local_brain import LocalBrain, open_brain
from brainctl.engine.owner import create_brain

KS: Final = (5, 10, 20)
LEFT_OUT: Final = "adversarial"
DEV: Final = {"conv-26", "conv-30", "conv-41", "conv-42", "conv-43"}
MEASURES: Final = ("recall@5", "recall@10", "recall@20", "ndcg@10", "mrr")
Row = dict[str, Any]


def read(path: str) -> list[Row]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines() if line.strip()]


def text_of(fact: Row) -> str:
    caption = fact.get("caption")
    return f"{fact['text']} and shared {caption}" if caption else str(fact["text"])


def described(fact: Row) -> Row:
    """A fact of the set as an owner loads it: its speaker is its subject, its date the time it was recorded."""
    return {
        "text": text_of(fact)[:4000],
        "kind": "observation",
        "origin": "ingested",
        "subject": fact["speaker"],
        "confidence": 0.7,
        "recorded_time": f"{fact['date'][:16]}:00.000Z",
    }


@contextmanager
def brain_of(
    facts: Sequence[Row], folder: Path, *, semantic: bool
) -> Iterator[tuple[LocalBrain, dict[str, list[str]], float]]:
    """A brain that holds the facts, what found texts and times stand for, and the seconds that loading took."""
    path = str(folder / f"{time.monotonic_ns()}.db")
    with create_brain(path) as owner:
        started = time.perf_counter()
        owner.load_facts(described(fact) for fact in facts)
        if semantic:
            owner.want_meanings()
            owner.await_meanings(lambda *_: None)
        seconds = time.perf_counter() - started
        secret = owner.create_key("bench", "internal", SCOPES).secret
    ids: dict[str, list[str]] = defaultdict(list)
    for fact in facts:
        key = described(fact)
        ids[f"{key['recorded_time']} {key['subject']} {key['text']}"].append(fact["id"])
    with open_brain(path, secret) as brain:
        yield brain, ids, seconds


def measured(ranked: Sequence[str], gold: set[str], covers: dict[str, list[str]]) -> dict[str, float]:
    found: set[str] = set()
    first, gain = 0, 0.0
    scores: dict[str, float] = {}
    for place, fact_id in enumerate(ranked, start=1):
        new = (set(covers[fact_id]) & gold) - found
        if new:
            first = first or place
            gain += 1 / math.log2(place + 1) if place <= 10 else 0.0
            found |= new
        if place in KS:
            scores[f"recall@{place}"] = len(found) / len(gold)
    for k in KS:
        scores.setdefault(f"recall@{k}", len(found) / len(gold))
    ideal = sum(1 / math.log2(place + 1) for place in range(1, min(10, len(gold)) + 1))
    return {**scores, "ndcg@10": gain / ideal, "mrr": 1 / first if first else 0.0}


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("facts")
    options.add_argument("queries")
    options.add_argument("--pooled", action="store_true", help="all conversations in one brain")
    options.add_argument("--semantic", action="store_true", help="facts are found by their meaning too")
    options.add_argument("--split", choices=("dev", "test"))
    given = options.parse_args()
    facts, queries = read(given.facts), read(given.queries)
    asked = [
        query
        for query in queries
        if query["category"] != LEFT_OUT
        and query["gold"]
        and (given.split is None or (query["conv"] in DEV) == (given.split == "dev"))
    ]
    covers = {fact["id"]: fact.get("src", [fact["id"]]) for fact in facts}
    stores: dict[str, list[Row]] = defaultdict(list)
    for fact in facts:
        stores["all" if given.pooled else fact["conv"]].append(fact)
    sums: dict[str, list[dict[str, float]]] = defaultdict(list)
    times: list[float] = []
    loading = 0.0
    with tempfile.TemporaryDirectory() as folder:
        for name, held in stores.items():
            with brain_of(held, Path(folder), semantic=given.semantic) as (brain, ids, seconds):
                loading += seconds
                for query in asked:
                    if not given.pooled and query["conv"] != name:
                        continue
                    started = time.process_time()
                    reply = brain.search({"query": query["query"], "limit": 50})
                    times.append(time.process_time() - started)
                    ranked = [
                        fact_id
                        for fact in reply["facts"]
                        for fact_id in ids[f"{fact['recorded_time']} {fact['subject']} {fact['fact_text']}"]
                    ]
                    row = measured(ranked, set(query["gold"]), covers)
                    sums[query["category"]].append(row)
                    sums["all"].append(row)
    print(f"{'category':<12} {'n':>5} " + " ".join(f"{name:>9}" for name in MEASURES))
    for category in sorted(sums, key=lambda each: (each == "all", each)):
        rows = sums[category]
        means = " ".join(f"{statistics.fmean(row[name] for row in rows):9.3f}" for name in MEASURES)
        print(f"{category:<12} {len(rows):>5} {means}")
    times.sort()
    print(
        f"\nsearch, CPU: median {times[len(times) // 2] * 1000:.2f} ms, p99 {times[int(len(times) * 0.99)] * 1000:.2f} ms"
        f" · loading {loading / len(facts) * 1000:.3f} ms a fact"
        f" · peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())

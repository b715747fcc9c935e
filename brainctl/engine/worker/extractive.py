"""The worker without a model: it answers with the facts that the question is about, or says that it knows none.

It never says anything that no fact says. One shared word makes no answer by itself: what counts is how much of
what the question is about a fact speaks of, each word by how telling it is.
"""

import re
from collections.abc import Iterator, Mapping
from typing import Final as Constant
from typing import NamedTuple

from brainctl.contract.replies import Fact
from brainctl.engine.packet import tokens_of
from brainctl.engine.text import terms
from brainctl.engine.worker.worker import Delta, Final, Said, Task, source_of

FACTS_MOST: Constant = 3
SHARE_NEEDED: Constant = {1: 0.6, 2: 0.3}
"""How much of the question a fact must speak of, by how many of its words they share."""
SHARE_NEEDED_OTHERWISE: Constant = 0.2
NEAR_THE_BEST: Constant = 0.75
"""A further fact says as much as this share of the best one's, or something of the question that is yet unsaid."""
NEWS_NEEDED: Constant = 0.15

NOTHING_KNOWN: Constant = "I don't know: nothing I have been taught is about that."

_MANNERS: Constant = frozenset(
    terms(
        """
        answer anything ask bring come currently decide ever everything exactly explain find get give go happen hello
        help hey hi know let like look make many mean much need please question remember say show something take tell
        thank thanks think use usually want
        """
    )
)
"""Words with which one asks, and not about which."""

_PIECE: Constant = re.compile(r"\s*\S+")
_BLANKS: Constant = re.compile(r"\s+")
_ENDS: Constant = re.compile(r"[.!?:\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u201d\u2019)\]]*\Z")
"""How sentences end: in Latin, Chinese and Japanese, Hindi and Arabic writing, perhaps inside quotes or brackets."""


class _Candidate(NamedTuple):
    fact: Fact
    shared: frozenset[str]
    share: float


class ExtractiveWorker:
    """Composes an answer of one to three facts. The same facts and question give the same answer."""

    def run(self, task: Task) -> Iterator[Said]:
        chosen = _chosen(task)
        output = " ".join(_sentence(fact) for fact in chosen) or NOTHING_KNOWN
        for piece in _PIECE.findall(output):
            yield Delta(piece)
        yield Final(
            output,
            {"input_tokens": tokens_of(task.packet + task.question), "output_tokens": tokens_of(output)},
            [source_of(fact) for fact in chosen],
        )


def _sentence(fact: Fact) -> str:
    text = _BLANKS.sub(" ", fact["fact_text"]).strip()
    return text if _ENDS.search(text) else f"{text}."


def _chosen(task: Task) -> list[Fact]:
    asked = {term: weight for term, weight in task.weights.items() if term not in _MANNERS}
    candidates = [_candidate(fact, asked) for fact in task.facts]
    # Sorting keeps the packet's order among equals.
    candidates = sorted(filter(_is_about_it, candidates), key=lambda candidate: -candidate.share)
    chosen: list[_Candidate] = []
    said: set[str] = set()
    for candidate in candidates:
        news = _weight(candidate.shared - said, asked)
        near = candidate.share >= NEAR_THE_BEST * candidates[0].share
        # A second fact that has one word, and another one than the first, has it by chance more often than not.
        apart = len(candidate.shared) == 1 and not candidate.shared & candidates[0].shared
        if (near or news >= NEWS_NEEDED) and not apart:
            chosen.append(candidate)
            said |= candidate.shared
        if len(chosen) == FACTS_MOST:
            break
    return [candidate.fact for candidate in chosen]


def _weight(shared: frozenset[str], asked: Mapping[str, float]) -> float:
    """Which share, from 0 to 1, of what is asked about these words are."""
    return sum(asked[term] for term in sorted(shared)) / (sum(asked.values()) or 1.0)


def _candidate(fact: Fact, asked: Mapping[str, float]) -> _Candidate:
    spoken_of = {*terms(fact["fact_text"]), *terms(fact["subject"] or "")}
    shared = frozenset(spoken_of.intersection(asked))
    return _Candidate(fact, shared, _weight(shared, asked))


def _is_about_it(candidate: _Candidate) -> bool:
    needed = SHARE_NEEDED.get(len(candidate.shared), SHARE_NEEDED_OTHERWISE)
    return bool(candidate.shared) and candidate.share >= needed

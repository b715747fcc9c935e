"""The worker without a model: it answers with the facts that the question is about, or says that it knows none.

It never says anything that no fact says. One shared word makes no answer by itself: what counts is how much of
what the question is about a fact speaks of, each word by how telling it is. A fact whose subject the question names is
about it sooner. Among facts that speak of as much, that comes first which has what is asked for, a time or a number, and
then the newer one; what only tells of others' talk comes last.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final as Constant
from typing import NamedTuple

from brainctl.contract.replies import Fact
from brainctl.engine.cues import ASKS_NUMBER, ASKS_WHEN, TIME_TERMS, tells_number, tells_time
from brainctl.engine.packet import tokens_of
from brainctl.engine.words.text import terms
from brainctl.engine.worker.worker import Delta, Final, Said, Task, source_of

FACTS_MOST: Constant = 3
SHARE_NEEDED: Constant = {1: 0.6, 2: 0.3}
"""How much of the question a fact must speak of, by how many of its words they share."""
SHARE_NEEDED_OTHERWISE: Constant = 0.2
SHARE_NEEDED_NAMED: Constant = 0.4
"""The same for a fact whose whole subject stands in the question."""
TIME_WEIGHT: Constant = 0.3
"""How much a word for a time counts beside others: it says which of the answers is asked for, and not about what."""
SUBJECT_GAIN: Constant = 0.3
"""What a fact's score gains where all of its subject stands in the question; less for less of it."""
ANSWER_GAIN: Constant = 0.1
WISH_GAIN: Constant = 0.4
"""The same for a wish, where somebody's wishes are asked for."""
HEARSAY_LOSS: Constant = 0.5
HEARSAY: Constant = "channel_digest"
NEAR_THE_BEST: Constant = 0.75
"""A further fact says as much as this share of the best one's, or something of the question that is yet unsaid."""
NEWS_NEEDED: Constant = 0.15

NOTHING_KNOWN: Constant = "I don't know: nothing I have been taught is about that."

_MANNERS: Constant = frozenset(
    terms(
        """
        able allow allowed answer anything ask bring come currently decide ever everything exactly explain find get
        give go happen hello help hey hi know let like long look make many may mean much must need ok okay permit
        permitted please possible prefer question remember say show something take tell thank thanks think time use
        usually want welcome
        """
    )
)
"""Words with which one asks, and not about which."""

_PIECE: Constant = re.compile(r"\s*\S+")
_BLANKS: Constant = re.compile(r"\s+")
_ENDS: Constant = re.compile(r"[.!?:\u2026\u3002\uff01\uff1f\u0964\u061f][\"'\u201d\u2019)\]]*\Z")
"""How sentences end: in Latin, Chinese and Japanese, Hindi and Arabic writing, perhaps inside quotes or brackets."""


_WISHES: Constant = frozenset(terms("prefer like want wish love favourite favorite"))


class _Candidate(NamedTuple):
    """`shared` is what of the question a fact speaks of, and `share` how much that is; `score` is what ranks it.
    `is_named` and `is_of_subject` say that all of its subject, or some, stands in the question; `is_wish`, that it is a
    wish of somebody whose wishes are asked for.
    """

    fact: Fact
    shared: frozenset[str]
    share: float
    score: float
    is_named: bool
    is_wish: bool
    is_of_subject: bool


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
    asked = _asked(task)
    wanted = _wanted(task.question)
    found = [_candidate(fact, asked, wanted) for fact in task.facts]
    # Sorting twice: the newest first, and among those that score the same the newest stay so.
    found.sort(key=lambda candidate: candidate.fact["recorded_time"], reverse=True)
    candidates = sorted(filter(_is_about_it, found), key=lambda candidate: -candidate.score)
    chosen: list[_Candidate] = []
    said: set[str] = set()
    for candidate in candidates:
        news = _weight(candidate.shared - said, asked)
        near = candidate.score >= NEAR_THE_BEST * candidates[0].score
        # A second fact that has one word, and another one than the first, has it by chance more often than not.
        # So it has where the best one's subject is asked about, and its own is not.
        best = candidates[0]
        by_chance = best.is_of_subject and not candidate.is_of_subject
        apart = len(candidate.shared) == 1 and (by_chance or not candidate.shared & best.shared)
        if (near or news >= NEWS_NEEDED) and not apart:
            chosen.append(candidate)
            said |= candidate.shared
        if len(chosen) == FACTS_MOST:
            break
    return [candidate.fact for candidate in chosen]


def _asked(task: Task) -> dict[str, float]:
    """What the question is about: its words and how telling they are."""
    asked = {term: weight for term, weight in task.weights.items() if term not in _MANNERS}
    if TIME_TERMS.issuperset(asked):
        return asked
    return {term: weight * TIME_WEIGHT if term in TIME_TERMS else weight for term, weight in asked.items()}


def _wanted(question: str) -> Callable[[Fact], float]:
    """What kind of answer a question asks for: what a fact's score gains by being one."""
    if ASKS_WHEN.match(question):
        return lambda fact: ANSWER_GAIN * tells_time(terms(fact["fact_text"]))
    if ASKS_NUMBER.match(question):
        return lambda fact: ANSWER_GAIN * tells_number(terms(fact["fact_text"]))
    if wishes := _WISHES.intersection(terms(question)):
        return lambda fact: (
            WISH_GAIN * (fact["kind"] == "preference")
            + ANSWER_GAIN * (not wishes.isdisjoint(terms(fact["fact_text"])))
        )
    return lambda _: 0.0


def _weight(shared: frozenset[str], asked: Mapping[str, float]) -> float:
    """Which share, from 0 to 1, of what is asked about these words are."""
    return sum(asked[term] for term in sorted(shared)) / (sum(asked.values()) or 1.0)


def _candidate(fact: Fact, asked: Mapping[str, float], wanted: Callable[[Fact], float]) -> _Candidate:
    subject = frozenset(terms(fact["subject"] or ""))
    shared = frozenset(asked).intersection(subject.union(terms(fact["fact_text"])))
    share = _weight(shared, asked)
    of_subject = subject & shared
    score = share + SUBJECT_GAIN * len(of_subject) / (len(subject) or 1)
    is_named = bool(of_subject) and of_subject == subject
    gain = wanted(fact) if shared else 0.0
    is_wish = is_named and gain >= WISH_GAIN
    score += gain if is_wish else min(gain, ANSWER_GAIN)
    if fact["kind"] == HEARSAY:
        score *= HEARSAY_LOSS
    return _Candidate(fact, shared, share, score, is_named, is_wish, bool(of_subject))


def _is_about_it(candidate: _Candidate) -> bool:
    needed = SHARE_NEEDED.get(len(candidate.shared), SHARE_NEEDED_OTHERWISE)
    if candidate.is_named:
        needed = min(needed, SHARE_NEEDED_OTHERWISE if candidate.is_wish else SHARE_NEEDED_NAMED)
    return bool(candidate.shared) and candidate.share >= needed

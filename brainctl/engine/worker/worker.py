"""The one small interface behind which every kind of worker answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple, Protocol

from brainctl.contract.replies import Fact, Source, Usage


class Exchange(NamedTuple):
    """An earlier turn of the conversation: what was asked and what was answered."""

    question: str
    answer: str


class Task(NamedTuple):
    """A question, and all that a worker may know in answering it.

    `packet` is the rendered memory block and `facts` are what it was rendered from. `weights` say how telling each
    word (a term, as `text.terms` has it) of the question is among the facts that the asker may see. `search` looks
    a query up live, for at most so many facts; it is None where the worker may use nothing but the packet.
    """

    question: str
    agent_slug: str
    end_user_name: str | None
    packet: str
    facts: Sequence[Fact]
    weights: Mapping[str, float]
    history: Sequence[Exchange]
    search: Callable[[str, int], Sequence[Fact]] | None


class Delta(NamedTuple):
    """The next piece of what the worker says, also of a note before it looks something up."""

    text: str


class Final(NamedTuple):
    """The end: the last message in full, what it took, and the facts it was built from."""

    output_text: str
    usage: Usage
    sources: Sequence[Source]


Said = Delta | Final


class WorkerError(Exception):
    """Why a worker could not answer: for the log of whoever runs the brain, and for nobody else."""


class Worker(Protocol):
    def run(self, task: Task) -> Iterator[Said]:
        """Answer: any number of deltas, then one final. Raises `WorkerError`."""


def source_of(fact: Fact) -> Source:
    return {
        "fact_id": fact["fact_id"],
        "fact_text": fact["fact_text"],
        "kind": fact["kind"],
        "subject": fact["subject"],
    }

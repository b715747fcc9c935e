"""A brain that is led through a script step by step, and all that each step was told."""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from random import Random
from threading import Event as Flag
from typing import Any, Final, NamedTuple, Self

from brainctl.contract.errors import BrainError
from brainctl.contract.events import Event
from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workshop import Workshop, is_busy
from brainctl.engine.local_brain import LocalBrain, brain_of
from brainctl.engine.owner import open_owner
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Said, Task, Worker
from tests.disclosure.telling import ThinkingAloud
from tests.doors.workspace import Clock

HOLD: Final = "hold"
"""How a question begins whose answer is held back until it is let go."""


class Step(NamedTuple):
    """What somebody does. `who` names a key, or is the owner; `only_full`, that nobody does it in the bare brain."""

    who: str
    verb: str
    body: Any = None
    extra: Any = None
    only_full: bool = False

    @property
    def is_outside(self) -> bool:
        return self.who not in {"internal", "owner"}


class Dice:
    """Random bytes that depend on the step and on nothing before it, so that twins give their ids alike."""

    def __init__(self) -> None:
        self.at("the beginning")

    def at(self, place: object) -> None:
        self._random = Random(repr(place))

    def __call__(self, size: int) -> bytes:
        return self._random.randbytes(size)


class Held:
    """A worker that says one word, and the rest when its flag is up."""

    def __init__(self, flag: Flag) -> None:
        self._flag = flag

    def run(self, task: Task) -> Iterator[Said]:
        yield Delta("wait")
        assert self._flag.wait(60)
        yield from ThinkingAloud().run(task)


class Twin:
    """A brain and the keys to it, in a script's hands. Time stands still while a step is done."""

    def __init__(self, path: str, secrets: dict[str, str]) -> None:
        self.clock = Clock()
        self.dice = Dice()
        self._log: list[str] = []
        self._flags: dict[str, Flag] = {}
        self._held: dict[str, list[tuple[Flag, Iterator[Event]]]] = {}
        self._closing = ExitStack()
        self.owner = self._closing.enter_context(open_owner(path, clock=self.clock, entropy=self.dice))
        # A lease outlives every script: what is held is let go by a step.
        means = Means(
            self._hire, self._log.append, Pace(lease=1e6, look=0.005), self.clock, entropy=self.dice
        )
        self._workshop = Workshop(open_stores(path), 1, means)
        self._brains = {
            who: brain_of(
                self.owner.store, secret, clock=self.clock, entropy=self.dice, workshop=self._workshop
            )
            for who, secret in secrets.items()
        }

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._closing.close()
        assert not is_busy(60)
        assert self._log == []

    def let_all_go(self) -> None:
        for who in [*self._held]:
            self._let_go(who)

    def _hire(self, _store: object, row: Any) -> Worker:
        flag = self._flags.get(row.input)
        return ThinkingAloud() if flag is None else Held(flag)

    def load(self, place: int, described: dict[str, Any]) -> None:
        """Load a fact, whose id is that of its place."""
        self.dice.at(("fact", place))
        self.owner.load_facts([described])

    def do(self, place: int, step: Step, answer_ids: list[str]) -> str:
        """Do a step, and give the bytes of what came of it. The ids of answers that it begins are put with the others."""
        self.dice.at(("step", place))
        self.clock.advance(1)
        try:
            reply = self._do(step, answer_ids)
        except BrainError as refused:
            reply = refused.report()
        return json.dumps(reply, ensure_ascii=False)

    def _do(self, step: Step, answer_ids: list[str]) -> Any:
        if step.who == "owner":
            return self._do_as_owner(step)
        brain: Any = self._brains[step.who]
        if step.verb == "ask":
            return list(self._begun(brain, step.body, answer_ids))
        if step.verb == "hold":
            return self._hold(step, brain, answer_ids)
        if step.verb == "let go":
            return self._let_go(step.who)
        if step.verb == "enqueue":
            reply = brain.enqueue(step.body, step.extra)
            answer_ids.append(reply["answer_id"])
            return reply
        if step.verb == "answer":
            number, sources = step.body
            answer_id = answer_ids[number % len(answer_ids)] if answer_ids else "run_none"
            return brain.answer(answer_id, sources=sources)
        return brain.whoami() if step.verb == "whoami" else getattr(brain, step.verb)(step.body)

    def _do_as_owner(self, step: Step) -> None:
        if step.verb == "credits":
            self.owner.set_credits(step.body)
            return
        assert step.verb == "work"
        while self._workshop.run_next():
            pass

    def _begun(self, brain: LocalBrain, body: Any, answer_ids: list[str]) -> Iterator[Event]:
        events = brain.ask(body)
        first = next(events)
        answer_ids.append(first.data["answer_id"])
        yield first
        yield from events

    def _hold(self, step: Step, brain: LocalBrain, answer_ids: list[str]) -> list[Event]:
        flag = self._flags.setdefault(step.body["input"], Flag())
        events = self._begun(brain, step.body, answer_ids)
        # At its first word a worker has been given all that it will know.
        heard = [next(events), next(events)]
        self._held.setdefault(step.who, []).append((flag, events))
        return heard

    def _let_go(self, who: str) -> list[Event]:
        """Let go what a key holds, and hear each to its end."""
        heard: list[Event] = []
        for flag, events in self._held.pop(who, []):
            flag.set()
            heard += events
        return heard

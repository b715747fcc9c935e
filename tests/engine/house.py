"""A brain in a file of its own, the means to fill it, and brains that look at it."""

import itertools
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from brainctl.contract.bounds import SCOPES
from brainctl.engine.capture.claims import About, Claim, KnownFact, Names, Verdict
from brainctl.engine.local_brain import LocalBrain, brain_of
from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.writing import NewFact
from brainctl.engine.words.text import fold
from tests.spot import Spot

NOW = 1_790_000_000.0


class PlainCapture:
    """A capture pipeline that a test can steer: `kind/about/subject: text`, where `now` in the text replaces."""

    def read(self, text: str, names: Names) -> Claim:
        head, _, rest = text.partition(": ")
        kind, about, subject = head.split("/")
        judged: dict[str, About] = {
            "general": "general",
            "person": "person",
            "team": "team",
            "worker": "worker",
        }
        return Claim(text, fold(rest), kind, subject, judged[about], 0.8)

    def compare(self, claim: Claim, known: Sequence[KnownFact]) -> Verdict:
        for fact in known:
            if fact.normal == claim.normal:
                return Verdict("skip", fact.fact_id, "the same")
        for fact in known:
            if fact.kind == claim.kind and fact.subject == claim.subject and "now" in claim.text:
                return Verdict("supersede", fact.fact_id, "newer")
        return Verdict("create", None, "new")


class House:
    """A brain under test: its owner, and a brain for each key asked for."""

    def __init__(self, spot: Spot, stack: ExitStack) -> None:
        self.path, self.name = spot
        self._stack = stack
        self._numbers = itertools.count()
        self.now = NOW
        self.owner: Owner = stack.enter_context(create_brain(spot.address, spot.name, clock=self.clock))
        self.workspace = self.owner.workspace

    def clock(self) -> float:
        return self.now

    def key(self, audience: str, *scopes: str) -> str:
        """The secret of a new key, with all scopes where none is named."""
        name = f"key {next(self._numbers)}"
        return self.owner.create_key(name, audience, scopes or SCOPES).secret

    def brain(self, secret: str, *, plain: bool = False) -> LocalBrain:
        capture = PlainCapture() if plain else None
        brain = brain_of(open_store(self.path), secret, clock=self.clock, capture=capture)
        return self._stack.enter_context(brain)

    def internal(self, *, plain: bool = False) -> LocalBrain:
        return self.brain(self.key("internal"), plain=plain)

    def external(self, *, plain: bool = False) -> LocalBrain:
        return self.brain(self.key("external"), plain=plain)

    def fact(self, text: str, about: About = "general", **fields: Any) -> NewFact:
        """A fact that is all of one's own making, and otherwise an observation about a thing."""
        number = next(self._numbers)
        described: dict[str, Any] = {
            "fact_id": f"fact_{number:026}",
            "text": text,
            "kind": "observation",
            "origin": "user_stated",
            "subject": "thing",
            "stated": True,
            "judged": about,
            "confidence": 0.8,
            "recorded_time": 1_780_000_000_000 + number * 1000,
            "normal": fold(text),
        }
        return NewFact(**{**described, **fields})

    def find_by_meaning(self) -> None:
        """Find facts by their meaning too, from now on, and those that are there at once."""
        self.owner.want_meanings()
        self.owner.await_meanings(lambda *_: None)

    def put(self, *facts: NewFact) -> None:
        """Write facts as they stand."""
        with self.owner.store.writing(self.workspace) as writing:
            for fact in facts:
                writing.add(fact)

    def add(self, text: str, about: About = "general", **fields: Any) -> str:
        """Write one fact, and give its id."""
        fact = self.fact(text, about, **fields)
        self.put(fact)
        return fact.fact_id

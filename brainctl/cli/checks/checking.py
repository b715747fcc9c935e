"""Makes checks against brains, each through the key that it names."""

import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from brainctl.cli.checks.checks import Check, Verdict, judge
from brainctl.cli.exits import LASTING
from brainctl.cli.session import Session
from brainctl.cli.views.facts import facts_of
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets
from brainctl.contract.lines import Problems

if TYPE_CHECKING:
    from brainctl.contract.requests import SearchRequest


class Result(NamedTuple):
    """A check that was made, and how it came out: exactly one of `verdict` and `error` is set."""

    check: Check
    verdict: Verdict | None
    error: BrainError | None
    seconds: float

    @property
    def outcome(self) -> str:
        if self.verdict is None:
            return "error"
        return "passed" if self.verdict.holds else "failed"

    @property
    def message(self) -> str:
        """How it came out, as a phrase."""
        if self.error is not None:
            return mask_secrets(self.error.message)
        return self.verdict.message if self.verdict else ""

    @property
    def fact_id(self) -> str:
        """The id of the fact that matched, or nothing."""
        return (self.verdict.fact_id or "") if self.verdict else ""

    def row(self) -> dict[str, Any]:
        """The result as a plain mapping; what a check does not state is left out."""
        check, verdict = self.check, self.verdict
        stated = {
            "line": check.line,
            "name": check.name,
            "query": check.query,
            "contains": check.contains,
            "fact_id": check.fact_id,
            "min_facts": check.min_facts,
            "top": check.top,
            "absent": check.absent,
            "end_user": check.end_user,
            "profile": check.profile,
        }
        row: dict[str, Any] = {name: value for name, value in stated.items() if value is not None}
        row |= {"outcome": self.outcome, "message": self.message}
        if verdict is not None:
            row |= {"found": verdict.found, "rank": verdict.rank, "matched_fact_id": verdict.fact_id}
        if self.error is not None:
            row |= self.error.report()
        return row


class Checking:
    """Makes checks one by one. `close` lets go of the brains that this opened."""

    def __init__(self, session: Session, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._sessions: dict[str | None, Session] = {None: session}
        self._session = session
        self._clock = clock
        self._in_the_way: dict[str | None, BrainError] = {}

    def unusable(self, checks: Sequence[Check], source: str) -> Problems:
        """The lines of checks whose profile cannot be used, and why; nothing is sent. Raises `no_key`."""
        problems = Problems()
        for check in checks:
            if check.profile is None:
                continue
            try:
                _ = self._through(check.profile).access
            except BrainError as error:
                if error.code != "usage":
                    raise
                problems.add(f"{source}:{check.line or 0}", f"profile: {error.message}")
        return problems

    def make(self, check: Check) -> Result:
        """Make one check. Whatever is in its way becomes its result."""
        started = self._clock()
        verdict = None
        error = self._in_the_way.get(check.profile)
        if error is None:
            try:
                brain = self._through(check.profile).brain
                verdict = judge(check, facts_of(brain.search(cast("SearchRequest", check.request))))
            except BrainError as met:
                error = met
                if met.code in LASTING:
                    self._in_the_way[check.profile] = met
        return Result(check, verdict, error, self._clock() - started)

    def close(self) -> None:
        for session in self._sessions.values():
            # The one we were given is closed by whoever gave it.
            if session is not self._session:
                session.close()

    def _through(self, profile: str | None) -> Session:
        session = self._sessions.get(profile)
        if session is None:
            session = Session(self._session.environment)
            session.shared = self._session.shared._replace(profile=profile)
            self._sessions[profile] = session
        return session

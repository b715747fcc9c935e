"""Teaches any number of facts in calls of at most twenty, and goes on where an earlier run stopped."""

import contextlib
import gc
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from brainctl.cli.session import Interruption
from brainctl.cli.teaching.fact_sources import Fact, Facts
from brainctl.cli.teaching.files import Call, TeachingFiles
from brainctl.cli.teaching.ledger import Entry, Ledger, added, nothing
from brainctl.contract.bounds import FACTS_PER_CALL
from brainctl.contract.errors import BrainError
from brainctl.contract.replies import TeachReply

if TYPE_CHECKING:
    from brainctl.cli.session import Session

NO_REPLY: Final = "No reply had come yet"
"""The facts of the first call may have arrived all the same."""


class Progress(NamedTuple):
    """A call that was accepted, and how many facts are done with it."""

    reply: TeachReply
    done: int


class Taught(NamedTuple):
    """The counters of all calls together, those of an interrupted run included; `failure` where some facts were not
    accepted, saying how many.
    """

    total: TeachReply
    failure: BrainError | None


def teach_all(
    session: "Session",
    facts: Facts,
    files: TeachingFiles,
    *,
    resume: bool,
    each: Callable[[Progress], None],
) -> Taught:
    """Send everything. A call that the brain refuses for what is in it does not keep back the others.

    Raises what else a call raised, its message saying how many facts were taught by then.
    """
    if facts.count > FACTS_PER_CALL:
        # A short command is over before there is anything worth collecting; a long one would keep what each call leaves.
        gc.freeze()
        gc.enable()
    return _Teaching(session, facts, files, each).run(resume=resume)


class _Teaching:
    def __init__(
        self, session: "Session", facts: Facts, files: TeachingFiles, each: Callable[[Progress], None]
    ) -> None:
        self._session = session
        self._facts = facts
        self._files = files
        self._each = each
        self._record = _Record(session, facts)
        self._total = nothing()
        self._taught = 0
        self._first_failure: Call | None = None

    def run(self, *, resume: bool) -> Taught:
        brain = self._session.brain
        if not resume:
            self._record.finish()
        before = sum(entry.facts for entry in self._record.entries())
        if before:
            self._session.output.note(
                f"Going on after {before} facts that were taught before; --no-resume starts over."
            )
        self._files.begin()
        self._tell_the_way_on(resumes=resume)
        entries = self._record.entries()
        entry = next(entries, None)
        position = 0
        batches = enumerate(self._facts.batches(), start=1)
        for number, batch in batches:
            if entry is not None and (entry.first, entry.facts) == (position, len(batch)):
                self._take_in(Call(number, batch, entry.reply, entry.error))
                entry = next(entries, None)
            else:
                entry = None
                try:
                    reply, error = None, None
                    try:
                        reply = brain.teach({"facts": [{"text": fact.text} for fact in batch]})
                        error = _shortfall(reply, len(batch))
                    except BrainError as met:
                        if not _is_about_the_facts(met):
                            raise
                        error = met
                    self._record.add(Entry(position, len(batch), reply, error))
                except BaseException as stop:
                    self._stop(stop, number, batch, batches, resumes=resume)
                    raise
                call = Call(number, batch, reply, error)
                self._take_in(call)
                if reply is not None and error is None:
                    self._each(Progress(reply, position + len(batch)))
            position += len(batch)
            self._tell_the_way_on(resumes=resume)
        self._record.finish()
        self._session.if_interrupted = None
        return Taught(self._total, self._failure())

    def _tell_the_way_on(self, *, resumes: bool) -> None:
        so_far = f"{self._taught} of {self._facts.count} facts were taught" if self._taught else NO_REPLY
        self._session.if_interrupted = Interruption(f"{so_far}: {self._record.way_on(resumes=resumes)}", None)

    def _take_in(self, call: Call) -> None:
        if call.reply is not None:
            self._total = added(self._total, call.reply)
        if call.error is None:
            self._taught += len(call.facts)
        elif self._first_failure is None:
            self._first_failure = call
        self._files.add(call)

    def _stop(
        self,
        stop: BaseException,
        number: int,
        batch: list[Fact],
        rest: Iterator[tuple[int, list[Fact]]],
        *,
        resumes: bool,
    ) -> None:
        """Leave no fact without a word on what came of it."""
        error = stop if isinstance(stop, BrainError) else BrainError("interrupted")
        if self._files.is_asked_for:
            # What stopped us is what there is to tell, and not that these cannot be written any more.
            with contextlib.suppress(BrainError):
                self._files.add(Call(number, batch, None, error))
                for _, facts in rest:
                    self._files.add(Call(None, facts, None, BrainError("not_sent")))
        if isinstance(stop, BrainError) and self._taught:
            stop.message = (
                f"{stop.message.rstrip('.')}. {self._taught} of {self._facts.count} facts were taught: "
                f"{self._record.way_on(resumes=resumes)}"
            )

    def _failure(self) -> BrainError | None:
        first = self._first_failure
        if first is None or first.error is None:
            return None
        error = first.error
        kept = "--rejected has them" if self._files.keeps_rejected else "--rejected FILE would keep them"
        return BrainError(
            error.code,
            f"{self._facts.count - self._taught} of {self._facts.count} facts were not accepted; {kept}. "
            f"The first: call {first.number}, {error.message[:1].lower()}{error.message[1:]}",
            details=error.details,
            http_status=error.http_status,
            request_id=error.request_id,
        )


def _is_about_the_facts(error: BrainError) -> bool:
    """Whether other facts may well be accepted."""
    return error.code == "validation_error" and error.http_status is not None


def _shortfall(reply: TeachReply, sent: int) -> BrainError | None:
    accepted = reply["accepted_fact_count"]
    if accepted >= sent:
        return None
    return BrainError(
        "bad_response", f"The brain accepted {accepted} of {sent} facts and does not say which or why"
    )


class _Record:
    """How far this teaching got, kept where this machine can keep it; whoever teaches is told where it cannot."""

    def __init__(self, session: "Session", facts: Facts) -> None:
        self._warn = session.output.warn
        self._ledger: Ledger | None = None
        if facts.count > FACTS_PER_CALL:  # a single call is all or nothing
            # What is wrong with the key is met here, and is no trouble of the record's.
            mark = f"{session.address}\n{session.access.source}\n{facts.digest}"
            self._keep(lambda: self._opened(session, mark))

    def entries(self) -> Iterator[Entry]:
        if self._ledger is not None:
            yield from self._ledger.entries()

    def add(self, entry: Entry) -> None:
        ledger = self._ledger
        if ledger is not None:
            self._keep(lambda: ledger.add(entry))

    def finish(self) -> None:
        if self._ledger is not None:
            self._ledger.finish()

    def way_on(self, *, resumes: bool) -> str:
        """What to do after an interruption."""
        if self._ledger is None:
            return "run the same command again, since repeating a fact is harmless"
        return f"run the same command again{'' if resumes else ' without --no-resume'} to go on"

    def _opened(self, session: "Session", mark: str) -> None:
        """A teaching goes on only with the same facts, to the same brain, by the same key: these are its mark."""
        import hashlib

        folder = os.path.join(session.state, "teaching")
        self._ledger = Ledger(folder, hashlib.sha256(mark.encode()).hexdigest())

    def _keep(self, write: Callable[[], None]) -> None:
        try:
            write()
        except BrainError as error:
            self._ledger = None
            self._warn(f"{error.message.rstrip('.')}. Should this be interrupted, it starts over.")

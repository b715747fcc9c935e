"""Teaches any number of facts in calls of at most twenty: gather and check them all, then send."""

import contextlib
import os
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import IO, TYPE_CHECKING, Any, NamedTuple

from brainctl.cli import facts_input
from brainctl.cli.ledger import Ledger, Progress, added, nothing
from brainctl.cli.pacing import Pace
from brainctl.contract.bounds import FACTS_PER_CALL
from brainctl.contract.errors import BrainError
from brainctl.contract.replies import TeachReply

if TYPE_CHECKING:
    from brainctl.cli.session import Session


class _Source(NamedTuple):
    name: str
    stream: IO[bytes]
    form: str


class Taught:
    """Facts that were all found fit to teach: how many, a digest of them in order, and the texts, read anew."""

    def __init__(self, texts: list[str], sources: list[_Source]) -> None:
        self._texts = texts
        self._sources = sources
        self.count = 0
        self.digest = self._check()

    def texts(self) -> Iterator[str]:
        yield from self._texts
        for source in self._sources:
            source.stream.seek(0)
            for line in facts_input.read_lines(source.stream, source.form):
                if line.text is not None:
                    yield line.text

    def batches(self) -> Iterator[list[str]]:
        texts = self.texts()
        while batch := list(islice(texts, FACTS_PER_CALL)):
            yield batch

    def _check(self) -> str:
        import hashlib

        digest = hashlib.sha256()
        problems: list[tuple[str, str]] = []
        wrong = 0
        for where, text, problem in self._everything():
            if problem is not None:
                wrong += 1
                if len(problems) < facts_input.PROBLEMS_SHOWN:
                    problems.append((where, problem))
            elif text is not None:
                self.count += 1
                digest.update(hashlib.sha256(text.encode()).digest())
        if wrong:
            raise facts_input.refusal(problems, wrong)
        if not self.count:
            raise BrainError("usage", "There is nothing to teach: the input holds no facts.")
        return digest.hexdigest()

    def _everything(self) -> Iterator[tuple[str, str | None, str | None]]:
        for place, text in enumerate(self._texts, start=1):
            yield f"argument {place}", text, facts_input.checked_text(text)
        for source in self._sources:
            for line in facts_input.read_lines(source.stream, source.form):
                yield f"{source.name}:{line.number}", line.text, line.problem


@contextlib.contextmanager
def gather(session: "Session", texts: list[str], files: list[str], form: str | None) -> Iterator[Taught]:
    """The facts of the arguments and files, checked. Raises `validation_error` naming every bad line."""
    if form is not None and form not in facts_input.FORMATS:
        raise BrainError("usage", f"--format is one of {', '.join(facts_input.FORMATS)}; got {form!r}.")
    environment = session.environment
    reads_stdin = "-" in texts or "-" in files
    if not texts and not files:
        if environment.stdin is None or environment.is_terminal(environment.stdin):
            raise BrainError(
                "usage", "TEXT is missing: give facts as arguments, with --file, or pipe them in."
            )
        reads_stdin = True
    with contextlib.ExitStack() as stack:
        sources = [
            _Source(path, stack.enter_context(_opened(path)), facts_input.format_of(path, form))
            for path in files
            if path != "-"
        ]
        if reads_stdin:
            spool = stack.enter_context(_spooled(environment.stdin))
            sources.append(_Source("standard input", spool, form or "text"))
        yield Taught([text for text in texts if text != "-"], sources)


def _opened(path: str) -> IO[bytes]:
    try:
        stream = open(path, "rb")  # noqa: SIM115 - the caller's stack closes it
        stream.peek(1)
    except OSError as error:
        raise BrainError("usage", f"{path} cannot be read: {error.strerror}.") from error
    if not stream.seekable():
        # A named pipe can be read once, and facts are read twice: to check, then to send.
        with stream:
            return _spooled(stream)
    return stream


def _spooled(stream: Any) -> IO[bytes]:
    """What can be read once, kept so that it can be read again; on disk past 8 MiB."""
    import shutil
    import tempfile

    spool: IO[bytes] = tempfile.SpooledTemporaryFile(max_size=8 * 1024 * 1024)  # noqa: SIM115 - the caller closes it
    if stream is None:
        raise BrainError("usage", "Standard input is closed, so there is nothing to read.")
    try:
        shutil.copyfileobj(stream, spool)
    except OSError as error:
        raise BrainError("usage", f"The facts cannot be read: {error.strerror}.") from error
    spool.seek(0)
    return spool


class Batch(NamedTuple):
    """A call that was accepted, and how many facts are done with it."""

    reply: TeachReply
    done: int


class _Record:
    """How far this teaching got, kept where this machine can keep it; whoever teaches is told where it cannot."""

    def __init__(self, session: "Session", taught: Taught) -> None:
        self._warn = session.output.warn
        self._ledger: Ledger | None = None
        if taught.count > FACTS_PER_CALL:  # a single call is all or nothing
            self._keep(lambda: self._opened(session, taught.digest))

    def progress(self) -> Progress:
        return self._ledger.progress() if self._ledger else Progress(0, nothing())

    def accept(self, facts: int, reply: TeachReply) -> None:
        ledger = self._ledger
        if ledger is not None:
            self._keep(lambda: ledger.accept(facts, reply))

    def finish(self) -> None:
        if self._ledger is not None:
            self._ledger.finish()

    def way_on(self, *, resumes: bool) -> str:
        """What to do after an interruption."""
        if self._ledger is None:
            return "run the same command again, since repeating a fact is harmless"
        return f"run the same command again{'' if resumes else ' without --no-resume'} to go on"

    def _opened(self, session: "Session", digest: str) -> None:
        import hashlib

        # A teaching goes on only with the same facts, to the same brain, by the same key.
        mark = f"{session.address}\n{session.access.source}\n{digest}"
        folder = os.path.join(session.state, "teaching")
        self._ledger = Ledger(folder, hashlib.sha256(mark.encode()).hexdigest())

    def _keep(self, write: Callable[[], None]) -> None:
        try:
            write()
        except BrainError as error:
            self._ledger = None
            self._warn(f"{error.message.rstrip('.')}. Should this be interrupted, it starts over.")


def teach_all(
    session: "Session", taught: Taught, *, resume: bool, each: Callable[[Batch], None]
) -> TeachReply:
    """Send everything and return the counters of all calls together, those of an interrupted run included.

    Raises what a call raised, its message saying how many facts were taught by then.
    """
    brain = session.brain
    record = _Record(session, taught)
    if not resume:
        record.finish()
    done, total = record.progress()
    if done:
        session.output.note(f"Going on after {done} facts that were taught before; --no-resume starts over.")
    pace = Pace() if session.access.base_url is not None else None
    for batch in _after(done, taught.batches()):
        if pace is not None:
            pace.wait(
                lambda seconds: session.output.note(f"Waiting {seconds:.0f} s, to stay below the rate limit.")
            )
        try:
            reply = brain.teach({"facts": [{"text": text} for text in batch]})
        except BrainError as error:
            if done:
                error.message = (
                    f"{error.message.rstrip('.')}. {done} of {taught.count} facts were taught: "
                    f"{record.way_on(resumes=resume)}"
                )
            raise
        done += len(batch)
        total = added(total, reply)
        record.accept(len(batch), reply)
        each(Batch(reply, done))
    record.finish()
    return total


def _after(done: int, batches: Iterable[list[str]]) -> Iterator[list[str]]:
    for batch in batches:
        if done >= len(batch):
            done -= len(batch)
        elif done:
            yield batch[done:]
            done = 0
        else:
            yield batch

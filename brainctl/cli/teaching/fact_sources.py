"""Facts to teach, gathered from arguments, files and standard input: all of them found good before any is used."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, TYPE_CHECKING, NamedTuple

from brainctl.cli.rereading import open_to_reread, spooled
from brainctl.cli.teaching import facts_input
from brainctl.contract.bounds import FACTS_PER_CALL
from brainctl.contract.errors import BrainError
from brainctl.contract.lines import Problems

if TYPE_CHECKING:
    from brainctl.cli.session import Session

ARGUMENT = "argument"
STDIN = "standard input"


class Fact(NamedTuple):
    """A fact, and where it came from: `line` counts from 1, an argument's is its place among the arguments."""

    source: str
    line: int
    text: str


class _Source(NamedTuple):
    name: str
    stream: IO[bytes]
    form: str


Refuse = Callable[[str, int, str], None]
"""Is told the source, line and reason of a fact that cannot be taught."""


class Facts:
    """Facts that were all found good: `count` of them, and `digest`, which tells other facts or another order apart.

    They are read anew each time, so that memory does not grow with them. Raises `validation_error` naming every bad
    line, and `usage` where there is no fact at all.
    """

    def __init__(self, texts: Sequence[str], sources: Sequence[_Source], refuse: Refuse) -> None:
        self._texts = texts
        self._sources = sources
        self.count = 0
        self.digest = self._check(refuse)

    def batches(self) -> Iterator[list[Fact]]:
        """The facts of each call."""
        facts = self._facts()
        while batch := list(islice(facts, FACTS_PER_CALL)):
            yield batch

    def _facts(self) -> Iterator[Fact]:
        for place, text in enumerate(self._texts, start=1):
            yield Fact(ARGUMENT, place, text)
        for source in self._sources:
            source.stream.seek(0)
            for line in facts_input.read_lines(source.stream, source.form):
                if line.text is not None:
                    yield Fact(source.name, line.number, line.text)

    def _check(self, refuse: Refuse) -> str:
        import hashlib

        digest = hashlib.sha256()
        problems = Problems()
        for source, number, text, problem in self._everything():
            if problem is not None:
                refuse(source, number, problem)
                problems.add(f"{source} {number}" if source == ARGUMENT else f"{source}:{number}", problem)
            elif text is not None:
                self.count += 1
                digest.update(hashlib.sha256(text.encode()).digest())
        if problems.count:
            noun = "1 fact" if problems.count == 1 else f"{problems.count} facts"
            raise problems.refusal(f"{noun} cannot be taught, so nothing was sent")
        if not self.count:
            raise BrainError("usage", "There is nothing to teach: the input holds no facts.")
        return digest.hexdigest()

    def _everything(self) -> Iterator[tuple[str, int, str | None, str | None]]:
        for place, text in enumerate(self._texts, start=1):
            yield ARGUMENT, place, text, facts_input.checked_text(text)
        for source in self._sources:
            for line in facts_input.read_lines(source.stream, source.form):
                yield source.name, line.number, line.text, line.problem


@contextlib.contextmanager
def gather(
    session: "Session", texts: list[str], files: list[str], form: str | None, refuse: Refuse
) -> Iterator[Facts]:
    """The facts of the arguments and files. Raises as `Facts` does, and `usage` for what cannot be read."""
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
            _Source(path, stack.enter_context(open_to_reread(path)), facts_input.format_of(path, form))
            for path in files
            if path != "-"
        ]
        if reads_stdin:
            spool = stack.enter_context(spooled(environment.stdin))
            sources.append(_Source(STDIN, spool, form or "text"))
        yield Facts([text for text in texts if text != "-"], sources, refuse)

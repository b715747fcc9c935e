"""The questions of a batch, some at a time: those of one conversation in their order, never two of them at once."""

import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from brainctl.cli.asking.asking import Asking, OutOfTimeError, Question, outcome
from brainctl.cli.batch.batch import Outcome
from brainctl.cli.batch.input import Row
from brainctl.cli.batch.keys import BatchKeys, marks_of
from brainctl.cli.batch.output import Todo
from brainctl.cli.exits import LASTING
from brainctl.contract.errors import BrainError
from brainctl.contract.replies import timed_out

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.contract.requests import AskRequest

IN_THE_WAY: Final = LASTING | {"out_of_credits"}
LOOK_SECONDS: Final = 1.0
"""How often the main thread looks up, where a signal cannot wake it."""


class BatchAsking:
    """Asks rows under `concurrency` threads, each with a session of its own. Each answer is waited for as long as the session says."""

    def __init__(self, session: "Session", *, concurrency: int, waits: bool, resume: str | None) -> None:
        self._session = session
        self._concurrency = concurrency
        self._waits = waits
        self._resume = resume
        self._marks = marks_of(session, resume)
        self._changed = threading.Condition()
        self._todo: list[tuple[int, Todo]] = []
        self._busy: set[str] = set()
        self._done: dict[int, Outcome | Exception] = {}
        self._in_the_way: BrainError | None = None

    def __call__(self, todo: Sequence[Todo], rows: Sequence[Row]) -> Iterator[Outcome]:
        """The outcome of each row, in their order."""
        session = self._session
        # What is wrong with the key is wrong with all rows: it is met here, and nothing is written.
        _ = session.brain
        keys = BatchKeys(session, rows, self._resume, self._marks)
        self._todo = list(enumerate(todo))
        threads = [
            # A thread that waits for an answer must not keep an interrupted process alive.
            threading.Thread(target=self._work, args=(session.twin(), keys), daemon=True)
            for _ in range(min(self._concurrency, len(todo)))
        ]
        for thread in threads:
            thread.start()
        try:
            for number in range(len(todo)):
                yield self._outcome(number)
        finally:
            with self._changed:
                self._todo.clear()
                self._changed.notify_all()
        for thread in threads:
            thread.join()
        keys.finish()

    def _outcome(self, number: int) -> Outcome:
        with self._changed:
            while number not in self._done:
                self._changed.wait(LOOK_SECONDS)
            done = self._done.pop(number)
        if isinstance(done, Exception):
            raise done
        return done

    def _work(self, session: "Session", keys: BatchKeys) -> None:
        try:
            while (taken := self._take()) is not None:
                number, todo = taken
                key = todo.key or keys.of(todo.place)
                done: Outcome | Exception
                try:
                    done = self._ask(session, todo.row.request, key)
                except Exception as error:  # noqa: BLE001 - raised again where it can be told, in the main thread
                    done = error
                with self._changed:
                    self._done[number] = done
                    self._busy.discard(_conversation(todo))
                    self._changed.notify_all()
        finally:
            session.close()

    def _take(self) -> tuple[int, Todo] | None:
        """The first row whose conversation is free; None where no row is left."""
        with self._changed:
            while self._todo:
                for place, (number, todo) in enumerate(self._todo):
                    conversation = _conversation(todo)
                    if conversation not in self._busy:
                        del self._todo[place]
                        if conversation:
                            self._busy.add(conversation)
                        return number, todo
                self._changed.wait()
        return None

    def _ask(self, session: "Session", request: Mapping[str, Any], key: str) -> Outcome:
        if self._in_the_way is not None:
            return Outcome(None, self._in_the_way, key)
        question = Question(cast("AskRequest", request), self._session.wait_seconds, key)
        asking = Asking(session)
        try:
            reply = asking.enqueue(question)
            if not self._waits:
                return Outcome(reply, key=key)
            answer = asking.wait(
                str(reply["answer_id"]),
                self._session.wait_seconds,
                sources=question.wants_sources,
                on_status=_say_nothing,
            )
        except OutOfTimeError as over:
            return Outcome(timed_out(over.answer_id), key=key, is_out_of_time=True)
        except BrainError as error:
            if error.code in IN_THE_WAY:
                self._in_the_way = error
            return Outcome(None, error, key)
        failure = outcome(answer)
        return Outcome(None if failure else answer, failure, key, put_out=asking.seen)


def _conversation(todo: Todo) -> str:
    """The conversation that a row goes on with; nothing where it stands alone."""
    return str(todo.row.request.get("conversation_id", ""))


def _say_nothing(_: str) -> None:
    pass

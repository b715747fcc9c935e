"""Asks a question and gets its answer to the end: streamed or queued, and never lost."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from brainctl.cli.journal import Journal
from brainctl.cli.sanitise import one_line
from brainctl.cli.session import Interruption
from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, CREATED, FAILED, Event
from brainctl.contract.requests import AskRequest

if TYPE_CHECKING:
    from brainctl.cli.session import Session

KEY_BYTES: Final = 16
HTTP_SERVER_ERRORS: Final = 500


class Question(NamedTuple):
    """What to ask, and how: `wait_seconds` None waits to the end, 0 looks once; `key` is the Idempotency-Key."""

    request: AskRequest
    wait_seconds: float | None = None
    key: str | None = None

    @property
    def wants_sources(self) -> bool:
        return "sources" in self.request.get("include", [])


class OutOfTimeError(Exception):
    """The wait ran out while the answer goes on."""

    def __init__(self, answer_id: str) -> None:
        super().__init__(answer_id)
        self.answer_id = answer_id


class Asking:
    """The asking of one command line: talks to the brain, and writes down what must not be lost."""

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._mark = f"{session.address} {session.access.source}"
        self._journal = Journal(session.state)
        self._warned = False

    # Queued

    def enqueue(self, question: Question) -> dict[str, Any]:
        """Queue the question under its key, or a new one. The key is written down before the request leaves."""
        key = question.key or f"brainctl-{os.urandom(KEY_BYTES).hex()}"
        self._note(lambda: self._journal.intend(self._mark, key, question.request, self._now()))
        return self._send(question.request, key)

    def _send(self, request: AskRequest, key: str) -> dict[str, Any]:
        self._session.if_interrupted = Interruption(
            "The question may have arrived: `brainctl wait` finds its answer, and asks nothing twice", None
        )
        try:
            reply = cast("dict[str, Any]", self._session.brain.enqueue(request, key))
        except BrainError as error:
            if error.http_status is not None and error.http_status < HTTP_SERVER_ERRORS:
                # Refused: no run exists, and a later `wait` has nothing to find.
                self._note(lambda: self._journal.finish(self._mark, idempotency_key=key))
            raise
        answer_id = reply.get("answer_id")
        if not isinstance(answer_id, str) or not answer_id:
            raise BrainError("bad_response", "The brain queued the question and told no answer id for it.")
        self._learn(answer_id, key)
        return reply

    # Streamed

    def stream(self, question: Question) -> Iterator[Event]:
        """The events of the answer, `done` last, whatever becomes of the connection.

        Raises `OutOfTimeError`; `unreachable` where the stream broke off before the answer's id was seen.
        """
        from brainctl.client.waiting import WaitOverError, stream_or_recover

        self._session.if_interrupted = Interruption(
            "No answer id was seen: a run may have begun, and may cost. Asking with --no-stream can be repeated safely",
            None,
        )
        answer_id: str | None = None
        try:
            for event in stream_or_recover(
                self._session.brain,
                question.request,
                wait_seconds=question.wait_seconds,
                notify=self._session.output.note,
            ):
                if event.event == CREATED and isinstance(event.data.get("answer_id"), str):
                    answer_id = str(event.data["answer_id"])
                    self._learn(answer_id)
                elif event.event in {COMPLETED, FAILED}:
                    self._finish(answer_id)
                yield event
        except WaitOverError as over:
            raise OutOfTimeError(over.answer_id) from None

    # Waiting

    def wait(
        self, answer_id: str, seconds: float | None, *, sources: bool, on_status: Callable[[str], None]
    ) -> dict[str, Any]:
        """The finished answer. Raises `OutOfTimeError` where the seconds are over first."""
        from brainctl.cli.connect import finished_answer

        self._goes_on(answer_id)
        reply = finished_answer(self._session, answer_id, seconds, sources=sources, on_status=on_status)
        if reply is None:
            raise OutOfTimeError(answer_id)
        self._finish(answer_id)
        return cast("dict[str, Any]", reply)

    def newest(self) -> str:
        """The id of the newest answer asked for with this key that was not seen finished.

        A question whose reply never came is sent once more under its own key, which starts nothing new.
        """
        asked = self._journal.newest_open(self._mark)
        if asked is None:
            raise BrainError(
                "not_found", "This machine has asked for no answer with this key that is still open"
            )
        if asked.answer_id is not None:
            return asked.answer_id
        if asked.request is None or asked.idempotency_key is None:
            raise BrainError(
                "not_found", "The newest question of this machine was not written down whole: ask again"
            )
        self._session.output.note(
            "Sending the last question again under its own key, to learn its answer's id."
        )
        return str(self._send(cast("AskRequest", asked.request), asked.idempotency_key)["answer_id"])

    # Not to be lost

    def _learn(self, answer_id: str, key: str | None = None) -> None:
        self._goes_on(answer_id)
        self._note(lambda: self._journal.learn(self._mark, answer_id, key, self._now()))

    def _finish(self, answer_id: str | None) -> None:
        self._session.if_interrupted = None
        if answer_id is not None:
            self._note(lambda: self._journal.finish(self._mark, answer_id=answer_id))

    def _goes_on(self, answer_id: str) -> None:
        self._session.if_interrupted = Interruption(
            f"The answer goes on; pick it up with `brainctl wait {one_line(answer_id)}`",
            {"answer_id": answer_id},
        )

    def _note(self, write: Callable[[], None]) -> None:
        """Write in the journal. A machine that cannot keep one still gets its answer, and is told."""
        try:
            write()
        except BrainError as error:
            if not self._warned:
                self._warned = True
                self._session.output.warn(
                    f"{error.message.rstrip('.')}. Should this be interrupted, `wait` needs the answer's id."
                )

    def _now(self) -> float:
        return self._session.environment.now()


def outcome(answer: Mapping[str, Any]) -> BrainError | None:
    """The error of a failed answer; None where it is complete."""
    if answer.get("status") != "failed":
        return None
    error = answer.get("error")
    error = error if isinstance(error, Mapping) else {}
    message = error.get("message")
    code = error.get("code")
    return BrainError(
        code if isinstance(code, str) and code else "run_failed",
        message if isinstance(message, str) and message else None,
        details={"answer_id": answer["answer_id"]} if answer.get("answer_id") else None,
    )

"""Asks a question and gets its answer to the end: streamed or queued, and never lost."""

import os
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from brainctl.cli.asking.journal import Journal
from brainctl.cli.sanitise import one_line
from brainctl.cli.session import Interruption
from brainctl.contract.errors import API_CODES, BrainError
from brainctl.contract.events import CREATED, Event
from brainctl.contract.keys import key_prefix
from brainctl.contract.requests import AskRequest

if TYPE_CHECKING:
    from brainctl.cli.session import Session

KEY_BYTES: Final = 16
UNREAD: Final = (401, 403, 429)
"""Refused before the brain looks whether it knows the question."""


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
        access = session.access
        self._prefix = key_prefix(access.secret())
        # A variable holds one key today and another tomorrow; a profile stays the same whatever its key.
        self._mark = f"{session.address} {access.source if access.profile else self._prefix}"
        self._answer_id: str | None = None

    @property
    def answer_id(self) -> str | None:
        """The id of the answer at hand, once it is known."""
        return self._answer_id

    @property
    def _journal(self) -> Journal:
        # Made when it is written to: where there is no place for one, that is the time to say so, and to go on.
        return Journal(self._session.state)

    # Queued

    def enqueue(self, question: Question) -> dict[str, Any]:
        """Queue the question under its key, or a new one. The key is written down before the request leaves."""
        key = f"brainctl-{os.urandom(KEY_BYTES).hex()}" if question.key is None else question.key
        self._note(lambda: self._journal.intend(self._mark, self._prefix, key, question.request, self._now()))
        return self._send(question.request, key)

    def _send(self, request: AskRequest, key: str, *, again: bool = False) -> dict[str, Any]:
        self._session.if_interrupted = Interruption(
            "The question may have arrived: `brainctl wait` finds its answer, and asks nothing twice", None
        )
        try:
            reply = cast("dict[str, Any]", self._session.brain.enqueue(request, key))
        except BrainError as error:
            if not _may_exist(error, again=again):
                # No run exists, and a later `wait` has nothing to find.
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
        try:
            for event in stream_or_recover(
                self._session.brain,
                question.request,
                wait_seconds=question.wait_seconds,
                notify=self._session.output.note,
            ):
                if event.event == CREATED and isinstance(event.data.get("answer_id"), str):
                    self._learn(event.data["answer_id"])
                yield event
        except WaitOverError as over:
            raise OutOfTimeError(over.answer_id) from None
        except BrainError as error:
            raise self._with_a_way_on(error) from None

    # Waiting

    def wait(
        self, answer_id: str, seconds: float | None, *, sources: bool, on_status: Callable[[str], None]
    ) -> dict[str, Any]:
        """The finished answer. Raises `OutOfTimeError` where the seconds are over first."""
        from brainctl.cli.connect import finished_answer

        self._goes_on(answer_id)
        try:
            reply = finished_answer(self._session, answer_id, seconds, sources=sources, on_status=on_status)
        except BrainError as error:
            if error.code == "not_found":
                # Gone for good: it must not stand before what is older and still open.
                self.seen()
            raise self._with_a_way_on(error) from None
        if reply is None:
            raise OutOfTimeError(answer_id)
        return cast("dict[str, Any]", reply)

    def seen(self) -> None:
        """The answer was put before whoever asked: there is nothing left to pick up."""
        self._session.if_interrupted = None
        answer_id, self._answer_id = self._answer_id, None
        if answer_id is not None:
            self._note(lambda: self._journal.finish(self._mark, answer_id=answer_id))

    def newest(self) -> str:
        """The id of the newest answer asked for with this profile, or this key of none, that was not seen finished.

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
        if asked.key_prefix != self._prefix:
            # Under another key it would be another question, and perhaps another workspace's.
            raise BrainError(
                "not_found",
                f"The newest question was sent with another key ({asked.key_prefix}…), and its answer's id never came: "
                "wait with that key, or ask again",
            )
        self._session.output.note(
            "Sending the last question again under its own key, to learn its answer's id."
        )
        reply = self._send(cast("AskRequest", asked.request), asked.idempotency_key, again=True)
        return str(reply["answer_id"])

    # Not to be lost

    def _learn(self, answer_id: str, key: str | None = None) -> None:
        self._goes_on(answer_id)
        self._note(lambda: self._journal.learn(self._mark, answer_id, key, self._now()))

    def _goes_on(self, answer_id: str) -> None:
        self._answer_id = answer_id
        self._session.if_interrupted = Interruption(
            f"The answer goes on; pick it up with `{command_to_wait(answer_id)}`",
            {"answer_id": answer_id},
        )

    def _with_a_way_on(self, error: BrainError) -> BrainError:
        """The error, and how to pick up the answer that goes on in spite of it."""
        if self._answer_id is None or not (error.details is None or isinstance(error.details, dict)):
            return error
        return BrainError(
            error.code,
            f"{error.message.rstrip('.')}. The answer goes on; pick it up with `{command_to_wait(self._answer_id)}`.",
            details={**(error.details or {}), "answer_id": self._answer_id},
            http_status=error.http_status,
            request_id=error.request_id,
        )

    def _note(self, write: Callable[[], None]) -> None:
        """Write in the journal. A machine that cannot keep one still gets its answer, and is told."""
        try:
            write()
        except BrainError as error:
            self._session.warn_once(
                f"{error.message.rstrip('.')}. Should this be interrupted, `wait` will need the answer's id."
            )

    def _now(self) -> float:
        return self._session.environment.now()


def command_to_wait(answer_id: str) -> str:
    """The command line that picks an answer up. An id comes from a brain, and is no more than one word of it."""
    import shlex

    return f"brainctl wait {shlex.quote(one_line(answer_id))}"


def _may_exist(error: BrainError, *, again: bool) -> bool:
    """Whether a question may have been taken in although its reply is an error. `again`: it was sent before."""
    from brainctl.client.failures import ExchangeError

    if again:
        # Its first reply is still unknown, unless the brain has looked and knows of none.
        return error.http_status is None or error.http_status >= 500 or error.http_status in UNREAD
    # A brain on this machine takes a question in whole or not at all.
    return isinstance(error, ExchangeError) and error.may_be_done


def outcome(answer: Mapping[str, Any]) -> BrainError | None:
    """The error of a failed answer; None where it is complete."""
    if answer.get("status") != "failed":
        return None
    error = answer.get("error")
    error = error if isinstance(error, Mapping) else {}
    message = error.get("message")
    code = error.get("code")
    details = {"answer_id": answer["answer_id"]} if answer.get("answer_id") else {}
    if not isinstance(code, str) or code not in API_CODES:
        # Whatever a brain calls it: the run failed, and that is what scripts look for.
        details |= {} if code is None else {"code": code}
        code = "run_failed"
    return BrainError(
        code, message if isinstance(message, str) and message else None, details=details or None
    )

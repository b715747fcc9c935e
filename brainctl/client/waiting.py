"""Getting an answer to its end, from any brain: by asking how it stands, or by its stream and then its id.

Nothing here ever asks a question a second time: a run costs, and its answer can be read back.
"""

import time
from collections.abc import Callable, Generator, Iterator
from contextlib import closing
from typing import Any, Final, Protocol, runtime_checkable

from brainctl.client.failures import ExchangeError, TurnTooLateError
from brainctl.client.reading import retry_after
from brainctl.client.retrying import RATE_JITTER, random_fraction, say_nothing
from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, CREATED, DONE, FAILED, Event
from brainctl.contract.replies import FINISHED, UNFINISHED, AnswerReply
from brainctl.contract.requests import AskRequest

POLL_FIRST: Final = 1.0
POLL_LONGEST: Final = 5.0
POLL_GROWTH: Final = 0.05
"""A poll waits at least a twentieth of the time already waited: 1 s at first, 5 s from 100 s on."""

TROUBLE_SECONDS_MAX: Final = 300.0
"""An answer goes on while its brain cannot be reached; this long without one good reply, and we stop looking."""

STATUS_SHOWN: Final = 40
LOST: Final = ("unreachable", "bad_response")


def pause_after(waited: float) -> float:
    """Seconds until the next look at an answer that was waited for so many seconds."""
    return min(POLL_LONGEST, max(POLL_FIRST, POLL_GROWTH * waited))


class WaitOverError(Exception):
    """The time to wait ran out while the answer goes on."""

    def __init__(self, answer_id: str) -> None:
        super().__init__(f"The wait for {answer_id} ran out; the answer goes on")
        self.answer_id = answer_id


@runtime_checkable
class _RetriesByItself(Protocol):
    def without_retries(self, left: Callable[[], float | None]) -> Brain: ...


def poll(
    brain: Brain,
    answer_id: str,
    *,
    wait_seconds: float | None = None,
    sources: bool = False,
    on_status: Callable[[str], None] = say_nothing,
    notify: Callable[[str], None] = say_nothing,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random_fraction,
) -> AnswerReply | None:
    """The finished answer, or None where `wait_seconds` are over first (None waits on, 0 looks once).

    `on_status` is told each new status. A look that fails for a while (`rate_limited`, `unreachable`, an error
    of the brain's own) is said to `notify` and taken again. Raises what a look raised where it will not pass, where
    five minutes brought no good one, or where the time is over and there was none at all; `bad_response` for a status
    that is none of the API's, since nobody knows what would end it.
    """
    started = last_good = clock()

    def left() -> float | None:
        return None if wait_seconds is None else max(0.0, wait_seconds - (clock() - started))

    # Its own retries, and its turn below the rate limit, could come after the end of the wait.
    quick = brain.without_retries(left) if isinstance(brain, _RetriesByItself) else brain
    seen: str | None = None
    while True:
        asked_to_wait = 0.0
        try:
            reply = quick.answer(answer_id, sources=sources)
            status = reply["status"]
        except BrainError as error:
            now = clock()
            # A brain that is too busy to be asked is no trouble: then the wait has run out, and that is all.
            for_nothing = left() == 0.0 and seen is None and error.code != "rate_limited"
            if not _may_pass(error) or now - last_good > TROUBLE_SECONDS_MAX or for_nothing:
                raise
            asked_to_wait = _asked_to_wait(error)
            notify(
                f"{answer_id} could not be read just now ({error.code}); it goes on, and so does the wait."
            )
        except TurnTooLateError:
            # Not at once: who calls again and again is not to do so without a pause.
            sleep(left() or 0.0)
            return None
        else:
            last_good = now = clock()
            if status != seen:
                seen = status
                on_status(status)
            if status in FINISHED:
                return reply
            _check_unfinished(answer_id, status)
        remaining = left()
        if remaining == 0.0:
            return None
        pause = max(asked_to_wait, pause_after(now - started))
        pause *= 1 + RATE_JITTER * jitter()
        sleep(pause if remaining is None else min(pause, remaining))


def _check_unfinished(answer_id: str, status: str) -> None:
    if status not in UNFINISHED:
        raise BrainError(
            "bad_response",
            f"The brain says that {answer_id} is {status[:STATUS_SHOWN]!r}, which is no status that this brainctl knows, "
            "so nobody could tell when the wait is over: look whether there is a newer brainctl.",
        )


def stream_or_recover(
    brain: Brain,
    request: AskRequest,
    *,
    wait_seconds: float | None = None,
    notify: Callable[[str], None] = say_nothing,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
    jitter: Callable[[], float] = random_fraction,
) -> Iterator[Event]:
    """The events of an answer, `done` last, whatever happens to the stream.

    A stream that breaks off after the answer is known stands; one that breaks off before it is read back by its id,
    and ends in an `answer.completed` or `answer.failed` made of that. Raises `WaitOverError` where `wait_seconds` are
    over and the answer's id is known; `unreachable` where the stream broke off before the id was seen.
    """
    started = clock()

    def left() -> float | None:
        return None if wait_seconds is None else max(0.0, wait_seconds - (clock() - started))

    seen = _Seen()
    lost = yield from _streamed(brain, request, seen, left)
    if lost is None:
        return
    if not seen.settled:
        if seen.answer_id is None:
            raise _nothing_known(lost)
        if left() != 0.0:
            notify(f"The connection was lost; reading {seen.answer_id} back, without asking again.")
        reply = poll(
            brain,
            seen.answer_id,
            wait_seconds=left(),
            sources="sources" in request.get("include", []),
            notify=notify,
            sleep=sleep,
            clock=clock,
            jitter=jitter,
        )
        if reply is None:
            raise WaitOverError(seen.answer_id)
        yield _last_event(reply)
    yield Event(DONE, {"ok": True})


class _Seen:
    """What a stream has told so far: the answer's id, and whether its outcome is known."""

    def __init__(self) -> None:
        self.answer_id: str | None = None
        self.settled = False

    def note(self, event: Event) -> None:
        if event.event in {CREATED, COMPLETED}:
            self.answer_id = _id_in(event.data) or self.answer_id
        self.settled = self.settled or event.event in {COMPLETED, FAILED}


def _streamed(
    brain: Brain, request: AskRequest, seen: _Seen, left: Callable[[], float | None]
) -> Generator[Event, None, BrainError | None]:
    """Passes the events on; returns None after `done`, and the reason where the stream was lost before it."""
    with closing(_asked(brain, request)) as events:
        try:
            for event in events:
                seen.note(event)
                if event.event == DONE:
                    if not seen.settled:
                        break
                    yield event
                    return None
                yield event
                if seen.answer_id and not seen.settled and left() == 0.0:
                    raise WaitOverError(seen.answer_id)
        except BrainError as error:
            if error.code not in LOST:
                raise
            return error
    return BrainError("unreachable", "The stream ended before the answer was done.")


def _asked(brain: Brain, request: AskRequest) -> Generator[Event, None, None]:
    yield from brain.ask(request)


def _last_event(reply: AnswerReply) -> Event:
    data: dict[str, Any] = {**reply}
    if reply["status"] == "completed":
        return Event(COMPLETED, data)
    return Event(FAILED, {"error": data.get("error") or BrainError("run_failed").envelope()["error"]})


def _nothing_known(error: BrainError) -> BrainError:
    """The error where a run may exist that nobody can find; the error itself where that cannot be."""
    refused = isinstance(error, ExchangeError) and not error.sent
    # A broken stream has no status to its error: something was begun. A page in place of a stream has one.
    not_a_brain = error.code == "bad_response" and error.http_status is not None and error.http_status < 500
    if refused or not_a_brain:
        return error
    return BrainError(
        error.code,
        f"{error.message} No answer id was seen: a run may exist and cost, and is not begun again by itself. "
        "Ask with --no-stream, which can be repeated safely.",
        details=error.details,
        http_status=error.http_status,
        request_id=error.request_id,
    )


def _may_pass(error: BrainError) -> bool:
    if isinstance(error, ExchangeError):
        return error.transient
    return error.code in {"rate_limited", "unreachable", "internal_error"}


def _asked_to_wait(error: BrainError) -> float:
    if isinstance(error, ExchangeError):
        return error.wait_seconds or 0.0
    return retry_after({}, error.details) if error.code == "rate_limited" else 0.0


def _id_in(data: dict[str, Any]) -> str | None:
    found = data.get("answer_id")
    return found if isinstance(found, str) and found else None

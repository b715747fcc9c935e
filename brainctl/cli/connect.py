"""From a key to the brain that it opens: the one place that knows both kinds."""

from typing import TYPE_CHECKING, Final, Protocol, runtime_checkable

from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.contract.replies import FINISHED, AnswerReply, WhoamiReply

if TYPE_CHECKING:
    from collections.abc import Callable
    from contextlib import AbstractContextManager

    from brainctl.cli.session import Session
    from brainctl.client.http_brain import HttpBrain
    from brainctl.profiles.entries import Environment, SecretPlace


IDLE_SECONDS: Final = 120.0
"""The longest silence of a stream that is waited out."""


@runtime_checkable
class WorksItself(Protocol):
    """A brain whose queue is worked by whoever opens it."""

    def work_until(
        self, answer_id: str, seconds: float | None = None, *, sources: bool = False
    ) -> AnswerReply: ...


def connect(session: "Session") -> Brain:
    """The brain of the session's key: the store of one's own, else whatever answers at its address."""
    access = session.access
    if access.store is not None:
        from brainctl.engine.local_brain import open_brain

        if session.output.verbose:
            _trace_the_engine(session)
        return open_brain(access.store, _secret(session))
    return connect_http(session)


def _trace_the_engine(session: "Session") -> None:
    """Show what the engine logs, such as why a run failed: a reply never says it."""
    import logging

    class Tracing(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            session.output.trace(record.getMessage())

    logger = logging.getLogger("brainctl.engine")
    logger.addHandler(Tracing())
    logger.propagate = False


def connect_http(session: "Session", sleep: "Callable[[float], None] | None" = None) -> "HttpBrain":
    """A Brain API at an address; `sleep` takes the waits between tries.

    Raises `usage` for a key whose brain is one's own.
    """
    access = session.access
    if access.base_url is None:
        raise BrainError(
            "usage",
            f"The environment {access.environment} is a brain of your own and has no HTTP address: "
            "choose another with --env.",
        )
    return _http_brain(session, access.base_url, _secret(session), sleep)


def _secret(session: "Session") -> str:
    """The key in use; whatever there is to warn of about it has been said."""
    secret = session.access.secret()
    for warning in session.access.warnings:
        session.warn_once(warning)
    return secret


def proven(
    session: "Session",
    environment: "Environment",
    name: str,
    key: "str | SecretPlace",
    *,
    address_given: bool = False,
) -> WhoamiReply:
    """What the brain of an environment says of a key, or of the key that lies at a place, before it is saved."""
    from brainctl.profiles.labels import refuse_foreign_label
    from brainctl.profiles.secret_places import read_secret

    slot = f"{environment.name}/{name}"
    secret = key if isinstance(key, str) else read_secret(session.environ, slot, key).secret
    refuse_foreign_label(environment, secret, address_given=address_given)
    if environment.base_url is not None:
        brain: Brain = _http_brain(session, environment.base_url, secret)
    else:
        from brainctl.engine.local_brain import open_brain

        brain = open_brain(environment.store or "", secret)
    try:
        return brain.whoami()
    finally:
        brain.close()


def _http_brain(
    session: "Session", base_url: str, secret: str, sleep: "Callable[[float], None] | None" = None
) -> "HttpBrain":
    import time

    from brainctl.client.http_brain import HttpBrain

    wait = session.wait_seconds
    sleep = sleep or time.sleep
    return HttpBrain(
        base_url,
        secret,
        retries=session.retries,
        timeout=session.timeout,
        # Till its first event a stream has the time of any exchange.
        idle=IDLE_SECONDS if wait is None else min(IDLE_SECONDS, max(wait, session.timeout)),
        eventless=None if wait is None else max(wait, session.timeout),
        stream_seconds=wait,
        pace=_pace(session, base_url, secret, sleep),
        sleep=sleep,
        notify=session.output.note,
        trace=session.output.trace if session.output.verbose else None,
        environ=session.environ,
    )


def _pace(
    session: "Session", base_url: str, secret: str, sleep: "Callable[[float], None]"
) -> "Callable[[float | None], AbstractContextManager[object]]":
    """The turns of this key's requests, shared with every process of this machine that uses it at this address."""
    from contextlib import nullcontext

    from brainctl.cli.pacing.rate_slots import limit_of

    limit = limit_of(session.environ.get("BRAINCTL_PACING"))
    if limit is None:
        return nullcontext
    from brainctl.cli.pacing.pacing import Pace
    from brainctl.cli.pacing.rate_file import SharedSlots, path_for

    folder = _folder_of_all(session)
    path = path_for(folder, base_url, secret) if folder is not None else None
    return Pace(SharedSlots(path), limit, notify=session.output.note, sleep=sleep).turn


def _folder_of_all(session: "Session") -> str | None:
    """Where this user's processes find each other's requests; None where there is no home, which is not made for this."""
    import os

    try:
        state = session.state
    except BrainError:
        return None
    home = session.environ.get("HOME")
    if home and state.startswith(home) and not os.path.isdir(home):
        return None
    return os.path.join(state, "pacing")


def finished_answer(
    session: "Session",
    answer_id: str,
    seconds: float | None,
    *,
    sources: bool,
    on_status: "Callable[[str], None]",
) -> AnswerReply | None:
    """The answer once it is finished; None where the seconds are over first.

    A hosted brain works by itself and is polled. One on this machine has nobody else to do the work.
    """
    from brainctl.client.waiting import poll

    brain = session.brain
    if isinstance(brain, WorksItself):
        answer = brain.work_until(answer_id, seconds, sources=sources)
        return answer if answer["status"] in FINISHED else None
    return poll(
        brain,
        answer_id,
        wait_seconds=seconds,
        sources=sources,
        on_status=on_status,
        notify=session.output.note,
    )

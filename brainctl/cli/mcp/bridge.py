"""MCP over standard input and output, for whichever brain the profile's key opens.

Standard output carries JSON-RPC and nothing else. Calls run in threads of their own, so that one that waits for an
answer holds up no other.
"""

import gc
import os
import sys
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from brainctl.cli.mcp.means import Means, means_of
from brainctl.cli.output import discard
from brainctl.contract.bounds import BODY_BYTES_MAX
from brainctl.contract.brain import Brain
from brainctl.contract.errors import BrainError
from brainctl.server.mcp import messages
from brainctl.server.mcp.face import Face, Pending
from brainctl.server.mcp.messages import Call, Refused

if TYPE_CHECKING:
    from brainctl.cli.session import Session

GRACE_SECONDS: Final = 1.5
"""How long an answer is still waited for once nobody asks anything more: clients end a server after two seconds."""
PARTING_SECONDS: Final = 5.0
"""How long a call may then still take to come back."""


class _Visit:
    """One call's admission. A key's scopes never change, so the brain is asked for them once."""

    key_prefix = ""

    def __init__(self, brain: Brain, bridge: "Bridge") -> None:
        self.brain = brain
        self._bridge = bridge

    @property
    def scopes(self) -> tuple[str, ...]:
        return self._bridge.scopes_through(self.brain)

    def count(self, requests: int) -> None:
        """The brain itself counts what reaches it."""


class Bridge:
    """Answers what comes in over `stdin`, one message a line, on `stdout`, until `stdin` ends."""

    def __init__(
        self,
        stdin: BinaryIO,
        stdout: BinaryIO,
        means: Means,
        *,
        report: Callable[[str], None],
        closing: threading.Event,
    ) -> None:
        self._stdin = stdin
        self._stdout = stdout
        self._means = means
        self._report = report
        self._closing = closing
        self._writing = threading.Lock()
        self._scopes: tuple[str, ...] | None = None
        self._version: str | None = None
        self._calls: set[threading.Thread] = set()

    def scopes_through(self, brain: Brain) -> tuple[str, ...]:
        if self._scopes is None:
            self._scopes = tuple(brain.whoami()["scopes"])
        return self._scopes

    def run(self) -> None:
        try:
            while (line := self._stdin.readline(BODY_BYTES_MAX + 1)) and not self._closing.is_set():
                if len(line) > BODY_BYTES_MAX:
                    self._pass_over(line)
                elif line.strip():
                    self._take(line)
            self._join(GRACE_SECONDS)
        finally:
            self._closing.set()
            self._join(PARTING_SECONDS)

    def _join(self, seconds: float) -> None:
        until = time.monotonic() + seconds
        for call in tuple(self._calls):
            call.join(max(0.0, until - time.monotonic()))

    def _pass_over(self, line: bytes) -> None:
        while line and not line.endswith(b"\n"):
            line = self._stdin.readline(BODY_BYTES_MAX)
        self._write(
            Refused(messages.INVALID_REQUEST, f"A message has at most {BODY_BYTES_MAX} bytes").reply()
        )

    def _take(self, line: bytes) -> None:
        try:
            posted = messages.read_body(line, self._version)
        except Refused as refused:
            self._write(refused.reply())
            return
        is_batch = isinstance(posted, list)
        batch = _Batch(len(posted), self._write) if is_batch else None
        for message in posted if isinstance(posted, list) else [posted]:
            say = batch.add if batch is not None else self._write
            skip = batch.skip if batch is not None else _do_nothing
            self._take_one(message, say, skip, in_batch=is_batch)

    def _take_one(
        self, message: Any, say: Callable[[Any], None], skip: Callable[[], None], *, in_batch: bool
    ) -> None:
        try:
            call = messages.read_message(message, in_batch=in_batch)
        except Refused as refused:
            say(refused.reply())
            return
        if call is None:
            skip()
        elif call.method in {"tools/call", "tools/list"}:
            self._start(call, say)
        else:
            said = Face(_NOBODY).begin(call)
            assert isinstance(said, dict)
            if call.method == "initialize":
                self._version = said["result"]["protocolVersion"]
            say(said)

    def _start(self, call: Call, say: Callable[[Any], None]) -> None:
        def answer() -> None:
            try:
                say(self._answered(_with_key(call)))
            finally:
                self._calls.discard(threading.current_thread())

        thread = threading.Thread(target=answer, name="call", daemon=True)
        self._calls.add(thread)
        thread.start()

    def _answered(self, call: Call) -> dict[str, Any]:
        try:
            with self._means.lend() as brain:
                outcome = self._face(brain).begin(call)
                if not isinstance(outcome, Pending):
                    return outcome
                return self._settled(self._face(self._means.quick(brain)), outcome)
        except BrainError as error:
            return _failed(call, f"{error.code}: {error.message}")
        except Exception as error:  # noqa: BLE001 - whoever asked is answered, whatever happens
            self._note_fault(error)
            return _failed(call, "brainctl failed unexpectedly")

    def _face(self, brain: Brain) -> Face:
        return Face(_Visit(brain, self), tell=_as_it_is, report=self._note_fault)

    def _settled(self, face: Face, pending: Pending) -> dict[str, Any]:
        self._means.work()
        started = time.monotonic()
        while True:
            left = pending.waiting.seconds - (time.monotonic() - started)
            # Nobody is left to wait for: what began goes on, and its id is told.
            over = left <= 0 or self._closing.wait(
                min(left, self._means.pause(pending.waiting.seconds - left))
            )
            if (reply := face.look(pending)) is not None:
                return reply
            if over:
                return face.time_out(pending)

    def _note_fault(self, error: Exception) -> None:
        self._report(f"A call failed unexpectedly: {type(error).__name__}.")

    def _write(self, message: Any) -> None:
        line = messages.encoded(message) + b"\n"
        with self._writing:
            try:
                self._stdout.write(line)
                self._stdout.flush()
            except (OSError, ValueError):
                # The reader has gone, and with it every reason to go on.
                discard(self._stdout)
                self._closing.set()


class _Batch:
    """Collects the replies to a batch, and writes them as one message once all are here."""

    def __init__(self, size: int, write: Callable[[Any], None]) -> None:
        self._left = size
        self._write = write
        self._lock = threading.Lock()
        self._replies: list[Any] = []

    def add(self, reply: Any) -> None:
        with self._lock:
            self._replies.append(reply)
        self.skip()

    def skip(self) -> None:
        with self._lock:
            self._left -= 1
            done = self._left == 0 and bool(self._replies)
        if done:
            self._write(self._replies)


class _Nobody:
    """What needs no brain is answered without one."""

    key_prefix = ""
    scopes: tuple[str, ...] = ()

    @property
    def brain(self) -> Brain:
        raise NotImplementedError

    def count(self, requests: int) -> None:
        """Nothing is counted."""


_NOBODY: Final = _Nobody()


def serve(session: "Session") -> None:
    """Bridge the session's streams to the brain of its key, until standard input ends."""
    environment = session.environment
    if environment.stdin is None or environment.stdout is None:
        raise BrainError("usage", "MCP needs standard input and output, and one of them is closed.")
    # This one is no short-lived process.
    gc.enable()
    # A stray print would break the protocol.
    sys.stdout = sys.stderr
    over = threading.Event()
    means = means_of(session, over)
    if environment.is_terminal(environment.stdin):
        session.output.note("Speaking MCP: JSON-RPC on standard input, one message a line. Ctrl-D ends it.")
    try:
        Bridge(environment.stdin, environment.stdout, means, report=session.output.warn, closing=over).run()
    finally:
        means.close()


def _with_key(call: Call) -> Call:
    """The call with a key of its own if it asks a question without one: a reply lost on the way is then fetched again."""
    arguments = call.params.get("arguments")
    if (
        call.method != "tools/call"
        or call.params.get("name") != "ask_worker"
        or not isinstance(arguments, dict)
    ):
        return call
    if arguments.get("idempotency_key") is not None:
        return call
    keyed = {**arguments, "idempotency_key": f"brainctl-{os.urandom(16).hex()}"}
    return call._replace(params={**call.params, "arguments": keyed})


def _failed(call: Call, message: str) -> dict[str, Any]:
    return Refused(messages.INTERNAL_ERROR, message, call.request_id).reply()


def _as_it_is(error: BrainError) -> BrainError:
    """Whoever runs the bridge owns this machine, and may read what is wrong with it."""
    return error


def _do_nothing() -> None:
    pass

"""The routes of the Brain API, each handed to its verb."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qs, unquote

from brainctl.contract.brain import Brain
from brainctl.contract.errors import scope_missing
from brainctl.contract.gate import Admission
from brainctl.contract.paths import ANSWERS_PATH, CONTEXT_PATH, SEARCH_PATH, TEACH_PATH
from brainctl.contract.requests import ASK
from brainctl.contract.shapes import Problem, refusal, validate
from brainctl.server.bodies import Receive, read_body, read_json
from brainctl.server.replies import Header, Reply, success
from brainctl.server.sse import Stream
from brainctl.server.threads import Threads

ANSWER: Final = f"{ANSWERS_PATH}/{{answer_id}}"
_ANSWER_START: Final = f"{ANSWERS_PATH}/".encode()


class Call(NamedTuple):
    """A request of somebody who was let in. Its body is still to be read."""

    admission: Admission
    threads: Threads
    raw_path: bytes
    query: bytes
    headers: Sequence[Header]
    receive: Receive

    async def json(self) -> Any:
        return await self.threads.parse(await read_body(self.receive, self.headers), read_json)

    def require(self, scope: str) -> None:
        """Raises `scope_missing`. A brain looks too: here it is for what must not be looked at before."""
        if scope not in self.admission.scopes:
            raise scope_missing(scope)

    def idempotency_key(self) -> str | None:
        """Read as UTF-8, so that it is the same key as in a tool's arguments. Raises `validation_error`."""
        given = [value for name, value in self.headers if name == b"idempotency-key"]
        if len(given) > 1:
            raise refusal([Problem("idempotency_key", "must be given once", "size")])
        try:
            return given[0].decode() if given else None
        except UnicodeDecodeError:
            raise refusal([Problem("idempotency_key", "must be UTF-8", "unicode")]) from None


class Route(NamedTuple):
    method: str
    answer: Callable[[Call], Awaitable[Reply | Stream]]


async def search(call: Call) -> Reply:
    body = await call.json()
    return success(200, await call.threads.read(lambda: call.admission.brain.search(body)))


async def context(call: Call) -> Reply:
    body = await call.json()
    return success(200, await call.threads.read(lambda: call.admission.brain.context(body)))


async def teach(call: Call) -> Reply:
    body = await call.json()
    return success(202, await call.threads.write(lambda: call.admission.brain.teach(body)))


async def ask(call: Call) -> Reply | Stream:
    body = await call.json()
    call.require("answers.write")
    question = validate(ASK, body)
    brain = call.admission.brain
    if question.pop("stream"):
        return await _stream(call, brain, question)
    key = call.idempotency_key()
    return success(202, await call.threads.write(lambda: brain.enqueue(question, key)))


async def _stream(call: Call, brain: Brain, question: Any) -> Stream:
    call.threads.require_room()
    events = await call.threads.write(lambda: iter(brain.ask(question)))
    # A refusal may also come with the first event; after it the stream is open.
    first = await call.threads.write(lambda: next(events))
    return Stream(first, events)


async def answer(call: Call) -> Reply:
    call.require("answers.write")
    sources = _wants_sources(call.query)
    answer_id = unquote(call.raw_path.removeprefix(_ANSWER_START).decode("latin-1"))
    brain = call.admission.brain
    return success(200, await call.threads.read(lambda: brain.answer(answer_id, sources=sources)))


def _wants_sources(query: bytes) -> bool:
    try:
        values = parse_qs(query.decode("latin-1"), keep_blank_values=True).get("include", [])
    except ValueError:
        raise refusal([Problem("include", "must be readable", "query")]) from None
    if values not in ([], ["sources"]):
        raise refusal([Problem("include", "must be given once, as: sources", "choice")])
    return bool(values)


ROUTES: Final[Mapping[str, Route]] = {
    SEARCH_PATH: Route("POST", search),
    CONTEXT_PATH: Route("POST", context),
    TEACH_PATH: Route("POST", teach),
    ANSWERS_PATH: Route("POST", ask),
    ANSWER: Route("GET", answer),
}


def name_of(raw_path: bytes) -> str:
    """The name under which a path stands in a table of routes: itself, but for the ids in it."""
    rest = raw_path.removeprefix(_ANSWER_START)
    if rest and len(rest) < len(raw_path) and b"/" not in rest:
        return ANSWER
    return raw_path.decode("latin-1")

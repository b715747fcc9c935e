"""What a line of an archive is: a JSON object whose `type` says of what. Without one it is a fact.

An archive is JSON lines: what the brain is, then the keys that taught, members, people, workers and credits, then
its facts in the order in which they came, and `{"type": "end"}`, without which it was cut off. Keys come as names
of who taught, since a brain does not hold their secrets; an archive made by hand may be facts and nothing else.
"""

import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, Final, NamedTuple, get_args

from brainctl.contract.bounds import AUDIENCES, ID_MAX, INPUT_MAX, SCOPES
from brainctl.contract.lines import parsed
from brainctl.contract.replies import FINISHED
from brainctl.contract.shapes import Array, Boolean, Choice, Integer, Problem, Record, Text
from brainctl.engine.capture.claims import About
from brainctl.engine.described import FACT, Moment

FORMAT: Final = 1
LINE_BYTES_MAX: Final = 4 * 1024 * 1024
_INTEGER_MAX: Final = (1 << 62) - 1
_FACT_ID: Final = re.compile(r"fact_[0-9a-z]{26}")


class _Exactly(NamedTuple):
    """A string that a pattern takes whole."""

    pattern: "re.Pattern[str]"
    message: str
    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, str) or not self.pattern.fullmatch(value):
            problems.append(Problem(path, self.message, "pattern"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string", "pattern": f"^{self.pattern.pattern}$"}


class _Words(NamedTuple):
    """A string, also an empty one."""

    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if value != "":
            Text(_INTEGER_MAX).read(value if not isinstance(value, str) else f".{value}", path, problems)
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "string"}


class _Anything(NamedTuple):
    """Any object."""

    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, dict):
            problems.append(Problem(path, "must be an object", "type"))
        return value

    def schema(self) -> dict[str, Any]:
        return {"type": "object"}


_ID: Final = Text(ID_MAX)
_COUNT: Final = Integer(0, _INTEGER_MAX)
_AN_ID: Final = _Exactly(_FACT_ID, "must be a fact's id such as fact_01k9p3v8m7f2ha6z0qc4rjxn5w")


def _all_of(**fields: Any) -> Record:
    return Record(fields, tuple(fields))


SHAPES: Final[Mapping[str, Record]] = {
    "brain": _all_of(format=Integer(1, _INTEGER_MAX), workspace=_ID),
    "key": _all_of(
        key_id=_ID,
        name=_ID,
        prefix=Text(16),
        audience=Choice(AUDIENCES),
        scopes=Array(Choice(SCOPES), 0, len(SCOPES)),
        created_time=Moment(),
    ),
    "member": _all_of(name=_ID),
    "person": _all_of(id=_ID, name=_ID),
    "worker": Record(
        {"slug": _ID, "model": _ID, "base_url": Text(2000), "key_env": _ID}, ("slug", "model", "base_url")
    ),
    "credits": _all_of(balance=_COUNT),
    "fact": Record(
        {
            "fact_id": _AN_ID,
            **FACT.fields,
            "stated": Boolean(),
            "judged": Choice(get_args(About)),
            "normal": _Words(),
            "taught_by": _ID,
            "outside": Boolean(),
            "superseded_by": _AN_ID,
        },
        tuple(name for name in FACT.required if name != "subject"),
    ),
    "answer": Record(
        {
            "answer_id": _ID,
            "mode": Choice(("streamed", "queued")),
            "key_id": _ID,
            "audience": Choice(AUDIENCES),
            "input": Text(INPUT_MAX),
            "conversation_id": _ID,
            "end_user_id": _ID,
            "end_user_name": _ID,
            "agent_slug": _ID,
            "idempotency_key": _ID,
            "status": Choice(FINISHED),
            "output_text": _Words(),
            "input_tokens": _COUNT,
            "output_tokens": _COUNT,
            "sources": Array(_Anything(), 0, _INTEGER_MAX),
            "created_time": Moment(),
            "started_time": Moment(),
            "finished_time": Moment(),
        },
        (
            *("answer_id", "mode", "key_id", "audience", "input", "agent_slug", "status", "output_text"),
            *("sources", "created_time", "finished_time"),
        ),
    ),
    "end": _all_of(),
}
"""What stands in a line of each type, but for its `type`. Times are read to milliseconds since 1970."""


class Line(NamedTuple):
    """A line, or why there is none: `problems` is empty where `clean` can be used. `number` counts from 1."""

    number: int
    type: str
    clean: dict[str, Any]
    problems: tuple[str, ...]


def read_lines(stream: IO[bytes]) -> Iterator[Line]:
    """The lines of a stream from where it stands; blank ones are passed over. A bad line does not end it."""
    number = 0
    while raw := stream.readline(LINE_BYTES_MAX + 1):
        number += 1
        if len(raw) > LINE_BYTES_MAX:
            while raw and not raw.endswith(b"\n"):
                raw = stream.readline(LINE_BYTES_MAX)
            yield _bad(number, f"is longer than {LINE_BYTES_MAX} bytes")
        else:
            raw = raw.removeprefix(b"\xef\xbb\xbf") if number == 1 else raw
            if raw.strip():
                yield _read(number, raw)


def _bad(number: int, *problems: str) -> Line:
    return Line(number, "", {}, problems)


def _read(number: int, raw: bytes) -> Line:
    try:
        value = parsed(raw)
    except ValueError as error:
        return _bad(number, str(error))
    if not isinstance(value, dict):
        return _bad(number, "must be a JSON object")
    kind = value.pop("type", "fact")
    if not isinstance(kind, str) or kind not in SHAPES:
        return _bad(number, f"type: must be one of: {', '.join(SHAPES)}")
    problems: list[Problem] = []
    clean = SHAPES[kind].read(value, "", problems)
    if kind == "fact" and "subject" not in value and value.get("stated") is not False:
        problems.append(Problem("subject", "is required", "required"))
    return Line(number, kind, clean, tuple(f"{each.field}: {each.message}" for each in problems))

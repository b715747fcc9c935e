"""A small language for the shape of a request: one declaration checks a body, names every field that does not
fit, and writes its own JSON Schema (for the OpenAPI document and for MCP, whose hosts want no `$ref`).
"""

from collections.abc import Mapping, Sequence
from itertools import islice
from typing import Any, Final, NamedTuple, Protocol

from brainctl.contract.errors import BrainError

PROBLEMS_MOST: Final = 50
"""Of how many problems each is told; a body of 2 MB has room for hundreds of thousands."""
_NAME_MOST: Final = 100


class Problem(NamedTuple):
    """Why a field was refused. `field` is a dotted path (`facts[3].text`); `rule` is the broken rule's name.

    `times` is how many problems it stands for: more than one where they are not told one by one.
    """

    field: str
    message: str
    rule: str
    times: int = 1


def _more(count: int, rule: str) -> Problem:
    return Problem("…", f"and {count} more", rule, count)


class Shape(Protocol):
    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        """The value as the program uses it; what does not fit is appended to `problems`."""

    def schema(self) -> dict[str, Any]: ...


def _is_lone_surrogate(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return True
    return False


class Text(NamedTuple):
    """A string of 1 to `longest` code points that is not all white space; neither trimmed nor normalised."""

    longest: int
    description: str = ""
    default: str | None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, str):
            problems.append(Problem(path, "must be a string", "type"))
        elif not value or value.isspace():
            problems.append(Problem(path, "must not be empty", "min_length"))
        elif _is_lone_surrogate(value):
            problems.append(Problem(path, "must be valid Unicode text", "unicode"))
        elif len(value) > self.longest:
            message = f"must be at most {self.longest} characters, and has {len(value)}"
            problems.append(Problem(path, message, "max_length"))
        return value

    def schema(self) -> dict[str, Any]:
        return _described({"type": "string", "minLength": 1, "maxLength": self.longest}, self)


class Integer(NamedTuple):
    """A whole number, both ends included. `3.0` is one, as in JSON Schema; `true` and `"3"` are not."""

    lowest: int
    highest: int
    description: str = ""
    default: int | None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            problems.append(Problem(path, "must be a whole number", "type"))
        elif not self.lowest <= value <= self.highest:
            problems.append(Problem(path, f"must be from {self.lowest} to {self.highest}", "range"))
        return value

    def schema(self) -> dict[str, Any]:
        return _described({"type": "integer", "minimum": self.lowest, "maximum": self.highest}, self)


class Boolean(NamedTuple):
    description: str = ""
    default: bool | None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, bool):
            problems.append(Problem(path, "must be true or false", "type"))
        return value

    def schema(self) -> dict[str, Any]:
        return _described({"type": "boolean"}, self)


class Choice(NamedTuple):
    """One of a few strings."""

    values: Sequence[str]
    description: str = ""
    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if value not in self.values or not isinstance(value, str):
            problems.append(Problem(path, f"must be one of: {', '.join(self.values)}", "choice"))
        return value

    def schema(self) -> dict[str, Any]:
        return _described({"type": "string", "enum": list(self.values)}, self)


class Array(NamedTuple):
    item: Shape
    fewest: int
    most: int
    description: str = ""
    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, list):
            problems.append(Problem(path, "must be an array", "type"))
            return value
        if not self.fewest <= len(value) <= self.most:
            message = f"must hold {self.fewest} to {self.most} items, and holds {len(value)}"
            problems.append(Problem(path, message, "size"))
            return value
        return [self.item.read(item, f"{path}[{place}]", problems) for place, item in enumerate(value)]

    def schema(self) -> dict[str, Any]:
        whole = {"type": "array", "items": self.item.schema(), "minItems": self.fewest, "maxItems": self.most}
        return _described(whole, self)


class Record(NamedTuple):
    """An object of exactly these fields. Fields with a default are filled in; an optional field is never null."""

    fields: Mapping[str, Shape]
    required: Sequence[str] = ()
    description: str = ""
    default: None = None

    def read(self, value: Any, path: str, problems: list[Problem]) -> Any:
        if not isinstance(value, dict):
            problems.append(Problem(path or "body", "must be an object", "type"))
            return value
        dot = f"{path}." if path else ""
        # Counted by the fields that are known, since there may be very many others.
        unknown = len(value) - sum(name in value for name in self.fields)
        if unknown:
            names = islice((name for name in value if name not in self.fields), PROBLEMS_MOST)
            problems.extend(Problem(f"{dot}{_short(name)}", "unknown field", "unknown") for name in names)
        if unknown > PROBLEMS_MOST:
            problems.append(_more(unknown - PROBLEMS_MOST, "unknown"))
        clean: dict[str, Any] = {}
        for name, shape in self.fields.items():
            where = f"{dot}{name}"
            if name in value:
                if value[name] is None:
                    problems.append(Problem(where, "must not be null", "type"))
                else:
                    clean[name] = shape.read(value[name], where, problems)
            elif name in self.required:
                problems.append(Problem(where, "is required", "required"))
            elif (default := getattr(shape, "default", None)) is not None:
                clean[name] = default
        return clean

    def schema(self) -> dict[str, Any]:
        whole: dict[str, Any] = {
            "type": "object",
            "properties": {name: shape.schema() for name, shape in self.fields.items()},
            "additionalProperties": False,
        }
        if self.required:
            whole["required"] = list(self.required)
        return _described(whole, self)


def _short(name: str) -> str:
    return name if len(name) <= _NAME_MOST else f"{name[:_NAME_MOST]}…"


def _described(schema: dict[str, Any], shape: Any) -> dict[str, Any]:
    if shape.description:
        schema["description"] = shape.description
    if shape.default is not None:
        schema["default"] = shape.default
    return schema


MESSAGE_FIELDS_MAX: Final = 5


def problems_of(shape: Shape, value: Any) -> list[Problem]:
    """All that is wrong with a value; empty where it fits."""
    problems: list[Problem] = []
    shape.read(value, "", problems)
    return problems


def told(problems: Sequence[Problem]) -> tuple[str, list[dict[str, str]]]:
    """A sentence that names the offending fields, unknown ones first, and a list of them with what is wrong with each;
    of very many, only how many more there are.
    """
    count = sum(problem.times for problem in problems)
    each = [problem for problem in problems if problem.times == 1]
    shown = sorted(each, key=lambda problem: problem.rule != "unknown")[:PROBLEMS_MOST]
    named = [f"{problem.field}: {problem.message}" for problem in shown[:MESSAGE_FIELDS_MAX]]
    if count > len(named):
        named.append(f"and {count - len(named)} more")
    if count > len(shown):
        shown.append(_more(count - len(shown), "unknown"))
    return "; ".join(named), [{"field": problem.field, "message": problem.message} for problem in shown]


def refusal(problems: Sequence[Problem]) -> BrainError:
    """The `validation_error` that names the offending fields."""
    message, fields = told(problems)
    return BrainError("validation_error", message, details={"fields": fields})


def validate(shape: Shape, value: Any) -> Any:
    """The value with its defaults filled in. Raises `validation_error` naming the fields that do not fit."""
    problems: list[Problem] = []
    clean = shape.read(value, "", problems)
    if problems:
        raise refusal(problems)
    return clean

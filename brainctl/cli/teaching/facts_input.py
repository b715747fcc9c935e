"""Facts to teach, read from files: one a line, JSON lines, or CSV. Everything is checked before anything is used."""

from collections.abc import Iterator
from typing import IO, Final, NamedTuple

from brainctl.contract.bounds import FACT_TEXT_MAX
from brainctl.contract.lines import decoded, parsed
from brainctl.contract.requests import TEACH
from brainctl.contract.shapes import problems_of

FORMATS: Final = ("text", "jsonl", "csv")


class Line(NamedTuple):
    """One fact of a file, or why there is none: exactly one of `text` and `problem` is set. `number` counts from 1."""

    number: int
    text: str | None
    problem: str | None


def format_of(path: str, asked: str | None) -> str:
    """The format asked for, else the one the file's suffix stands for."""
    if asked is not None:
        return asked
    suffix = path.rpartition(".")[2].lower()
    return {"jsonl": "jsonl", "ndjson": "jsonl", "csv": "csv"}.get(suffix, "text")


def read_lines(stream: IO[bytes], form: str) -> Iterator[Line]:
    """The facts of a stream that starts at its beginning, in one of `FORMATS`."""
    readers = {"text": _text, "jsonl": _jsonl, "csv": _csv}
    for line in readers[form](_decoded(stream)):
        yield line if line.text is None else _checked(line.number, line.text)


def checked_text(text: str) -> str | None:
    """Why a text cannot be taught, or None where it can."""
    problems = problems_of(TEACH, {"facts": [{"text": text}]})
    return problems[0].message if problems else None


class _Raw(NamedTuple):
    number: int
    text: str
    problem: str | None


def _checked(number: int, text: str) -> Line:
    problem = checked_text(text)
    return Line(number, None, problem) if problem else Line(number, text, None)


def _decoded(stream: IO[bytes]) -> Iterator[_Raw]:
    """Lines without their ends. A line that is not UTF-8 is a problem of its own; the rest can still be read."""
    for number, line in enumerate(stream, start=1):
        marked = line.removeprefix(b"\xef\xbb\xbf") if number == 1 else line
        raw = marked.removesuffix(b"\n").removesuffix(b"\r")
        try:
            yield _Raw(number, decoded(raw), None)
        except ValueError as error:
            yield _Raw(number, "", str(error))


def _text(lines: Iterator[_Raw]) -> Iterator[Line]:
    for line in lines:
        if line.problem:
            yield Line(line.number, None, line.problem)
        elif line.text.strip() and not line.text.lstrip().startswith("#"):
            yield Line(line.number, line.text.strip(), None)


def _jsonl(lines: Iterator[_Raw]) -> Iterator[Line]:
    for line in lines:
        if line.problem:
            yield Line(line.number, None, line.problem)
        elif line.text.strip():
            yield _json_line(line.number, line.text)


def _json_line(number: int, text: str) -> Line:
    try:
        value = parsed(text)
    except ValueError as error:
        return Line(number, None, str(error))
    if not isinstance(value, dict) or set(value) != {"text"}:
        return Line(number, None, 'must be {"text": "…"} and nothing else')
    if not isinstance(value["text"], str):
        return Line(number, None, "text must be a string")
    return Line(number, value["text"], None)


def _csv(lines: Iterator[_Raw]) -> Iterator[Line]:
    import csv

    bad: list[Line] = []

    def good() -> Iterator[str]:
        for line in lines:
            if line.problem:
                bad.append(Line(line.number, None, line.problem))
                yield "\n"
            else:
                yield f"{line.text}\n"

    csv.field_size_limit(max(csv.field_size_limit(), 64 * FACT_TEXT_MAX))
    reader = csv.reader(good(), strict=True)
    column: int | None = None
    try:
        for row in reader:
            yield from bad
            bad.clear()
            if column is None:
                names = [name.strip().lower() for name in row]
                if "text" not in names:
                    yield Line(reader.line_num, None, "has no column named text")
                    return
                column = names.index("text")
            elif row:
                if column < len(row):
                    yield Line(reader.line_num, row[column], None)
                else:
                    yield Line(reader.line_num, None, "has too few columns")
    except csv.Error as error:
        yield Line(reader.line_num, None, f"is not CSV: {error}")
    yield from bad

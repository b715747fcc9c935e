"""The results of checks as people, pipes and CI read them."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final, Protocol

from brainctl.cli.sanitise import one_line
from brainctl.cli.views import rows

if TYPE_CHECKING:
    from rich.console import RenderableType

TABLE_WIDTH: Final = 72

STYLES: Final = {"passed": "green", "failed": "bold red", "error": "bold yellow"}

_NOT_XML: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ENTITIES: Final = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


class Stated(Protocol):
    """What was checked."""

    @property
    def name(self) -> str: ...
    @property
    def query(self) -> str: ...
    @property
    def expectation(self) -> str: ...
    @property
    def profile(self) -> str | None: ...


class Checked(Protocol):
    """A check that was made; `outcome` is passed, failed or error."""

    @property
    def check(self) -> Stated: ...
    @property
    def outcome(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def fact_id(self) -> str: ...
    @property
    def seconds(self) -> float: ...


def counts(results: Sequence[Checked]) -> dict[str, int]:
    """How many checks came out in each way."""
    return {outcome: sum(each.outcome == outcome for each in results) for outcome in STYLES}


def lines(results: Sequence[Checked]) -> str:
    """Tab-separated: outcome, name, what is expected, how it came out, and the id of the fact that matched."""
    return rows.lines(
        [
            (each.outcome, each.check.name, each.check.expectation, each.message, each.fact_id)
            for each in results
        ]
    )


def table(results: Sequence[Checked], width: int) -> "RenderableType":
    """Results as a table, or one below the other on a narrow terminal."""
    return _table(results) if width >= TABLE_WIDTH else _blocks(results)


def _table(results: Sequence[Checked]) -> "RenderableType":
    from rich import box
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    grid.add_column("Outcome", no_wrap=True)
    for head in ("Check", "Expected", "Found"):
        grid.add_column(head, overflow="fold")
    for each in results:
        grid.add_row(
            Text(each.outcome, style=STYLES[each.outcome]),
            Text(one_line(_named(each))),
            Text(one_line(each.check.expectation)),
            Text(one_line(each.message)),
        )
    return grid


def _blocks(results: Sequence[Checked]) -> "RenderableType":
    from rich.console import Group
    from rich.text import Text

    blocks: list[Text] = []
    for each in results:
        outcome = (each.outcome, STYLES[each.outcome])
        blocks.append(Text.assemble(outcome, f" {one_line(_named(each))}", overflow="fold"))
        blocks.append(Text(f"  expected: {one_line(each.check.expectation)}", overflow="fold"))
        blocks.append(Text(f"  found: {one_line(each.message)}", overflow="fold"))
    return Group(*blocks)


def _named(result: Checked) -> str:
    check = result.check
    return f"{check.name} ({check.profile})" if check.profile else check.name


def summary(count: Mapping[str, int]) -> str:
    """A sentence about what did not hold; empty where everything did."""
    total = sum(count.values())
    noun = "expectation" if total == 1 else "expectations"
    parts = []
    if count["failed"]:
        verb = "does" if count["failed"] == 1 else "do"
        parts.append(f"{count['failed']} of {total} {noun} {verb} not hold")
    if count["error"]:
        parts.append(f"{count['error']} of {total} {noun} could not be checked")
    return f"{', '.join(parts)}." if parts else ""


def junit(results: Sequence[Checked], suite: str) -> str:
    """A JUnit XML report of one suite. Characters that XML cannot hold are left out."""
    count = counts(results)
    head = _attributes(
        name=f"brainctl expect {suite}".rstrip(),
        tests=str(len(results)),
        failures=str(count["failed"]),
        errors=str(count["error"]),
        skipped="0",
        time=_seconds(sum(each.seconds for each in results)),
    )
    body = "".join(_case(each, suite or "brainctl") for each in results)
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<testsuites>\n  <testsuite{head}>\n{body}  </testsuite>\n</testsuites>\n"
    )


def _case(result: Checked, suite: str) -> str:
    head = _attributes(name=_named(result), classname=suite, time=_seconds(result.seconds))
    if result.outcome == "passed":
        return f"    <testcase{head}/>\n"
    element = "failure" if result.outcome == "failed" else "error"
    story = {
        "query": result.check.query,
        "expected": result.check.expectation,
        "found": result.message,
        "fact": result.fact_id,
    }
    told = "\n".join(f"{name}: {value}" for name, value in story.items() if value)
    return (
        f"    <testcase{head}>\n"
        f"      <{element}{_attributes(message=result.message)}>{_escaped(told)}</{element}>\n"
        "    </testcase>\n"
    )


def _attributes(**values: str) -> str:
    return "".join(f' {name}="{_escaped(value)}"' for name, value in values.items())


def _escaped(text: str) -> str:
    return _NOT_XML.sub("", text).translate(_ENTITIES)


def _seconds(seconds: float) -> str:
    return f"{seconds:.3f}"

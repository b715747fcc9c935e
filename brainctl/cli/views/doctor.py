"""What a look at the set-up came to, as people and pipes read it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

from brainctl.cli.sanitise import one_line
from brainctl.cli.views import rows

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

TABLE_WIDTH: Final = 60

STYLES: Final = {"ok": "green", "warning": "yellow", "failure": "bold red"}


class Found(Protocol):
    """A finding; `state` is ok, warning or failure, and `advice` empty where there is nothing to do."""

    @property
    def check(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def message(self) -> str: ...
    @property
    def advice(self) -> str: ...


def lines(findings: Sequence[Found]) -> str:
    """Tab-separated: state, what was looked at, what was found, what to do."""
    return rows.lines([(each.state, each.check, each.message, each.advice) for each in findings])


def table(findings: Sequence[Found], width: int) -> "RenderableType":
    """Findings as a table, or one below the other on a narrow terminal."""
    return _table(findings) if width >= TABLE_WIDTH else _blocks(findings)


def _table(findings: Sequence[Found]) -> "RenderableType":
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(no_wrap=True)
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    for each in findings:
        told = Text("\n").join(_told(each))
        grid.add_row(Text(each.state, style=STYLES[each.state]), Text(each.check), told)
    return grid


def _blocks(findings: Sequence[Found]) -> "RenderableType":
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    blocks: list[RenderableType] = []
    for each in findings:
        blocks.append(Text.assemble((each.state, STYLES[each.state]), f" {each.check}"))
        blocks += [Padding(told, (0, 0, 0, 2)) for told in _told(each)]
    return Group(*blocks)


def _told(finding: Found) -> "list[Text]":
    from rich.text import Text

    told = [Text(one_line(finding.message), overflow="fold")]
    if finding.advice:
        style = "dim" if finding.state == "ok" else "bold"
        told.append(Text(one_line(finding.advice), style=style, overflow="fold"))
    return told


def summary(findings: Sequence[Found]) -> str:
    count = {state: sum(each.state == state for each in findings) for state in STYLES}
    if not count["failure"] and not count["warning"]:
        return "Nothing is wrong."
    noun = {"failure": "failures", "warning": "warnings"}
    told = [f"{count[state]} {noun[state] if count[state] > 1 else state}" for state in noun if count[state]]
    return f"{' and '.join(told)}."

"""Does what a page says, at a terminal of the common size, and compares what comes with what the page shows."""

import difflib
import re
import shutil
import signal
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from tests.cli.shell import BRAINCTL, Screen, Shell
from tests.docs.pages import Block, Command

ANYTHING: Final = "…"
"""On a line it stands for any text; alone on a line, for any lines."""
EXPORT: Final = "export "
"""A command that starts so shows a variable whose value is the reader's own: whoever runs the page sets it."""
GIT_KNOWS: Final = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "You"), ("EMAIL", "you@example.com"))
}
"""Who the reader is, as they have told git."""
COLUMNS: Final = 80
ROWS: Final = 24


class Reader(Shell):
    """A person with an empty home who types a page's commands one after the other."""

    def __init__(self, home: Path, environ: Mapping[str, str] | None = None) -> None:
        super().__init__(home, {"NO_COLOR": "1", **GIT_KNOWS, **(environ or {})})
        self.environ["PATH"] = f"{Path(BRAINCTL).parent}:{self.environ['PATH']}"

    def save(self, block: Block) -> None:
        """Save a file that the page shows."""
        file = self.home / block.rest
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text("".join(f"{line}\n" for line in block.lines), "utf-8")

    def follow(self, block: Block) -> None:
        """Run a block's commands. Fails where one prints something else, or fails without the page saying so."""
        if block.word == "needs" and shutil.which(block.rest) is None:
            return
        commands = [command for command in block.commands() if not command.text.startswith(EXPORT)]
        status = 0
        for place, command in enumerate(commands):
            screen = self.type(command, status)
            status = screen.code
            shown = screen.text.split("\n") if screen.text else []
            if not matches(command.expected, shown):
                raise AssertionError(_difference(block, command, shown))
            following = commands[place + 1].text if place + 1 < len(commands) else ""
            assert status == 0 or following == "echo $?", (
                f"{block.place}: {command.text} failed: {status}\n{screen.text}"
            )

    def type(self, command: Command, status: int) -> Screen:
        """Run a command line of bash, where the one before it ended with a status."""
        line = f"cd; (exit {status}); {command.text}"
        return self._at_terminal(["bash", "-c", line], COLUMNS, ROWS, (), None, None, signal.SIGINT)


def matches(expected: Sequence[str], shown: Sequence[str]) -> bool:
    """Whether these lines are those of the page."""
    pattern = "".join(
        "(?:.*\n)*" if line.strip() == ANYTHING else _line_pattern(line) + "\n"
        for line in _without_end(expected)
    )
    return re.fullmatch(pattern, "".join(f"{line}\n" for line in _without_end(shown))) is not None


def _line_pattern(line: str) -> str:
    return ".*".join(re.escape(part) for part in line.split(ANYTHING))


def _without_end(lines: Sequence[str]) -> list[str]:
    """The lines as a terminal shows them, tabs as blanks, without blank ones at their end."""
    left = [line.expandtabs().rstrip() for line in lines]
    while left and not left[-1]:
        left.pop()
    return left


def _difference(block: Block, command: Command, shown: Sequence[str]) -> str:
    difference = "\n".join(
        difflib.unified_diff(_without_end(command.expected), _without_end(shown), "page", "screen")
    )
    return f"{block.place}: $ {command.text}\n{difference}"

"""Reads the Markdown pages: the blocks of commands in them, what the page says of each, and the links."""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[2]
SHELL_LANGUAGES: Final = frozenset({"console", "sh", "bash", "shell"})
_COMMENT: Final = re.compile(
    r"<!--\s*(?P<word>not run|hosted|needs|file|database)(?::\s*(?P<rest>.*?))?\s*-->"
)
_LINK: Final = re.compile(r"(?<!!)\[[^\]\n]+\]\((?P<target>[^)\s]+)\)")
_HEADING: Final = re.compile(r"#+\s+(?P<text>.+)")


class Command(NamedTuple):
    """A command as it is typed, and what the page says it prints."""

    text: str
    expected: list[str]


class Block(NamedTuple):
    """A fenced block of a shell, or of a file that the reader saves under the name `rest` where `word` is `file`.

    `word` and `rest` are those of the comment before it, such as `not run: reason`.
    """

    page: str
    line: int
    language: str
    word: str
    rest: str
    lines: list[str]

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self) -> list[Command]:
        """Lines that start with `$ ` are commands, a backslash at a line's end goes on; the others are output."""
        commands: list[Command] = []
        goes_on = False
        for line in self.lines:
            if goes_on:
                last = commands[-1]
                commands[-1] = last._replace(text=f"{last.text}\n{line}")
            elif line.startswith("$ "):
                commands.append(Command(line.removeprefix("$ "), []))
            else:
                assert commands, f"{self.place}: output stands before any command"
                commands[-1].expected.append(line)
                continue
            goes_on = line.endswith("\\")
        return commands


def pages() -> list[Path]:
    """Every Markdown page of the repository."""
    return sorted([*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")])


def blocks(page: Path) -> Iterator[Block]:
    """The fenced blocks that a reader does something with, in order."""
    word = rest = language = ""
    start = 0
    held: list[str] | None = None
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if held is not None and line == "```":
            if language in SHELL_LANGUAGES or word == "file":
                yield Block(page.name, start, language, word, rest, held)
            held, word, rest = None, "", ""
        elif held is not None:
            held.append(line)
        elif line.startswith("```"):
            held, language, start = [], line.removeprefix("```").strip(), number
        elif comment := _COMMENT.fullmatch(line.strip()):
            word, rest = comment["word"], comment["rest"] or ""
        elif line.strip():
            word = rest = ""
    assert held is None, f"{page.name}:{start}: the block has no end"


def prose(page: Path) -> list[str]:
    """The lines outside fenced blocks."""
    inside = False
    found: list[str] = []
    for line in page.read_text("utf-8").splitlines():
        if line.startswith("```"):
            inside = not inside
        elif not inside:
            found.append(line)
    return found


def links(page: Path) -> list[str]:
    return [found["target"] for line in prose(page) for found in _LINK.finditer(line)]


def anchors(page: Path) -> set[str]:
    """The names by which the headings of a page can be linked to."""
    headings = [found["text"] for line in prose(page) if (found := _HEADING.fullmatch(line))]
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in headings}

"""Text as man pages hold it: ASCII alone, and nothing in it read as a request."""

import re
from collections.abc import Iterable
from typing import Final

_ESCAPES: Final = {
    "\\": "\\e",
    # A plain one is set as a typographic mark, and what is pasted from the page then fails.
    "-": "\\-",
    "'": "\\(aq",
    "`": "\\(ga",
    "^": "\\(ha",
    "~": "\\(ti",
}
_CODE: Final = re.compile(r"`([^`]+)`")
_WIDTHLESS: Final = "\\&"


def escaped(text: str) -> str:
    """The text on one line."""
    return "".join(_character(character) for character in " ".join(text.split()))


def quoted(text: str) -> str:
    """The text as one argument of a macro."""
    return '"' + escaped(text).replace('"', "\\(dq") + '"'


def bold(text: str) -> str:
    return f"\\fB{escaped(text)}\\fR"


def italic(text: str) -> str:
    return f"\\fI{escaped(text)}\\fR"


def prose(text: str) -> str:
    """A line of running text; what stands in backquotes becomes bold."""
    parts = _CODE.split(text)
    return _no_request(
        "".join(bold(part) if place % 2 else _kept_blanks(part) for place, part in enumerate(parts))
    )


def verbatim(lines: Iterable[str]) -> list[str]:
    """Lines to be shown as they are."""
    shown = [_no_request("".join(_character(character) for character in line)) for line in lines]
    return [".RS 4", ".EX", *shown, ".EE", ".RE"]


def _kept_blanks(text: str) -> str:
    """Escaped, with a blank at either end kept: it parts the text from what stands beside it."""
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() and text.strip() else ""
    return f"{before}{escaped(text)}{after}"


def _no_request(line: str) -> str:
    return f"{_WIDTHLESS}{line}" if line.startswith((".", "'", "\\(aq")) else line


def _character(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isascii():
        return character if character.isprintable() else ""
    return f"\\[u{ord(character):04X}]"

"""Text from a brain is data: nothing in it may act on a terminal, or reorder what a person reads."""

import re
from typing import Final

_SEQUENCES: Final = re.compile(
    "(?:\x1b\\[|\x9b)[0-?]*[ -/]*[@-~]"  # control sequences: colours, cursor, clearing
    "|(?:\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\\\|\x9c)?"  # titles, links, clipboard
    "|\x1b[ -/]*[0-~]?"  # every other escape sequence
)
_CONTROLS: Final = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_CELL_ESCAPES: Final = {"\\": "\\\\", "\t": "\\t", "\n": "\\n", "\r": "\\r"}
_UNSAFE_IN_JSON: Final = re.compile(
    "[\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)


def terminal_text(text: str) -> str:
    """The text as a terminal may be shown it: escape sequences dropped whole, other controls as `�`.

    Newlines and tabs stay; a carriage return before a newline goes.
    """
    text = text.replace("\r\n", "\n")
    return _CONTROLS.sub("\N{REPLACEMENT CHARACTER}", _SEQUENCES.sub("", text))


def one_line(text: str) -> str:
    """Terminal text on a single line."""
    return " ".join(terminal_text(text).split())


def cell(text: str) -> str:
    """The text as one cell of a tab-separated line: backslash, tab and line ends are escaped with backslashes."""
    for character, escape in _CELL_ESCAPES.items():
        text = text.replace(character, escape)
    return text


def json_text(dumped: str) -> str:
    """A JSON document whose control, direction and surrogate characters are all `\\u` escapes."""
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found.group()):04x}", dumped)


class StreamSanitiser:
    """`terminal_text` for text that comes in pieces: a sequence split over two pieces does not pass."""

    # A string sequence is looked for from the last of its beginnings: what lies before that one is dropped either way.
    _OPEN: Final = re.compile(
        "(?:(?:\x1b\\[|\x9b)[0-?]*[ -/]*"
        "|(?P<string>\x1b[\\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\x9d\x90\x98\x9e\x9f]*(?P<escape>\x1b?)"
        "|\x1b[ -/]*|\r)\\Z"
    )

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """What of the text so far can be shown; an unfinished sequence is held back."""
        text = self._held + piece
        unfinished = self._OPEN.search(text)
        cut = unfinished.start() if unfinished else len(text)
        self._held = text[cut:]
        if unfinished and unfinished["string"]:
            # What a string sequence holds is never shown, so there is no need to hold it.
            self._held = unfinished["string"] + unfinished["escape"]
        return terminal_text(text[:cut])

    def close(self) -> str:
        """What was held back, made harmless."""
        held, self._held = self._held, ""
        return terminal_text(held)

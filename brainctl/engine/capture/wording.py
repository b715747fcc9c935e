"""A text cut into words that remember how they were written."""

import re
import unicodedata
from typing import Final, NamedTuple

from brainctl.engine.words.text import fold

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019_][^\W_]+)*")
_SENTENCE_END: Final = re.compile(r"[.!?:;\n\r\u2026\"\u201c\u201d()\[\]\u2022]")
_ABBREVIATIONS: Final = ("mr", "mrs", "ms", "mx", "dr", "prof", "st")
"""Words before a name whose full stop ends no sentence; so does an initial's."""
_PAUSE: Final = re.compile(r"[,;:()\n\u2013\u2014]| - ")


class Word(NamedTuple):
    """A word as written (`raw`) and folded (`plain`, without a possessive ending).

    `opens`: it begins a sentence; `after_pause`: a comma or the like stands before it; `owns`: it ends in 's;
    `joined`: only a blank or a hyphen parts it from the word before; `hyphenated`: a hyphen does.
    """

    raw: str
    plain: str
    opens: bool
    after_pause: bool
    owns: bool
    joined: bool
    hyphenated: bool

    @property
    def is_capital(self) -> bool:
        return self.raw[0].isupper() or self.raw[0].istitle()

    @property
    def is_number(self) -> bool:
        return self.raw[0].isdigit()


def words_of(text: str) -> list[Word]:
    """The words of a text in order. Hyphens part words; numbers are words."""
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text)
    found: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        between = text[end : match.start()]
        raw = match.group()
        low = raw.lower()
        owns = low.endswith(("'s", "\u2019s")) or (
            low.endswith("s") and text[match.end() :][:1] in ("'", "\u2019")
        )
        dotted = (
            bool(found) and between == ". " and (found[-1].plain in _ABBREVIATIONS or len(found[-1].raw) == 1)
        )
        found.append(
            Word(
                raw=raw,
                plain=fold(raw),
                opens=not found or (not dotted and _SENTENCE_END.search(between) is not None),
                after_pause=_PAUSE.search(between) is not None,
                owns=owns,
                joined=dotted or (bool(found) and between in (" ", "-")),
                hyphenated=bool(found) and between == "-",
            )
        )
        end = match.end()
    return found

"""Reading what is not plain ASCII: accents, compatibility forms, and scripts that put no blanks between words."""

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

# Marks that spell Indic vowels belong to their word; they are letters in all but name.
_LETTER: Final = r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])"
_WORD: Final = re.compile(rf"\d+(?:[.,]\d+)+(?!{_LETTER})|{_LETTER}+(?:'{_LETTER}+)*")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)
"""Runs of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_SPELLING_CLASSES: Final = (0, 7, 8, 9)
"""Combining classes of marks that make another letter (nukta, the Japanese voicing mark, virama), not an accent."""

_APOSTROPHES: Final = str.maketrans("\u2019\u02bc", "''")


def raw_words(text: str) -> list[str]:
    """The words of a text with compatibility forms, case and accents folded, numbers and apostrophes as written."""
    text = unicodedata.normalize("NFKC", text).casefold()
    marks = unicodedata.normalize("NFKD", text)
    kept = "".join(mark for mark in marks if unicodedata.combining(mark) in _SPELLING_CLASSES)
    found: list[str] = _WORD.findall(unicodedata.normalize("NFKC", kept).translate(_APOSTROPHES))
    return found


def parts_of(word: str) -> Iterator[str]:
    """A word as it is indexed: pairs of characters where its script puts no blanks, the rest as it is."""
    rest = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > rest:
            yield word[rest : run.start()]
        characters = run.group()
        yield from (characters[place : place + 2] for place in range(max(len(characters) - 1, 1)))
        rest = run.end()
    if rest < len(word):
        yield word[rest:]

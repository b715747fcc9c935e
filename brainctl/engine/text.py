"""How words are read: the one chain behind the index, the query, and the comparing of names.

Compatibility forms are folded (NFKC), then case, then accents; words are letters and digits, so what comes out
can never be the syntax of a search engine.
"""

import re
from typing import Final

from brainctl.engine.stem import stem

_STOP_WORDS: Final = """
    a about after again all also am an and any are as at be because been before being between both but by can cant
    could couldnt did didnt do does doesnt doing dont during each few for from further had has hasnt have havent
    having he her here hers him his how i if im in into is isnt it its itself ive just me more most my no nor not
    now of off on once only or other our out over own same she should so some such than that thats the their them
    then there these they this those through to too under until up us very was wasnt we were what whats when where
    which while who whom whose why will with wont would you your
    """
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())

# Marks that spell Indic vowels belong to their word; they are letters in all but name.
_LETTER: Final = r"(?:[^\W_]|[\u0900-\u0963\u0966-\u0dff])"
_WORD: Final = re.compile(rf"\d+(?:[.,]\d+)+(?!{_LETTER})|{_LETTER}+(?:'{_LETTER}+)*")
_THOUSANDS: Final = re.compile(r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}")
_DECIMAL: Final = re.compile(r"(\d{1,3}(?:,\d{3})+|\d+)[.,](\d+)")
_ORDINAL: Final = re.compile(r"(\d+)(?:st|nd|rd|th)")
_LEADING_ZEROS: Final = re.compile(r"^0+(?=\d)")
_UNSPACED: Final = re.compile(
    r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    r"\U00020000-\U0003ffff]+"
)
"""Runs of scripts that put no blanks between words: Thai, Lao, Burmese, Khmer, Japanese, Chinese."""

_SPELLING_CLASSES: Final = (0, 7, 8, 9)
"""Combining classes of marks that make another letter (nukta, the Japanese voicing mark, virama), not an accent."""


def _folded(text: str) -> str:
    if text.isascii():
        return text.lower()
    import unicodedata

    text = unicodedata.normalize("NFKC", text).casefold()
    parts = unicodedata.normalize("NFKD", text)
    kept = "".join(mark for mark in parts if unicodedata.combining(mark) in _SPELLING_CLASSES)
    return unicodedata.normalize("NFKC", kept).replace("\u2019", "'").replace("\u02bc", "'")


def _number(written: str) -> list[str]:
    """`1,500.00` is 1500, `3,5` is 3.5, and `14.09.2026` is three numbers. The point is written `·`."""
    if _THOUSANDS.fullmatch(written):
        return [re.sub(r"\D", "", written)]
    if decimal := _DECIMAL.fullmatch(written):
        whole, fraction = decimal[1].replace(",", ""), decimal[2].rstrip("0")
        return [f"{whole}·{fraction}" if fraction else whole]
    return re.split(r"[.,]", written)


def words(text: str) -> list[str]:
    """The folded words of a text, in order; a possessive `'s` is dropped, and so are leading zeros."""
    found: list[str] = []
    for word in _WORD.findall(_folded(text)):
        if word[0].isdigit():
            numbers = _number(word) if "." in word or "," in word else [_ORDINAL.sub(r"\1", word)]
            found.extend(_LEADING_ZEROS.sub("", number) for number in numbers)
        else:
            found.append(word.removesuffix("'s").replace("'", ""))
    return found


def fold(name: str) -> str:
    """The form in which two writings of a name are equal: its folded words, one blank between them."""
    return " ".join(words(name)) or " ".join(_folded(name).split())


def _pairs(run: str) -> list[str]:
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def terms(text: str) -> list[str]:
    """What a text is found by: its stemmed words without stop words, and pairs of characters where a script puts
    no blanks. A text of nothing but stop words keeps them; one without letters and digits has no terms.
    """
    every = words(text)
    telling = [word for word in every if word not in STOP_WORDS] or every
    found: list[str] = []
    for word in telling:
        if word.isascii():
            found.append(stem(word) if word.isalpha() else word)
        else:
            rest = 0
            for run in _UNSPACED.finditer(word):
                found.extend(part for part in (word[rest : run.start()],) if part)
                found.extend(_pairs(run.group()))
                rest = run.end()
            found.extend(part for part in (word[rest:],) if part)
    return found

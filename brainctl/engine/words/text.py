"""How words are read: the one chain behind the index, the query, and the comparing of names.

Compatibility forms are folded (NFKC), then case, then accents; words are letters and digits, so what comes out
can never be the syntax of a search engine. Plain ASCII takes a short way to the same end; all else is in `scripts`.
"""

import re
from typing import Final

from brainctl.engine.words.irregular import PLAIN
from brainctl.engine.words.stem import stem

_STOP_WORDS: Final = """
    a about after again all also am an and any are as at be because been before being between both but by can cant
    could couldnt did didnt do does doesnt doing dont during each few for from further had has hasnt have havent
    having he her here hers him his how i if im in into is isnt it its itself ive just me more most my no nor not
    now of off on once only or other our out over own same she should so some such than that thats the their them
    then there these they this those through to too under until up us very was wasnt we were what whats when where
    which while who whom whose why will with wont would you your
    """
STOP_WORDS: Final = frozenset(_STOP_WORDS.split())

_ASCII_WORD: Final = re.compile(r"\d+(?:[.,]\d+)+(?![a-z0-9])|[a-z0-9]+(?:'[a-z0-9]+)*")
# Written as text and compiled at first use: most queries hold no number.
_THOUSANDS: Final = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?:\.\d{3}){2,}"
_DECIMAL: Final = r"(\d{1,3}(?:,\d{3})+|\d+)[.,](\d+)"


def _number(written: str) -> list[str]:
    """`1,500.00` is 1500, `3,5` is 3.5, and `14.09.2026` is three numbers. The point is written `·`."""
    if "." not in written and "," not in written:
        bare = written[:-2] if written.endswith(("st", "nd", "rd", "th")) else written
        return [bare if bare.isdigit() else written]
    if re.fullmatch(_THOUSANDS, written):
        return [re.sub(r"\D", "", written)]
    if decimal := re.fullmatch(_DECIMAL, written):
        whole, fraction = decimal[1].replace(",", ""), decimal[2].rstrip("0")
        return [f"{whole}·{fraction}" if fraction else whole]
    return re.split(r"[.,]", written)


def _without_leading_zeros(number: str) -> str:
    bare = number.lstrip("0")
    return bare if bare[:1].isalnum() else f"0{bare}"


def words(text: str) -> list[str]:
    """The folded words of a text, in order; a possessive `'s` is dropped, and so are leading zeros."""
    if text.isascii():
        raw: list[str] = _ASCII_WORD.findall(text.lower())
    else:
        from brainctl.engine.words.scripts import raw_words

        raw = raw_words(text)
    found: list[str] = []
    for word in raw:
        if word[0].isdigit():
            # 5'6 is two numbers, and 1990's is one.
            for part in word.removesuffix("'s").split("'"):
                found.extend(map(_without_leading_zeros, _number(part)))
        else:
            found.append(word.removesuffix("'s").replace("'", "") if "'" in word else word)
    return found


def fold(name: str) -> str:
    """The form in which two writings of a name are equal: its folded words, one blank between them."""
    return " ".join(words(name)) or " ".join(name.casefold().split())


def terms(text: str) -> list[str]:
    """What a text is found by: its stemmed words without stop words, and pairs of characters where a script puts
    no blanks. A text of nothing but stop words keeps them; one without letters and digits has no terms.
    """
    every = words(text)
    found: list[str] = []
    for word in [word for word in every if word not in STOP_WORDS] or every:
        if word.isascii():
            found.append(stem(PLAIN.get(word, word)) if word.isalpha() else word)
        else:
            from brainctl.engine.words.scripts import parts_of

            found.extend(parts_of(word))
    return found

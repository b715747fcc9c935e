"""The form in which two tellings of one claim are equal."""

import unicodedata
from typing import Final

_UNIFIED: Final = str.maketrans(
    dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc\u00b4`", "'")
    | dict.fromkeys("\u201c\u201d\u201e\u201f\u2033\u00ab\u00bb", '"')
    | dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u00ad", "-")
)
_ENDINGS: Final = " .!;,:\u2026\u3002"
_PASSES: Final = 4


def normalise(text: str) -> str:
    """The text without what does not change its meaning: case, form of letters, blanks, kind of quote or dash, and
    the stop at its end. A question mark stays, since a question is not a claim. Idempotent.
    """
    for _ in range(_PASSES):
        once = _normalised_once(text)
        if once == text:
            break
        text = once
    return text


def _normalised_once(text: str) -> str:
    if not text.isascii():
        text = unicodedata.normalize("NFKC", text.translate(_UNIFIED)).translate(_UNIFIED)
    text = text.casefold().translate(_UNIFIED)
    plain = text if text.isprintable() else "".join(_visible(character) for character in text)
    joined = " ".join(plain.split())
    return joined.rstrip(_ENDINGS) or joined


def _visible(character: str) -> str:
    if character.isprintable():
        return character
    # Format characters (zero-width blanks, direction marks) stand between letters without parting them.
    return "" if unicodedata.category(character) == "Cf" else " "

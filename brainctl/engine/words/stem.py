"""English word stems after M. F. Porter, "An algorithm for suffix stripping" (Program 14, 1980), with the two
corrections of its author's own later version (`bli`, `logi`).
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

_STEP_2: Final = {
    "ational": "ate",
    "tional": "tion",
    "enci": "ence",
    "anci": "ance",
    "izer": "ize",
    "bli": "ble",
    "alli": "al",
    "entli": "ent",
    "eli": "e",
    "ousli": "ous",
    "ization": "ize",
    "ation": "ate",
    "ator": "ate",
    "alism": "al",
    "iveness": "ive",
    "fulness": "ful",
    "ousness": "ous",
    "aliti": "al",
    "iviti": "ive",
    "biliti": "ble",
    "logi": "log",
}
_STEP_3: Final = {
    "icate": "ic",
    "ative": "",
    "alize": "al",
    "iciti": "ic",
    "ical": "ic",
    "ful": "",
    "ness": "",
}
_STEP_4_ENDINGS: Final = "al ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize"
_STEP_4: Final = dict.fromkeys(_STEP_4_ENDINGS.split(), "") | {"sion": "s", "tion": "t"}


def _shape(stem: str) -> str:
    """A letter a letter: `c` for a consonant, `v` for a vowel; `y` is a vowel after a consonant."""
    shape = ""
    for letter in stem:
        vowel = letter in "aeiou" or (letter == "y" and shape.endswith("c"))
        shape += "v" if vowel else "c"
    return shape


def _measure(stem: str) -> int:
    return _shape(stem).count("vc")


def _ends_short(stem: str) -> bool:
    return _shape(stem).endswith("cvc") and stem[-1] not in "wxy"


def _replaced(word: str, table: Mapping[str, str], more_than: int) -> str:
    """The word with the longest ending the table knows replaced, where enough is left before it."""
    for length in range(min(7, len(word) - 1), 1, -1):
        ending = word[-length:]
        if ending in table:
            new_ending = table[ending]
            kept = word[:-length]
            # -ion falls only after s or t, and those letters belong to what is measured
            measured = kept + new_ending if ending in ("sion", "tion") and table is _STEP_4 else kept
            return kept + new_ending if _measure(measured) > more_than else word
    return word


def _without_past_or_progress(word: str) -> str:
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    kept = word.removesuffix("ed") if word.endswith("ed") else word.removesuffix("ing")
    if kept == word or "v" not in _shape(kept):
        return word
    if kept.endswith(("at", "bl", "iz")):
        return kept + "e"
    if len(kept) > 1 and kept[-1] == kept[-2] and _shape(kept)[-1] == "c" and kept[-1] not in "lsz":
        return kept[:-1]
    if _measure(kept) == 1 and _ends_short(kept):
        return kept + "e"
    return kept


@lru_cache(maxsize=20_000)
def stem(word: str) -> str:
    """The stem of a lower-case ASCII word; anything of one or two letters is its own stem."""
    if len(word) <= 2:
        return word
    if word.endswith(("sses", "ies")):
        word = word[:-2]
    elif word.endswith("s") and not word.endswith("ss"):
        word = word[:-1]
    word = _without_past_or_progress(word)
    if word.endswith("y") and "v" in _shape(word[:-1]):
        word = word[:-1] + "i"
    word = _replaced(word, _STEP_2, 0)
    word = _replaced(word, _STEP_3, 0)
    word = _replaced(word, _STEP_4, 1)
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _ends_short(word[:-1])):
            word = word[:-1]
    if word.endswith("ll") and _measure(word) > 1:
        word = word[:-1]
    return word

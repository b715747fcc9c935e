"""WordPiece as BERT's lower-case models were trained with it: text to the numbers of its pieces.

Words are split at blanks and around punctuation and Chinese characters, lower-cased and stripped of accents; a word
becomes the longest pieces the vocabulary has, from left to right.
"""

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import Final

_CHINESE: Final = (
    (0x3400, 0x4DBF),
    (0x4E00, 0x9FFF),
    (0xF900, 0xFAFF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2CEAF),
    (0x2F800, 0x2FA1F),
)
_LONGEST_WORD: Final = 100
_INSIDE: Final = "##"
"""What a piece that does not begin a word is marked with."""


def _stands_alone(character: str) -> bool:
    if character.isascii():
        return character.isprintable() and not character.isalnum() and character != " "
    place = ord(character)
    return unicodedata.category(character).startswith("P") or any(
        first <= place <= last for first, last in _CHINESE
    )


def _is_dropped(character: str) -> bool:
    return character == "\ufffd" or (
        unicodedata.category(character) in ("Cc", "Cf", "Cn", "Co", "Cs", "Mn") and character not in "\t\n\r"
    )


def split(text: str) -> Iterator[str]:
    """The words of a text, lower-cased and without accents; punctuation by itself."""
    word = ""
    for character in unicodedata.normalize("NFD", text.lower()):
        if character.isspace():
            if word:
                yield word
            word = ""
        elif _stands_alone(character):
            if word:
                yield word
            yield character
            word = ""
        elif not _is_dropped(character):
            word += character
    if word:
        yield word


class WordPieces:
    """A vocabulary in use. It remembers the words it has taken apart."""

    def __init__(self, vocabulary: Sequence[str]) -> None:
        self._numbers: Mapping[str, int] = {piece: number for number, piece in enumerate(vocabulary)}
        self._start, self._end, self._unknown = (self._numbers[name] for name in ("[CLS]", "[SEP]", "[UNK]"))
        self._known: dict[str, list[int]] = {}

    def numbers(self, text: str, most: int) -> list[int]:
        """The pieces' numbers, with the marks for start and end, at most so many; the end of the text is cut."""
        found: list[int] = []
        for word in split(text):
            found += self._of_word(word)
            if len(found) >= most - 2:
                break
        return [self._start, *found[: most - 2], self._end]

    def _of_word(self, word: str) -> list[int]:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._taken_apart(word)
        return known

    def _taken_apart(self, word: str) -> list[int]:
        if len(word) > _LONGEST_WORD:
            return [self._unknown]
        found: list[int] = []
        start = 0
        while start < len(word):
            mark = _INSIDE if start else ""
            for end in range(len(word), start, -1):
                number = self._numbers.get(mark + word[start:end])
                if number is not None:
                    found.append(number)
                    start = end
                    break
            else:
                return [self._unknown]
        return found


@cache
def bert_pieces() -> WordPieces:
    """The vocabulary of BERT's English lower-case models: 30,522 pieces."""
    lines = files(__package__).joinpath("vocabulary.txt").read_text(encoding="utf-8").split("\n")
    return WordPieces(lines[:-1])

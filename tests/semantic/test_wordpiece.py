"""WordPiece over a small vocabulary, and the whole one. No model is needed."""

import hashlib
from importlib.resources import files

import pytest

from brainctl.engine.semantic.wordpiece import WordPieces, bert_pieces, split

SMALL = [
    "[CLS]",
    "[SEP]",
    "[UNK]",
    "un",
    "##aff",
    "##able",
    "want",
    "##ed",
    "runn",
    "##ing",
    ",",
    "cafe",
    "退",
    "款",
]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Hello, World!", ["hello", ",", "world", "!"]),
        ("don't re-do", ["don", "'", "t", "re", "-", "do"]),
        ("Café  NAÏVE\tÜber", ["cafe", "naive", "uber"]),
        ("退款policy", ["退", "款", "policy"]),
        ("a\u200bb\x00c\ufffd", ["abc"]),
        ("“quoted”…", ["“", "quoted", "”", "…"]),
        ("", []),
        (" \n ", []),
    ],
)
def test_a_text_is_split_into_words(text: str, words: list[str]) -> None:
    assert list(split(text)) == words


def test_a_word_becomes_its_longest_pieces() -> None:
    pieces = WordPieces(SMALL)
    assert pieces.numbers("unaffable, wanted running", 20) == [0, 3, 4, 5, 10, 6, 7, 8, 9, 1]


def test_a_word_that_cannot_be_pieced_together_is_unknown() -> None:
    pieces = WordPieces(SMALL)
    assert pieces.numbers("unx café", 20) == [0, 2, 11, 1]
    assert pieces.numbers("want" * 30, 20) == [0, 2, 1]


@pytest.mark.parametrize("most", [2, 3, 5])
def test_a_long_text_loses_its_end_and_keeps_both_marks(most: int) -> None:
    numbers = WordPieces(SMALL).numbers("unaffable unaffable", most)
    assert numbers == [*[0, 3, 4, 5][: most - 1], 1]


def test_the_vocabulary_is_the_published_one() -> None:
    data = files("brainctl.engine.semantic").joinpath("vocabulary.txt").read_bytes()
    assert (
        hashlib.sha256(data).hexdigest() == "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"
    )


def test_known_numbers_come_out_of_it() -> None:
    assert bert_pieces().numbers("Hello, world!", 20) == [101, 7592, 1010, 2088, 999, 102]
    assert bert_pieces().numbers("embeddings", 20) == [101, 7861, 8270, 4667, 2015, 102]

import sqlite3

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainctl.engine.words.stem import stem
from brainctl.engine.words.text import fold, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Maria's wedding", ["maria", "wedding"]),
        ("O\u2019Brien\u2019s don't", ["obrien", "dont"]),
        ("refund-policy, C++ (x", ["refund", "policy", "c", "x"]),
        ("1,500.00 and 1.000.000", ["1500", "and", "1000000"]),
        ("3.50 = 3,5", ["3·5", "3·5"]),
        ("0.5 and 007", ["0·5", "and", "7"]),
        ("14.09.2026, 2026-07-01", ["14", "9", "2026", "2026", "7", "1"]),
        ("5'6, 0'0 and the 1990's", ["5", "6", "0", "0", "and", "the", "1990"]),
        ("September 14th, the 1st", ["september", "14", "the", "1"]),
        ("cust_419 90d 2nds", ["cust", "419", "90d", "2nds"]),
        ("CAFÉ cafe\u0301 Straße \uff21\uff22\uff23 ﬁne", ["cafe", "cafe", "strasse", "abc", "fine"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("a\x00b", ["a", "b"]),
        ("😀 !!! \u2028", []),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def test_an_accent_written_in_one_character_or_in_two_is_the_same_word() -> None:
    assert terms("caf\u00e9") == terms("cafe\u0301") == terms("CAFE") == ["cafe"]


def test_a_voiced_japanese_syllable_stays_another_one() -> None:
    assert words("か") != words("が")


def test_terms_are_stems_without_stop_words() -> None:
    assert terms("What is the refund policy for weddings?") == ["refund", "polici", "wed"]


def test_a_text_of_nothing_but_stop_words_keeps_them() -> None:
    assert terms("who are you") == ["who", "ar", "you"]


def test_scripts_without_blanks_are_read_in_pairs() -> None:
    assert terms("東京都のabc") == ["東京", "京都", "都の", "abc"]
    assert terms("税") == ["税"]
    assert set(terms("返金")) <= set(terms("結婚式の返金ポリシー"))


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Maria", "MARIA "),
        ("José  Díaz", "jose diaz"),
        ("O'Brien", "O\u2019Brien"),
        ("Maria", "\uff2d\uff41ria"),
    ],
)
def test_a_name_is_folded_to_one_form(name: str, other: str) -> None:
    assert fold(name) == fold(other)


def test_names_without_letters_stay_apart() -> None:
    assert fold("😀") != fold("🎈")


@given(st.text(max_size=200))
def test_terms_hold_nothing_but_letters_digits_and_marks(text: str) -> None:
    for term in terms(text):
        assert term
        assert not any(character.isspace() or character in "\"'*^()-+:{}\x00" for character in term)


@given(st.text(max_size=100), st.text(max_size=100))
def test_a_text_is_found_by_any_line_of_it(first: str, second: str) -> None:
    together = words(f"{first}\n{second}")
    assert together == words(first) + words(second)


@given(st.text(alphabet=st.characters(codec="ascii"), max_size=200))
def test_plain_text_is_read_alike_by_both_ways(text: str) -> None:
    marked = words(text + "\né")
    assert marked == [*words(text), "e"]


ROOTS = (
    "refund adopt relate deposit happy cancel organ notice measure fit control agree move fly roll sky tan fizz hiss "
    "general oscillat feed bled sing size troubl conflat hop fall fail fil activ vietnam probat cease homolog"
)
ENDINGS = "s es ed eed ing er ly li ness ful ation ational izer ment able ibli ive ous al ity aliti ence y logi ism ll"


def test_stems_are_those_of_sqlite() -> None:
    """SQLite has a stemmer of its own, after the same paper."""
    stems = [root + ending for root in ROOTS.split() for ending in ("", *ENDINGS.split())]
    every = [word + more for word in stems for more in ("", "s", "ly", "ed", "ing", "e")]
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE VIRTUAL TABLE stems USING fts5(word, tokenize = 'porter ascii')")
    connection.execute("CREATE VIRTUAL TABLE seen USING fts5vocab('stems', 'instance')")
    connection.executemany("INSERT INTO stems (rowid, word) VALUES (?, ?)", enumerate(every))
    theirs = dict(connection.execute("SELECT doc, term FROM seen"))
    connection.close()
    assert {word: theirs[place] for place, word in enumerate(every)} == {word: stem(word) for word in every}

"""What holds for every text."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from brainctl.engine.capture.claims import KnownFact, Names
from brainctl.engine.capture.lexicon import lexicon
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.capture.subject import LONGEST, judge_subject

NOBODY = Names(people=(), members=())
NAMES = Names(people=("maria", "ana lopez", "jose"), members=("tom becker", "lena"))

any_text = st.text(min_size=1, max_size=4000)
WORDS = """
the a Maria's deposit deposits is not now moved to 30 €40 September 14 instead of roses May will Grace no longer on
Mondays refund: 12:30 1,500 cust_419 non-refundable ? . , Mr. — half 2026-09-14 don't
"""
wordy_text = st.lists(st.sampled_from(WORDS.split()), min_size=1, max_size=30).map(" ".join)


def _known(text: str) -> KnownFact:
    claim = Pipeline().read(text, NAMES)
    return KnownFact("fact_1", text, claim.normal, claim.kind, claim.subject, 1)


@given(st.one_of(any_text, wordy_text))
def test_normalising_twice_changes_nothing(text: str) -> None:
    assert normalise(normalise(text)) == normalise(text)


@given(st.one_of(any_text, wordy_text))
@settings(deadline=None)
def test_a_text_repeats_itself(text: str) -> None:
    assert Pipeline().compare(Pipeline().read(text, NAMES), [_known(text)]).action == "skip"


@given(st.one_of(any_text, wordy_text), st.one_of(any_text, wordy_text))
@settings(deadline=None)
def test_any_two_texts_can_be_read_and_compared(first: str, second: str) -> None:
    claim = Pipeline().read(first, NAMES)
    verdict = Pipeline().compare(claim, [_known(second)])
    assert 0 < len(claim.subject) <= LONGEST
    assert claim.subject == claim.subject.strip()
    assert (verdict.fact_id is None) == (verdict.action == "create")


@given(
    wordy_text,
    wordy_text,
    st.sampled_from(("Maria", "maria", "MARIA", "María", "Ana  Lopez", "José", "Lena")),
)
@settings(deadline=None)
def test_a_text_with_a_registered_name_is_never_general(before: str, after: str, name: str) -> None:
    about = Pipeline().read(f"{before} {name} {after}", NAMES).about
    assert about == ("team" if name == "Lena" else "person")


@given(wordy_text, wordy_text)
@settings(deadline=None)
def test_a_text_with_a_colleagues_name_is_the_teams(before: str, after: str) -> None:
    assert Pipeline().read(f"{before}, Tom Becker {after}", NAMES).about == "team"


@given(wordy_text.filter(lambda text: "Grace" not in text), st.sampled_from(sorted(lexicon().given_names)))
@settings(deadline=None)
def test_a_given_name_in_any_case_is_never_general(text: str, name: str) -> None:
    for written in (name, name.capitalize(), name.upper()):
        assert Pipeline().read(f"The offer {text} {written} and more", NOBODY).about == "person"


@given(st.sampled_from(sorted(lexicon().words_and_given_names)))
def test_a_word_that_is_a_name_too_is_one_with_a_capital(name: str) -> None:
    assert Pipeline().read(f"The offer for {name.capitalize()} ends soon.", NOBODY).about == "person"
    assert judge_subject(name, NOBODY) == "person"


@given(any_text)
def test_any_subject_can_be_judged(subject: str) -> None:
    assert judge_subject(subject[:200], NAMES) in ("general", "person", "team", "worker")


@pytest.mark.parametrize(
    "text",
    [
        "a" * 4000,
        "a-" * 2000,
        "a'" * 2000,
        "1." * 2000,
        "+1 " * 1300,
        "@" * 4000,
        "a@" * 2000,
        "x_" * 2000,
        "\u0000" * 4000,
        "\U0001f600" * 4000,
        "on May 3 " * 440,
        "Maria " * 660,
        "not " * 1000,
        "\u0301" * 4000,
        "The " + "very " * 790,
    ],
)
def test_long_monotonous_texts_are_read(text: str) -> None:
    claim = Pipeline().read(text, NAMES)
    assert Pipeline().compare(claim, [_known(text)]).action == "skip"


def test_the_word_lists_share_no_word() -> None:
    known = lexicon()
    assert len(known.words) >= 1500
    assert len(known.given_names) >= 600
    assert not known.words & (known.given_names | known.words_and_given_names | known.words_and_family_names)
    assert not known.places & (known.words | known.given_names | known.words_and_given_names)
    assert not known.given_names & known.words_and_given_names

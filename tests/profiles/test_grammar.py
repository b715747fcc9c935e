"""How profiles and environments may be named."""

import pytest

from brainctl.contract.errors import BrainError
from brainctl.profiles.grammar import check_name, split_reference


@pytest.mark.parametrize("name", ["default", "support", "A", "_x", "9", "a-b_c", "x" * 64])
def test_names_that_are_taken(name: str) -> None:
    assert check_name(name, "profile") == name


@pytest.mark.parametrize(
    "name",
    [
        "",
        "a.b",
        "..",
        "caf\u00e9",
        "a/b",
        "x" * 65,
        "x" * 300,
        "-x",
        "--json",
        "a b",
        "a\n",
        "\u0661",
        "[/x]",
        "a\x1b[2J",
    ],
)
def test_names_that_are_refused_with_the_grammar(name: str) -> None:
    with pytest.raises(BrainError, match="A-Z a-z 0-9 _ and -") as caught:
        check_name(name, "profile")
    assert caught.value.code == "usage"
    assert "\x1b" not in caught.value.message


@pytest.mark.parametrize("text", ["ak_live_x7f4secret", "ak_test_x7f4secret", "ak_live_x7f4.secret"])
def test_a_key_given_as_a_name_is_refused_and_not_repeated(text: str) -> None:
    for check in (lambda: check_name(text, "profile"), lambda: split_reference(text)):
        with pytest.raises(BrainError, match="looks like an API key") as caught:
            check()
        assert "x7f4" not in str(caught.value)


def test_a_reference_may_name_the_environment() -> None:
    assert split_reference("support") == (None, "support")
    assert split_reference("dev/support") == ("dev", "support")
    for wrong in ("dev/", "/support", "a/b/c", "-/x"):
        with pytest.raises(BrainError, match="cannot be used"):
            split_reference(wrong)

"""No word of an answer is lost when it is laid out as Markdown."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.console import Console

from brainctl.cli.views.answer import markdown


def shown(text: str, width: int) -> str:
    """What is left of a text at this width, without its blanks."""
    console = Console(
        width=width, markup=False, emoji=False, highlight=False, color_system=None, no_color=True
    )
    with console.capture() as captured:
        console.print(markdown(text))
    lines = captured.get().split("\n")
    assert all(len(line) <= width for line in lines)
    return re.sub(r"[\s▌•│─━]+", "", "".join(lines))


MARKS = [
    "\n", "\n\n", " ", " ", "*", "**", "_", "`", "``", "```\n", "\n```\n", "~~~\n", "~~", "# ", "\n## ", "\n---\n", "\n===\n",
    "> ", "\n> ", "- ", "\n- ", "\n  - ", "\n1. ", "\n    ", "[", "](", ")", "![", "][", "]: ", "\n[", "<", ">", "</", "<!-- ",
    " -->", "|", "\n|", "|\n|---|---|\n|", "\\", "&", "\t", "<http://", "\n<div>\n", "\n+ ", "$", "^", "{", "}", "  \n", ":",
]  # fmt: skip


_FENCES = re.compile(r"(?:```|~~~).*")


@given(st.lists(st.one_of(st.sampled_from(MARKS), st.just(None)), max_size=60), st.integers(24, 100))
@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_word_is_there(parts: list[str | None], width: int) -> None:
    words = [f"q{number}z" for number in range(len(parts))]
    text = "".join(word if part is None else part for part, word in zip(parts, words, strict=True))
    # The word behind a fence names a language.
    named = {word for line in _FENCES.findall(text) for word in re.findall(r"q\d+z", line)}
    used = [word for part, word in zip(parts, words, strict=True) if part is None and word not in named]
    found = shown(text, width)
    assert [word for word in used if word not in found] == []


@pytest.mark.parametrize(
    "text",
    [
        "see [refund] and list[str] and [/items] :key: :smile:",
        "[1]: https://example.org/terms 'The terms'",
        "![a plan](https://example.org/plan.png)",
        "<b>bold</b> <script>x</script> <!-- hidden -->",
        ">" * 60 + " deep",
        "- " * 60 + "deep",
        "[" * 200 + "deep" + "]" * 200,
        "*" * 500 + "deep",
        "`" + "x" * 300 + "`",
        "|a|b|\n|---|---|\n|one|two|extra|`x || y`|\n",
        "| a | b |\n|---|---|\n| one |\n",
        "``` not a language but a sentence\ncode\n```",
        "```all",
    ],
)
def test_what_other_renderers_swallow_is_shown(text: str) -> None:
    for word in re.findall(r"\w+", text):
        assert all(piece in shown(text, 60) for piece in re.findall(".{1,20}", word))


def test_a_text_too_long_to_be_laid_out_is_shown_as_it_is() -> None:
    text = "".join(f"- item {number}\n" for number in range(3000))
    assert shown(text, 60) == re.sub(r"\s", "", text)

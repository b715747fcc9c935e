import re
from pathlib import Path

import pytest

from brainctl import __version__
from tests.docs.pages import ROOT, anchors, links, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_link_into_the_repository_leads_somewhere(page: Path) -> None:
    for target in links(page):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        there = page.parent / path if path else page
        assert there.exists(), f"{page.name} links to {target}"
        assert there.resolve().is_relative_to(ROOT)
        assert not anchor or anchor in anchors(there), f"{page.name} links to {target}"


def test_the_changelog_has_a_place_for_what_comes_next() -> None:
    headings = re.findall(r"^## \[(.+?)\]", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert len(headings) == len(set(headings))


def test_the_version_is_one_that_a_changelog_can_name() -> None:
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:(?:a|b|rc|\.dev)\d+)?", __version__)

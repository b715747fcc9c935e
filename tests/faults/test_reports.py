"""The page on the tests names tests that are there, and markers and folders as they are."""

import re
import tomllib
from pathlib import Path

TESTS = Path(__file__).parents[1]
PAGE = (TESTS / "README.md").read_text("utf-8")
ROWS = [row for row in PAGE.splitlines() if "::" in row]


def test_every_report_names_tests_that_are_there() -> None:
    assert len(ROWS) >= 50
    for row in ROWS:
        report, what, named = row.removeprefix("| ").removesuffix(" |").split(" | ")
        assert report
        assert what
        tests = re.findall(r"`([\w/]+\.py)::(\w+)`", named)
        assert len(tests) == named.count("::")
        for path, name in tests:
            assert re.search(rf"^def {name}\(", (TESTS / path).read_text("utf-8"), re.MULTILINE), (
                report,
                name,
            )


def test_every_folder_and_every_marker_is_told_of() -> None:
    folders = {each.name for each in TESTS.iterdir() if list(each.glob("test_*.py"))}
    settings = tomllib.loads((TESTS.parent / "pyproject.toml").read_text("utf-8"))
    markers = {each.split(":")[0] for each in settings["tool"]["pytest"]["ini_options"]["markers"]}
    told = {
        name for row in PAGE.splitlines() if row.startswith("| `") for name in re.findall(r"`(\w+)`", row)
    }
    assert folders | markers <= told

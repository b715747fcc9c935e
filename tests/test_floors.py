"""The floors that CI installs are the ones that the package declares."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]


def declared() -> dict[str, tuple[int, ...]]:
    """The floor of each dependency, those of the extras too, but for what only development needs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *(each for name in extras if name != "dev" for each in extras[name])]
    found = (re.match(r"([a-z0-9-]+)(?:\[[a-z]+\])?(?:>=|==)([0-9.]+)", each) for each in wanted)
    return {match[1]: version(match[2]) for match in found if match}


def version(text: str) -> tuple[int, ...]:
    """Three numbers, so that 0.34 is 0.34.0."""
    numbers = [int(number) for number in text.split(".")]
    return tuple([*numbers, 0, 0][:3])


def test_the_floors_that_are_tested_are_the_floors_that_are_declared() -> None:
    lines = (ROOT / "tests" / "floors.txt").read_text().splitlines()
    pinned = dict(line.split("==") for line in lines if line and not line.startswith("#"))
    assert {name: version(number) for name, number in pinned.items()} == declared()


def test_every_dependency_has_its_reason_above_it() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    inside = lines[lines.index("dependencies = [") + 1 :]
    for above, line in zip(["", *inside], inside[: inside.index("]")], strict=False):
        if line.strip().startswith('"'):
            assert above.strip().startswith("#"), line

"""The floors that CI installs are the ones that the package declares."""

import ast
import re
import sys
import tomllib
from importlib.metadata import distributions
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


def imported() -> set[str]:
    """What the program imports by itself and neither is its own nor comes with Python."""
    trees = (ast.parse(path.read_text("utf-8")) for path in (ROOT / "brainctl").rglob("*.py"))
    nodes = [node for tree in trees for node in ast.walk(tree)]
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module}
    # `_typeshed` is there for type checkers alone.
    return {name.split(".")[0] for name in names} - sys.stdlib_module_names - {"brainctl", "_typeshed"}


def test_whatever_the_program_imports_it_declares() -> None:
    installed = [each for each in distributions() if each.name.lower().replace("_", "-") in declared()]
    brought = {file.parts[0].removesuffix(".py") for each in installed for file in each.files or ()}
    assert imported() - brought == set()


def test_every_dependency_has_its_reason_above_it() -> None:
    lines = (ROOT / "pyproject.toml").read_text().splitlines()
    inside = lines[lines.index("dependencies = [") + 1 :]
    for above, line in zip(["", *inside], inside[: inside.index("]")], strict=False):
        if line.strip().startswith('"'):
            assert above.strip().startswith("#"), line

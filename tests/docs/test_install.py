"""The README's first line, in a clean clone and with nothing else installed."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, blocks

KEPT_OUT = ("ALFERA_", "BRAINCTL_", "COV", "PYTEST", "PYTHON", "VIRTUAL_ENV")


@pytest.mark.install
def test_the_first_line_installs_makes_a_brain_and_gets_an_answer(tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    copy_of_the_repository(clone)
    (line,) = next(blocks(ROOT / "README.md")).lines
    environ = {name: value for name, value in os.environ.items() if not name.startswith(KEPT_OUT)}
    done = subprocess.run(
        ["bash", "-c", line],
        cwd=clone,
        env={**environ, "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    *made, answer = done.stdout.splitlines()
    assert "environment\tlocal" in made
    assert "deposit" in answer


def test_ci_finds_the_readmes_line_that_passes_the_tests() -> None:
    with_the_word = [
        line for line in (ROOT / "README.md").read_text("utf-8").splitlines() if "pytest" in line
    ]
    second = list(blocks(ROOT / "README.md"))[1]
    assert second.lines == with_the_word[:1]
    assert second.language == "sh"


def copy_of_the_repository(to: Path) -> None:
    """Every file that a clone would have once what is here is committed."""
    if not (ROOT / ".git").exists():
        pytest.skip("this is no clone, so there is nothing to clone")
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    for name in filter(None, listed.stdout.split("\0")):
        if (ROOT / name).exists():
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, to / name)

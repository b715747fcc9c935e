import re

import pytest

from tests.docs.pages import ROOT

SESSIONS = re.findall(r"^def (\w+)\(session", (ROOT / "noxfile.py").read_text("utf-8"), re.MULTILINE)


def test_there_are_sessions() -> None:
    assert "lint" in SESSIONS


@pytest.mark.parametrize("session", SESSIONS)
def test_ci_runs_every_session_and_the_page_tells_of_it(session: str) -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert re.search(rf"- run: nox -s {session}\b", workflow)
    assert f"| `{session}` |" in (ROOT / "CONTRIBUTING.md").read_text("utf-8")


def test_ci_runs_nothing_besides() -> None:
    workflow = (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")
    assert {line.split()[0] for line in re.findall(r"- run: (.+)", workflow)} == {"pip", "nox"}

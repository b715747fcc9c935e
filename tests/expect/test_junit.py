"""The report that CI reads."""

import json
from pathlib import Path
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st

from brainctl.cli.checks.checking import Result
from brainctl.cli.checks.checks import Verdict, check_of
from brainctl.cli.views.expect import junit
from brainctl.contract.errors import BrainError
from tests.cli.hosted import inside
from tests.cli.shell import Shell


def result(name: str, *, holds: bool = False, message: str = "none", error: str | None = None) -> Result:
    check = check_of({"name": name, "query": name, "contains": name})
    if error is not None:
        return Result(check, None, BrainError("unreachable", error), 0.5)
    return Result(check, Verdict(holds, 1, None, None, message), None, 0.25)


def test_a_report_counts_failures_and_errors_apart() -> None:
    results = [result("a", holds=True), result("b"), result("c", error="Nobody there")]
    (suite,) = ET.fromstring(junit(results, "checks.jsonl"))
    assert {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped", "time")} == {
        "tests": "3",
        "failures": "1",
        "errors": "1",
        "skipped": "0",
        "time": "1.000",
    }
    assert [[child.tag for child in case] for case in suite] == [[], ["failure"], ["error"]]
    assert [case.get("classname") for case in suite] == ["checks.jsonl"] * 3
    assert suite[2][0].get("message") == "Nobody there"


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_any_text_makes_a_report_that_parses(name: str, message: str) -> None:
    report = junit([result(name or "x", message=message)], name).encode("utf-8", "replace")
    (suite,) = ET.fromstring(report)
    assert len(suite) == 1


def test_texts_come_out_as_they_went_in_but_for_control_characters() -> None:
    odd = "<b a=\"1\" c='2'>&amp;\t]]>\n\x00\x1b[31m\ufffe é \U0001f6b2"
    (suite,) = ET.fromstring(junit([result(odd)], "s").encode())
    assert suite[0].get("name") == "<b a=\"1\" c='2'>&amp;\t]]>\n[31m é \U0001f6b2"


def test_the_report_is_written_beside_what_is_printed(company: Shell, tmp_path: Path) -> None:
    checks = tmp_path / "checks.jsonl"
    checks.write_text(json.dumps({"query": "dogs", "contains": "cats"}))
    report = tmp_path / "report.xml"
    found = inside(company, "expect", "-f", str(checks), "--junit", str(report))
    assert found.code == 12
    assert found.out.startswith("failed\tdogs\t")
    (suite,) = ET.fromstring(report.read_bytes())
    assert (suite.get("name"), suite.get("failures")) == ("brainctl expect checks.jsonl", "1")
    assert suite[0].get("classname") == "checks.jsonl"


def test_a_report_that_cannot_be_written_is_said(company: Shell, tmp_path: Path) -> None:
    (tmp_path / "taken").symlink_to("/dev/full")
    found = inside(company, "expect", "dogs", "--contains", "dogs", "--junit", str(tmp_path / "taken"))
    assert found.code == 2
    assert "cannot be written: No space left on device" in found.err

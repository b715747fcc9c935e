"""Who captures: shown, chosen when a brain is made, and changed later."""

import json

from tests.cli.hosted import inside
from tests.cli.shell import Shell

WORKER = ("brain", "workers", "set", "main", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")


def test_the_rules_capture_unless_a_model_is_asked_for(shell: Shell) -> None:
    inside(shell, "brain", "init")
    shown = json.loads(inside(shell, "brain", "capture", "--json").out)
    assert shown == {"capture": "rules", "worker": None, "configured": None}
    assert json.loads(inside(shell, "brain", "stats", "--json").out)["capture"] == "rules"


def test_a_brain_may_be_made_to_capture_with_a_model_that_comes_later(shell: Shell) -> None:
    made = inside(shell, "brain", "init", "--capture", "model", "--json")
    assert json.loads(made.out)["capture"] == "model"
    assert "brainctl brain workers set main" in made.err
    shown = json.loads(inside(shell, "brain", "capture", "--json").out)
    assert shown == {"capture": "model", "worker": "main", "configured": False}
    taught = inside(shell, "teach", "Tea is at four.", "--verbose")
    assert taught.code == 0
    assert "Captured by the rules" in taught.err
    inside(shell, *WORKER)
    shown = inside(shell, "brain", "capture", "--json")
    assert json.loads(shown.out)["configured"] is True
    assert shown.err == ""


def test_it_is_changed_later_and_changed_back(shell: Shell) -> None:
    inside(shell, "brain", "init")
    inside(shell, *WORKER)
    done = inside(shell, "brain", "capture", "model", "--worker", "legal")
    assert "legal, not configured" in done.out
    assert json.loads(inside(shell, "brain", "stats", "--json").out)["capture"] == "model: legal"
    inside(shell, "brain", "init")
    assert json.loads(inside(shell, "brain", "capture", "--json").out)["worker"] == "legal"
    assert json.loads(inside(shell, "brain", "capture", "rules", "--json").out)["capture"] == "rules"


def test_what_is_neither_is_refused_before_anything_is_made(shell: Shell) -> None:
    assert inside(shell, "brain", "init", "--capture", "magic").code == 2
    assert inside(shell, "brain", "capture").code == 2
    inside(shell, "brain", "init")
    refused = inside(shell, "brain", "capture", "magic")
    assert refused.code == 2
    assert "rules or model" in refused.err
    assert inside(shell, "brain", "capture", "rules", "--worker", "main").code == 2

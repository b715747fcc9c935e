import json

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

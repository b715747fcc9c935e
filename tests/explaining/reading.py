"""What commands print as JSON, read."""

import json
from typing import Any

from tests.cli.hosted import inside
from tests.cli.shell import Shell


def said(shell: Shell, *arguments: str) -> Any:
    done = inside(shell, *arguments, "--json")
    assert done.code == 0, done.err
    return json.loads(done.out)


def teach(shell: Shell, *texts: str) -> tuple[int, int, int]:
    """Created, superseded, skipped."""
    reply = said(shell, "teach", *texts)
    return reply["created"], reply["superseded"], reply["skipped"]


def current(shell: Shell) -> dict[str, str]:
    """The ids of the current facts by their texts."""
    return {each["fact_text"]: each["fact_id"] for each in said(shell, "brain", "facts", "list")["facts"]}


def past(shell: Shell) -> dict[str, str]:
    return {
        each["fact_text"]: each["fact_id"]
        for each in said(shell, "brain", "facts", "list", "--past")["facts"]
    }

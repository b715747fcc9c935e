"""What is moved, and what came of it."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

HEADS: Final = ("Table", "Rows", "Digest")
THERE: Final = {
    "nothing": "Nothing of it is there yet, and nothing was moved now.",
    "a part": "A part of it is there already, and nothing was moved now: without --dry-run it goes on from there.",
    "all": "All of it is there already: without --dry-run it is used from there.",
}
"""What is told of a place by how much of the brain is there."""
_SHOWN: Final = 12
"""Digits of a digest that a person compares."""


def progress(doing: str, done: int, of: int) -> str:
    return f"{doing}: {done:,} of {max(done, of):,} rows"


def cells(tables: Sequence[Mapping[str, Any]], *, short: bool = False) -> list[list[str]]:
    """Tables as rows of text, in the order of `HEADS`; with `short`, digests are cut to their beginning."""
    return [
        [each["table"], str(each["rows"]), each["digest"][: _SHOWN if short else None]] for each in tables
    ]


def plan_cells(tables: Sequence[Mapping[str, Any]]) -> list[list[str]]:
    return [[each["table"], str(each["rows"])] for each in tables]


def old_one(store: str, workspace: str | None, *, is_file: bool) -> str:
    """How the store that a brain came from is removed."""
    if is_file:
        return (
            f"The old file is as it was: once you need it no longer, delete {store} and the files beside it "
            "whose names begin with its name."
        )
    return (
        "The old workspace is as it was: once you need it no longer, "
        f"`brainctl brain workspaces remove {workspace} --store {store}`."
    )

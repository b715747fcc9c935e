"""A brain of one's own as its owner sees it."""

from collections.abc import Mapping, Sequence
from typing import Any

from brainctl.contract.keys import masked

DAY = len("2026-07-14")
KEY_HEADS = ("Name", "Key", "Audience", "Scopes", "State", "Expires")


def init_pairs(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [
        ("brain", made["store"]),
        *([("workspace", made["workspace"])] if made["workspace"] else []),
        ("environment", made["environment"]),
        ("profile", f"{made['environment']}/{made['profile']}"),
        ("key", masked(made["key_prefix"])),
        ("facts", str(made["facts"])),
    ]


def new_key_pairs(made: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A key just made: the one time that a secret is shown."""
    return [
        ("secret", made["secret"]),
        ("name", made["key_name"]),
        ("audience", made["key_audience"]),
        ("scopes", ", ".join(made["scopes"])),
        ("expires", made["expires_at"] or "never"),
    ]


def key_cells(rows: Sequence[Mapping[str, Any]], *, days: bool = False) -> list[list[str]]:
    """Keys as rows of text, in the order of `KEY_HEADS`; with `days`, times are cut to their day."""
    return [
        [
            row["key_name"],
            masked(row["key_prefix"]),
            row["key_audience"],
            ", ".join(row["scopes"]),
            row["state"],
            (row["expires_at"] or "")[: DAY if days else None],
        ]
        for row in rows
    ]


WORKSPACE_HEADS = ("Workspace", "Facts", "Keys", "Answers", "Made")


def workspace_cells(rows: Sequence[Mapping[str, Any]], *, days: bool = False) -> list[list[str]]:
    """Workspaces as rows of text, in the order of `WORKSPACE_HEADS`; with `days`, times are cut to their day."""
    return [
        [
            row["workspace"],
            *(str(row[what]) for what in ("facts", "keys", "answers")),
            row["created_at"][: DAY if days else None],
        ]
        for row in rows
    ]


def removal(name: str, held: tuple[int, int, int]) -> str:
    """The question before a workspace goes with its facts, keys and answers."""
    counts = [
        f"{count:,} {noun}{'' if count == 1 else 's'}"
        for count, noun in zip(held, ("fact", "key", "answer"), strict=True)
    ]
    return f"Remove the workspace {name} with its {counts[0]}, {counts[1]} and {counts[2]}, for good?"


def person_row(person: tuple[str, str]) -> dict[str, str]:
    """A person's id and name, named as a request names an end user."""
    identity, name = person
    return {"id": identity, "name": name}

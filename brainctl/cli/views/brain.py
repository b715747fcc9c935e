"""A brain of one's own as its owner sees it."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Protocol

from brainctl.contract.keys import masked


class Key(Protocol):
    """A key as its brain keeps it; times are milliseconds since 1970."""

    @property
    def name(self) -> str: ...
    @property
    def prefix(self) -> str: ...
    @property
    def audience(self) -> str: ...
    @property
    def scopes(self) -> tuple[str, ...]: ...
    @property
    def created(self) -> int: ...
    @property
    def expires(self) -> int | None: ...
    @property
    def revoked(self) -> int | None: ...


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


def moment(milliseconds: int | None) -> str | None:
    """A time as the API writes it."""
    if milliseconds is None:
        return None
    whole = datetime.fromtimestamp(milliseconds / 1000, UTC)
    return whole.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def key_row(key: Key, now_ms: int) -> dict[str, Any]:
    """A key as a plain mapping, with whether it is live, revoked or expired."""
    state = "live"
    if key.revoked is not None:
        state = "revoked"
    elif key.expires is not None and now_ms >= key.expires:
        state = "expired"
    return {
        "key_name": key.name,
        "key_prefix": key.prefix,
        "key_audience": key.audience,
        "scopes": list(key.scopes),
        "state": state,
        "created_at": moment(key.created),
        "expires_at": moment(key.expires),
        "revoked_at": moment(key.revoked),
    }


def person_row(person: tuple[str, str]) -> dict[str, str]:
    """A person's id and name, named as a request names an end user."""
    identity, name = person
    return {"id": identity, "name": name}

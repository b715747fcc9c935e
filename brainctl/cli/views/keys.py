"""Keys and profiles as people and pipes read them. No view is ever handed a secret."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brainctl.cli.views import rows
from brainctl.contract.keys import masked

if TYPE_CHECKING:
    from rich.console import RenderableType


def identity(reply: Mapping[str, Any], source: str, address: str) -> list[tuple[str, str]]:
    """What whoami says of a key, and where on this machine the key came from, as name and value."""
    limit = reply.get("rate_limit")
    rate = (
        f"{limit.get('requests_per_window')} requests per {limit.get('window_seconds')} s"
        if isinstance(limit, Mapping)
        else ""
    )
    return [
        ("name", str(reply.get("key_name", ""))),
        ("key", masked(str(reply.get("key_prefix", "")))),
        ("audience", str(reply.get("key_audience", ""))),
        ("scopes", ", ".join(map(str, reply.get("scopes") or ()))),
        ("rate limit", rate),
        ("from", source),
        ("brain", address),
    ]


def where(address: str, workspace: str | None) -> str:
    """A brain's address, with its name in a store of several."""
    return f"{address} (workspace {workspace})" if workspace else address


def profile_line(row: Mapping[str, Any]) -> str:
    """One tab-separated line of a profile."""
    return rows.lines([_cells(row)])


def profile_table(found: Sequence[Mapping[str, Any]]) -> "RenderableType":
    heads = ("", "Environment", "Profile", "Key", "Audience", "Scopes", "Kept in")
    return rows.table(heads, [_cells(row) for row in found])


def profile_pairs(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """What is known of a profile, as name and value."""
    return [
        ("profile", f"{row['environment']}/{row['name']}"),
        ("current", "yes" if row["current"] else "no"),
        ("key", _key(row)),
        ("key name", row["key_name"] or ""),
        ("audience", row["key_audience"] or ""),
        ("scopes", ", ".join(row["scopes"] or ())),
        ("kept in", row["kept_in"]),
        ("brain", where(row["address"], row["workspace"])),
    ]


def current_line(current: Mapping[str, Any]) -> str:
    return rows.lines([[current["environment"], current["profile"] or ""]])


def _cells(row: Mapping[str, Any]) -> list[str]:
    return [
        "*" if row["current"] else "",
        row["environment"],
        row["name"],
        _key(row),
        row["key_audience"] or "",
        ", ".join(row["scopes"] or ()),
        row["kept_in"],
    ]


def _key(row: Mapping[str, Any]) -> str:
    return masked(row["key_prefix"]) if row["key_prefix"] else ""

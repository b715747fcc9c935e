"""What came of an export, an import or a backup."""

from collections.abc import Mapping
from typing import Any


def progress(doing: str, done: int, total: int) -> str:
    return f"{doing}: {done:,} of {max(done, total):,} lines"


def pairs(result: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Name and value; what there was none of is left out, but for facts."""
    return [
        (name.replace("_", " "), str(value))
        for name, value in result.items()
        if value or name in {"facts", "imported"}
    ]


def exported(counts: Mapping[str, int]) -> str:
    named = ", ".join(f"{name} {count:,}" for name, count in counts.items() if count)
    return f"Exported: {named}." if named else "Exported an empty brain."

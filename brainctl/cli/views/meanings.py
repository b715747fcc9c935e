"""Whether facts are found by their meaning too, in words."""

from typing import Any, Protocol


class Standing(Protocol):
    """What is known of it: `fault` says why the model cannot be used on this machine."""

    @property
    def wanted(self) -> bool: ...

    @property
    def ready(self) -> int: ...

    @property
    def pending(self) -> int: ...

    @property
    def indexing(self) -> bool: ...

    @property
    def fault(self) -> str | None: ...


def result(standing: Standing) -> dict[str, Any]:
    return {
        "semantic": "on" if standing.wanted else "off",
        "ready": standing.ready,
        "pending": standing.pending,
        "indexing": standing.indexing,
        "model": "installed" if standing.fault is None else standing.fault,
    }


def pairs(found: dict[str, Any]) -> list[tuple[str, str]]:
    total = found["ready"] + found["pending"]
    share = f" of {total:,} ({100 * found['ready'] // total} %)" if found["pending"] else ""
    now = ", being read now" if found["indexing"] else ""
    return [
        ("By meaning", found["semantic"]),
        ("Facts ready", f"{found['ready']:,}{share}"),
        ("Facts to come", f"{found['pending']:,}{now if found['pending'] else ''}"),
        ("Model", found["model"]),
    ]


def waiting(pending: int, *, started: bool) -> str:
    """What becomes of facts that wait."""
    facts = "1 fact waits" if pending == 1 else f"{pending:,} facts wait"
    how = "read in the background" if started else "read as the brain is used"
    return f"{facts} to be {how}; `brainctl brain semantic status` shows how far that is. Search works meanwhile."

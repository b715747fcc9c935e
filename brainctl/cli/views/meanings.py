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
    def fault(self) -> str | None: ...


def result(standing: Standing) -> dict[str, Any]:
    return {
        "semantic": "on" if standing.wanted else "off",
        "ready": standing.ready,
        "pending": standing.pending,
        "model": "installed" if standing.fault is None else standing.fault,
    }


def pairs(found: dict[str, Any]) -> list[tuple[str, str]]:
    return [
        ("By meaning", found["semantic"]),
        ("Facts ready", f"{found['ready']:,}"),
        ("Facts to come", f"{found['pending']:,}"),
        ("Model", found["model"]),
    ]

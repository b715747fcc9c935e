"""What came of a teaching."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from brainctl.cli.sanitise import cell

if TYPE_CHECKING:
    from rich.console import RenderableType

LABELS: Final = {
    "accepted_fact_count": "accepted",
    "created": "created",
    "superseded": "superseded",
    "skipped": "skipped",
}


def counters(reply: Mapping[str, Any]) -> str:
    """Name and count, tab-separated, one a line."""
    return "".join(f"{label}\t{reply.get(name, '')}\n" for name, label in LABELS.items())


def sentence(reply: Mapping[str, Any]) -> str:
    return ", ".join(f"{reply.get(name, 0)} {label}" for name, label in LABELS.items()) + "."


def table(reply: Mapping[str, Any]) -> "RenderableType":
    from rich.text import Text

    whole = Text()
    for place, (name, label) in enumerate(LABELS.items()):
        whole.append(" · " if place else "", style="dim")
        whole.append(str(reply.get(name, 0)), style="bold green" if label == "created" else "bold")
        whole.append(f" {label}")
    return whole


def texts(facts: Iterable[str]) -> str:
    """Facts to be taught, one a line."""
    return "".join(f"{cell(fact)}\n" for fact in facts)


def progress(done: int, count: int) -> str:
    return f"Teaching: {done} of {count} facts"

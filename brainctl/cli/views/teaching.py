"""What came of a teaching."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from brainctl.cli.sanitise import cell, json_text

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


DOCUMENT_END: Final = "]}\n"


def part_of_document(facts: Iterable[str], *, is_first: bool) -> str:
    """The next facts of a document that is too long to be held whole; `DOCUMENT_END` ends it."""
    rows = (json.dumps({"text": fact}, ensure_ascii=False, separators=(",", ":")) for fact in facts)
    return ('{"facts":[' if is_first else ",") + json_text(",".join(rows))


def progress(done: int, count: int) -> str:
    return f"Teaching: {done} of {count} facts"

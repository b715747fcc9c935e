"""A context packet as people read it."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from brainctl.cli.sanitise import terminal_text
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from rich.console import RenderableType


def parts_of(reply: Mapping[str, Any]) -> tuple[str, Any]:
    """The rendered packet and its version. Raises `bad_response` where there is none."""
    rendered = reply.get("rendered")
    if not isinstance(rendered, str):
        raise BrainError("bad_response", "The brain's reply holds no rendered packet: is this the Brain API?")
    return rendered, reply.get("packet_version")


def used(reply: Mapping[str, Any], budget: int, left_out: int | None) -> str:
    """What a packet used of its budget in tokens, and how many facts did not fit, where that is known."""
    # The API's own count: a token for every four characters.
    tokens = -(-len(reply["rendered"]) // 4)
    facts = reply.get("facts")
    count = len(facts) if isinstance(facts, list) else 0
    told = f"{tokens} of {budget} tokens used for {count} fact{'' if count == 1 else 's'}"
    if left_out is None:
        return f"{told}."
    if left_out <= 0:
        return f"{told}; none was left out."
    return f"{told}; {left_out} more did not fit: a larger --token-budget takes them in."


def packet(rendered: str) -> "RenderableType":
    """The packet as it is, its tags and headings set off by colour alone: what is copied is what a prompt gets."""
    from rich.text import Text

    whole = Text(no_wrap=True, overflow="ignore")
    for place, line in enumerate(terminal_text(rendered).split("\n")):
        if place:
            whole.append("\n")
        if line.startswith("- ["):
            mark, end, text = line.partition("] ")
            whole.append(mark + end, style="cyan")
            whole.append(text)
        elif line.startswith(("<workspace_memory", "</workspace_memory")):
            whole.append(line, style="dim")
        else:
            whole.append(line, style="bold" if line.endswith(":") else "")
    return whole

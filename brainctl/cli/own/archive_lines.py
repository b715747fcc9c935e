"""The lines of an archive on their way out."""

import json
from typing import TYPE_CHECKING, Final

from brainctl.cli.own.saving import Write
from brainctl.cli.sanitise import json_text
from brainctl.cli.views.archive import progress

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.engine.owner import Owner

_EVERY: Final = 1000
"""Lines that are written together."""
_COUNTED: Final = {
    "fact": "facts",
    "person": "people",
    "member": "members",
    "worker": "workers",
    "answer": "answers",
}


def written(session: "Session", owner: "Owner", write: Write, *, answers: bool) -> dict[str, int]:
    """Write all lines, and count them by what they are of."""
    counts = dict.fromkeys(_COUNTED.values(), 0)
    total = owner.line_count(answers=answers)
    lines: list[str] = []
    done = 0
    for record in owner.export(answers=answers):
        if record["type"] in _COUNTED:
            counts[_COUNTED[record["type"]]] += 1
        lines.append(json_text(json.dumps(record, ensure_ascii=False, separators=(",", ":"))))
        if len(lines) == _EVERY:
            done += len(lines)
            write("".join(f"{line}\n" for line in lines).encode())
            lines.clear()
            session.output.progress(progress("Exporting", done, total))
    write("".join(f"{line}\n" for line in lines).encode())
    return counts

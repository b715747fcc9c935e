"""What a brain comes to in numbers, as a page and as lines."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from brainctl.cli.sanitise import one_line
from brainctl.cli.views import drawing, rows
from brainctl.contract.keys import masked
from brainctl.contract.replies import FINISHED, UNFINISHED

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.text import Text

WIDE: Final = 76
"""From here on two lists of bars stand side by side."""
_PLOT_HEIGHT: Final = 5
_PLOT_WIDTH_MOST: Final = 100
_BAR_MOST: Final = 40
_LABEL_MOST: Final = 20
_SEEN_BY: Final = {
    "open_to_any_key": "any key",
    "internal_keys_only": "internal keys",
    "about_a_known_person": "who names them",
    "superseded": "nobody: replaced",
}
_NAMES: Final = ("people", "members", "workers", "capture", "credits", "bytes")


def lines(found: Mapping[str, Any]) -> str:
    """Section, name and value, tab-separated, one a line."""
    told: list[tuple[str, str, Any]] = [("brain", "name", found["brain"]), ("brain", "store", found["store"])]
    told += [("brain", name, found[name]) for name in _NAMES]
    told += [("facts", name, count) for name, count in found["facts"].items()]
    told += [("kind", row["kind"], row["facts"]) for row in found["kinds"]]
    told += [("origin", row["origin"], row["facts"]) for row in found["origins"]]
    told += [("growth", point["from"], point["total"]) for point in found["growth"]["points"]]
    for key in found["keys"]:
        told.append(("taught by", key["key_name"] or "the owner", key["facts_taught"]))
        told.append(("asked by", key["key_name"] or "the owner", key["answers_asked"]))
    told += [("answers", name, value) for name, value in found["answers"].items()]
    return rows.lines([(section, name, "" if value is None else str(value)) for section, name, value in told])


def page(found: Mapping[str, Any], width: int, *, blocks: bool) -> "RenderableType":
    """The page for a terminal of this width; without `blocks`, its bars are of plain ASCII."""
    from rich.console import Group

    half = (width - 4) // 2 if width >= WIDE else width
    kinds = _bars("By kind", ((row["kind"], row["facts"]) for row in found["kinds"]), half, blocks=blocks)
    origins = _bars(
        "By origin", ((row["origin"], row["facts"]) for row in found["origins"]), half, blocks=blocks
    )
    seen = _bars(
        "Seen by", ((name, found["facts"][field]) for field, name in _SEEN_BY.items()), half, blocks=blocks
    )
    answers = _answers(found["answers"], half, blocks=blocks)
    sections = [
        _head(found),
        *_beside(kinds, _stacked(origins, seen), width),
        *_growth(found["growth"], width, blocks=blocks),
        *_beside(_keys(found["keys"], half), answers, width),
    ]
    return Group(*sections)


def _head(found: Mapping[str, Any]) -> "Text":
    from rich.text import Text

    facts = found["facts"]
    parts = [
        _count(facts["current"], "fact"),
        f"{facts['pinned']:,} pinned" if facts["pinned"] else "",
        _count(found["people"], "person", "people"),
        _count(found["members"], "member"),
        _count(found["workers"], "worker") if found["workers"] else "",
        f"capture by {found['capture']}" if found["capture"] != "rules" else "",
        f"{_count(found['credits'], 'credit')} left" if found["credits"] is not None else "",
        _size(found["bytes"]) if found["bytes"] is not None else "",
    ]
    head = Text(one_line(found["brain"]), style="bold", overflow="fold")
    head.append(" · " + " · ".join(part for part in parts if part), style="not bold")
    return head


def _bars(title: str, counted: Iterable[tuple[str, int]], width: int, *, blocks: bool) -> "list[Text]":
    """A title, and a line with a bar for all that there is any of."""
    from rich.text import Text

    shown = [(one_line(name), count) for name, count in counted if count]
    if not shown:
        return []
    label = min(max(len(name) for name, _ in shown), _LABEL_MOST, width // 2)
    number = max(len(f"{count:,}") for _, count in shown)
    room = max(min(width - label - number - 3, _BAR_MOST), 1)
    most = max(count for _, count in shown)
    found = [Text(title, style="bold")]
    for name, count in shown:
        line = Text(no_wrap=True, overflow="crop")
        line.append(name[:label].ljust(label))
        line.append(f" {count:>{number},} ", style="bold")
        line.append(drawing.bar(count, most, room, blocks=blocks), style="cyan")
        found.append(line)
    return found


def _stacked(*parts: "list[Text]") -> "list[Text]":
    from rich.text import Text

    found: list[Text] = []
    for part in filter(None, parts):
        found += [Text(""), *part] if found else part
    return found


def _beside(left: "list[Text]", right: "list[Text]", width: int) -> "list[RenderableType]":
    """Two sections side by side, or one below the other where there is no room."""
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

    if not left or not right or width < WIDE:
        return [Text(""), *_stacked(left, right)] if left or right else []
    grid = Table.grid(padding=(0, 4, 0, 0), expand=True)
    grid.add_column(ratio=1)
    grid.add_column(ratio=1)
    grid.add_row(Group(*left), Group(*right))
    return [Text(""), grid]


def _growth(growth: Mapping[str, Any], width: int, *, blocks: bool) -> "list[RenderableType]":
    """How many facts there were, period after period."""
    from rich.text import Text

    points = growth["points"]
    if not points:
        return []
    total = f"{points[-1]['total']:,}"
    edge = "│" if blocks else "|"
    room = min(max(width - len(total) - 2, 1), _PLOT_WIDTH_MOST)
    values = drawing.spread([point["total"] for point in points], room)
    found = [Text(""), Text(f"Recorded, by {growth['period']}", style="bold")]
    for place, line in enumerate(drawing.plot(values, _PLOT_HEIGHT, blocks=blocks)):
        label = total if place == 0 else "0" if place == _PLOT_HEIGHT - 1 else ""
        row = Text(no_wrap=True, overflow="crop")
        row.append(f"{label:>{len(total)}} {edge}", style="dim")
        row.append(line.rstrip(), style="green")
        found.append(row)
    first, last = points[0]["from"], points[-1]["from"]
    dates = first if first == last else f"{first}{last:>{max(len(values) - len(first), len(last) + 1)}}"
    found.append(Text(" " * (len(total) + 2) + dates, style="dim", no_wrap=True, overflow="crop"))
    return list(found)


def _keys(keys: Iterable[Mapping[str, Any]], width: int) -> "list[Text]":
    from rich.text import Text

    found: list[Text] = []
    for key in keys:
        name = one_line(key["key_name"] or "the owner, without a key")
        line = Text(name, overflow="fold")
        if key["key_prefix"]:
            line.append(f" {masked(one_line(key['key_prefix']))}", style="dim")
        found.append(line)
        done = [
            f"{_count(key['facts_taught'], 'fact')} taught" if key["facts_taught"] else "",
            f"{_count(key['answers_asked'], 'answer')} asked for" if key["answers_asked"] else "",
        ]
        found.append(Text("  " + ", ".join(filter(None, done)), style="dim", overflow="fold"))
    return [Text("Busiest keys", style="bold"), *found] if found else []


def _answers(answers: Mapping[str, Any], width: int, *, blocks: bool) -> "list[Text]":
    from rich.text import Text

    counted = ((name.replace("_", " "), answers[name]) for name in (*UNFINISHED, *FINISHED))
    found = _bars("Answers", counted, width, blocks=blocks)
    if answers["median_seconds"] is not None:
        found.append(
            Text(
                f"half within {_time(answers['median_seconds'])}, "
                f"nine in ten within {_time(answers['p90_seconds'])}",
                style="dim",
                overflow="fold",
            )
        )
    return found


def _count(number: int, noun: str, plural: str = "") -> str:
    return f"{number:,} {noun if number == 1 else plural or f'{noun}s'}"


def _size(count: float) -> str:
    for unit in ("bytes", "kB", "MB", "GB"):
        if count < 1000 or unit == "GB":
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit == "bytes" or count >= 100 else f"{count:.1f} {unit}"


def _time(seconds: float) -> str:
    if seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    return f"{seconds:.1f} s" if seconds < 120 else f"{seconds / 60:.1f} min"

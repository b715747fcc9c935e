"""What the owner of a brain reads of its decisions."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from brainctl.cli.sanitise import cell, one_line
from brainctl.cli.views.facts import day, shown

if TYPE_CHECKING:
    from rich.console import RenderableType

_DID = {
    "create": "taught as new",
    "supersede": "taught in place of",
    "skip": "told again, and skipped",
    "restore": "restored",
}


def why(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A fact and each step that made it what it is, as name and value; what it has not is left out."""
    pairs = [
        ("text", row["fact_text"]),
        ("compared as", row["normal_form"]),
        ("kind", _by(row["kind"], row["kind_rule"])),
        ("subject", _by(shown(row["subject"]), row["subject_rule"])),
        ("about", " ".join(filter(None, (row["about"], shown(row["person_id"]))))),
        ("seen by", row["seen_by"].replace("_", " ")),
        *((each["time"][:10], did(each, row["fact_id"])) for each in row["decisions"]),
    ]
    if not row["decisions"]:
        pairs.append(("decided", "nothing: it was loaded as it is, or taught before decisions were kept"))
    if row["superseded_by"]:
        pairs.append(("replaced by", row["superseded_by"]))
    return [(name, value) for name, value in pairs if value]


def did(decision: Mapping[str, Any], fact_id: str) -> str:
    """What was decided, of this fact or of the one that replaced it, in a line."""
    by = f", told by {decision['told_by']}" if decision["told_by"] else ""
    if decision["fact_id"] != fact_id:
        return f"replaced by {decision['fact_id']}: it {decision['reason']}{by}"
    against = f" {decision['against']}" if decision["against"] else ""
    joint = ": it " if decision["action"] == "supersede" else ": "
    return f"{_DID[decision['action']]}{against}{joint}{decision['reason']}{by}"


def _by(value: str, rule: str | None) -> str:
    return f"{value} ({rule})" if value and rule else value


def history_lines(rows: Sequence[Mapping[str, Any]]) -> str:
    """Id, time, what replaced it, and text, tab-separated."""
    return "".join(
        "\t".join(
            cell(shown(value))
            for value in (row["fact_id"], row["recorded_time"], row["superseded_by"], row["fact_text"])
        )
        + "\n"
        for row in rows
    )


def history(rows: Sequence[Mapping[str, Any]]) -> "RenderableType":
    """A fact below the other, the oldest first, with what is decided of each."""
    from rich.console import Group
    from rich.text import Text

    lines: list[Text] = []
    for row in rows:
        is_past = bool(row["superseded_by"])
        lines.append(
            Text(one_line(shown(row["fact_text"])), style="dim" if is_past else "bold", overflow="fold")
        )
        told = Text("  ", style="dim", overflow="fold")
        told.append(row["fact_id"], style="cyan")
        told.append(f" · {day(row)} · {'replaced by ' + row['superseded_by'] if is_past else 'current'}")
        lines.append(told)
        lines += [
            Text(f"  {one_line(did(each, row['fact_id']))}", style="dim", overflow="fold")
            for each in row["decisions"]
        ]
    return Group(*lines)


def explain_lines(facts: Sequence[Mapping[str, Any]], withheld: Sequence[Mapping[str, Any]]) -> str:
    """Score or the rule that withholds, id, parts of the score or the rule's sentence, and text, tab-separated."""
    given = [
        (f"{fact['score']:.3f}", fact["fact_id"], parts(fact), shown(fact["fact_text"])) for fact in facts
    ]
    kept = [
        (fact["withheld_by"], fact["fact_id"], fact["why"], shown(fact["fact_text"])) for fact in withheld
    ]
    return "".join("\t".join(map(cell, line)) + "\n" for line in (*given, *kept))


def parts(fact: Mapping[str, Any]) -> str:
    """The parts of a score that are not nothing."""
    return " ".join(f"{name} {value:.3f}" for name, value in fact["parts"].items() if value)


def explain(facts: Sequence[Mapping[str, Any]], withheld: Sequence[Mapping[str, Any]]) -> "RenderableType":
    """What a key gets, then what is withheld from it."""
    from rich.console import Group
    from rich.text import Text

    lines: list[Text] = [Text("What the key gets" if facts else "The key gets nothing", style="bold")]
    for fact in facts:
        lines.append(Text(one_line(shown(fact["fact_text"])), overflow="fold"))
        lines.append(_below(fact, f"{fact['score']:.3f}: {parts(fact) or 'about the person named'}"))
    if withheld:
        lines += [Text(""), Text("What is withheld", style="bold")]
    for fact in withheld:
        lines.append(Text(one_line(shown(fact["fact_text"])), overflow="fold"))
        lines.append(_below(fact, f"{fact['withheld_by'].replace('_', ' ')}: {fact['why']}"))
    return Group(*lines)


def _below(fact: Mapping[str, Any], told: str) -> Any:
    from rich.text import Text

    line = Text("  ", style="dim", overflow="fold")
    line.append(fact["fact_id"], style="cyan")
    line.append(f" · {one_line(fact['kind'])} · {one_line(told)}")
    return line

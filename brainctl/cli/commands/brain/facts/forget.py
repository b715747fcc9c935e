from typing import TYPE_CHECKING, Annotated

import typer

from brainctl.cli.confirming import confirm
from brainctl.cli.own.fact_ids import given_ids
from brainctl.cli.own.own_brain import open_own
from brainctl.cli.own.owned import fact_rows
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import owned_facts as view
from brainctl.cli.waiting_line import WaitingLine

if TYPE_CHECKING:
    from brainctl.engine.owner import Owner

SHOWN = 10


def forget(
    context: typer.Context,
    fact_ids: Annotated[
        list[str] | None, typer.Argument(metavar="[FACT_ID]...", help="The ids of the facts.")
    ] = None,
    file: Annotated[
        str | None,
        typer.Option(
            "--file", "-f", metavar="FILE", help="Ids or JSON lines with a fact_id; - is standard input."
        ),
    ] = None,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove facts for good. All or none of them.

    \b
    Examples:
      brainctl brain facts forget fact_01k9p3v8m7f2ha6z0qc4rjxn5w
      brainctl search "Maria's address" -o jsonl | brainctl brain facts forget --file - --yes

    A fact leaves the store and its indexes, not only what is shown.
    What it had replaced goes with it, so that no older wording comes back.
    Answers given before stay as they were said, with the sources they name; so do backups and exports.
    """
    session = Session.of(context)
    output = session.checked_output()
    wanted = given_ids(session, fact_ids or [], file)
    with open_own(session) as owner:
        going = owner.what_would_go(wanted)
        if not yes:
            for line in _texts(owner, going, session.environment.columns()):
                output.note(line)
            confirm(session, _question(len(wanted), len(going) - len(wanted)), yes=yes)
        with WaitingLine(output, "Forgetting,"):
            gone = owner.forget(wanted)
    result = {"forgotten": gone.named, "earlier": gone.earlier, "answers_citing": gone.citing}
    everything = [*gone.named, *gone.earlier]
    output.result(
        result,
        plain=lambda: "".join(f"{fact_id}\n" for fact_id in everything),
        rows=[{"fact_id": fact_id, "named": fact_id in set(gone.named)} for fact_id in everything],
    )
    if gone.earlier:
        output.note(f"{_count(len(gone.earlier), 'older fact')} that they had replaced went with them.")
    if gone.citing:
        output.note(f"{_count(gone.citing, 'answer')} given before cites them, and stays as it was said.")
    if not gone.is_clean:
        output.warn(
            "Another process has the brain open, or this user may not write its tables anew: traces may lie in its "
            "store until that is over."
        )


def _texts(owner: "Owner", going: list[str], width: int) -> list[str]:
    found = [owner.fact(fact_id) for fact_id in going[:SHOWN]]
    lines = view.texts(fact_rows([each[0] for each in found if each], ()), width)
    return [*lines, f"  and {len(going) - SHOWN} more"] if len(going) > SHOWN else lines


def _question(named: int, earlier: int) -> str:
    older = f", and {_count(earlier, 'older one')} that they replaced," if earlier else ""
    return f"Forget {_count(named, 'fact')}{older} for good?"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}{'' if number == 1 else 's'}"


app = app_of(forget)

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import audit as view
from brainctl.cli.waiting_line import WaitingLine


def audit(context: typer.Context) -> None:
    """List the facts that deserve a second look, and why. Repeats, contradictions, old news, secrets and instructions.

    \b
    Examples:
      brainctl brain audit
      brainctl brain audit -o jsonl > found.jsonl
      jq -c 'select(.finding == "secret")' found.jsonl | brainctl brain facts forget --file -

    Nothing is changed. Of two facts that repeat or contradict each other, the older one is listed.
    Secrets are masked in what is printed; forgetting a fact takes them out of the brain.
    """
    from brainctl.engine.auditing import without_secrets

    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner, WaitingLine(output, "Looking,"):
        findings = owner.audit()
        beside = {each.beside: owner.fact(each.beside) for each in findings if each.beside}
    texts = {fact_id: fact[0].text for fact_id, fact in beside.items() if fact}
    found = [
        {
            "finding": each.sort,
            "fact_id": each.fact.fact_id,
            "fact_text": without_secrets(each.fact.text),
            "why": each.reason,
            "beside": each.beside,
            "beside_text": without_secrets(texts[each.beside]) if each.beside else None,
        }
        for each in findings
    ]
    output.result(
        {"findings": found},
        plain=lambda: view.lines(found),
        rich=lambda: view.blocks(found),
        rows=found,
    )
    if not found:
        output.note("Nothing was found.")


app = app_of(audit)

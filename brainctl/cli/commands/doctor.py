import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import doctor as view


def doctor(context: typer.Context) -> None:
    """Look for what is wrong with this set-up, and say what to do.

    \b
    Examples:
      brainctl doctor
      brainctl doctor --env staging
      brainctl doctor --json | jq -r '.findings[] | select(.state != "ok").message'

    It looks at the program, the files, the key, the way to the brain, and the brain. The exit code is 0 where
    nothing failed, else the one that a command would now exit with; a warning stops no command.
    """
    from brainctl.cli.diagnosis.examination import examine

    session = Session.of(context)
    output = session.checked_output()
    # What a command would warn of beside its work is a finding here, and said once.
    quiet = Session(session.environment)
    quiet.shared = session.shared._replace(quiet=True)
    findings = []
    output.progress("Looking …")
    try:
        for found in examine(quiet):
            findings.append(found)
            output.progress(f"Looked at {found.check}")
    finally:
        output.progress("")
        quiet.close()
    rows = [each.row() for each in findings]
    output.result(
        {
            "findings": rows,
            "failures": sum(each.state == "failure" for each in findings),
            "warnings": sum(each.state == "warning" for each in findings),
        },
        plain=lambda: view.lines(findings),
        rich=lambda: view.table(findings, output.environment.columns()),
        rows=rows,
    )
    if output.form == "human":
        output.note(view.summary(findings))
    code = next((each.exit_code for each in findings if each.state == "failure"), 0)
    if code:
        raise typer.Exit(code)


app = app_of(doctor)

import typer

from brainctl.cli.profile_rows import profile_row
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view


def list_profiles(context: typer.Context) -> None:
    """List the profiles, by environment.

    \b
    Examples:
      brainctl keys list
      brainctl keys list --env staging --json

    In a pipe each profile is one tab-separated line: current (*), environment, name, key, audience, scopes,
    where the key lies.
    """
    from brainctl.profiles.book import read_book

    session = Session.of(context)
    output = session.checked_output()
    book = read_book(session.environ)
    found = [
        profile_row(book, profile, session.environ) for profile in book.profiles(session.shared.environment)
    ]
    output.result(
        {"profiles": found},
        plain=lambda: "".join(view.profile_line(row) for row in found),
        rich=lambda: view.profile_table(found),
        rows=found,
    )
    if not found and output.form == "human":
        output.note(
            "There are no profiles yet: `brainctl keys add NAME` saves a key, `brainctl brain init` makes a brain."
        )


app = app_of(list_profiles)

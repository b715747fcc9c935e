from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from brainctl.cli.connect import proven
from brainctl.cli.profile_rows import profile_row
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import keys as view
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.profiles.entries import Environment, SecretPlace

PROMPT: Final = "Key: "


def add(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="NAME", help="What to call the profile.")],
    base_url: Annotated[
        str | None,
        typer.Option("--base-url", metavar="URL", help="The environment's address; makes a new environment."),
    ] = None,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="ADDRESS", help="The environment is a brain of your own, in this store."
        ),
    ] = None,
    from_stdin: Annotated[
        bool, typer.Option("--key-stdin", help="Read the key from standard input.")
    ] = False,
    variable: Annotated[
        str | None,
        typer.Option("--key-env", metavar="VAR", help="Read the key from this variable at each use."),
    ] = None,
    command: Annotated[
        str | None,
        typer.Option("--key-command", metavar="CMD", help="Get the key from this command at each use."),
    ] = None,
    check: Annotated[
        bool, typer.Option("--check/--no-check", help="Prove the key with whoami first.")
    ] = True,
) -> None:
    """Save a key as a profile.

    \b
    Examples:
      brainctl keys add support
      brainctl keys add ci --key-env ALFERA_CI_KEY
      brainctl keys add work --key-command "op read op://work/alfera/key"
      brainctl keys add dev --env staging --base-url https://brain.example.com
      brainctl keys add owner --env team --store postgresql://brain@db.example.com/brains

    Without --key-stdin, --key-env or --key-command you are asked for the key; nothing is shown as you type.
    """
    from brainctl.profiles.changes import plan_environment
    from brainctl.profiles.entries import PRODUCTION
    from brainctl.profiles.grammar import check_name

    session = Session.of(context)
    session.checked_output()
    check_name(name, "profile")
    if store is not None:
        environment, key = _of_store(session, store, base_url, from_stdin, variable, command)
        _save(session, environment, name, key, check=check, address_given=True)
        return
    environment = plan_environment(session.environ, session.shared.environment, base_url)
    if environment.store is not None and session.shared.environment is None:
        # A brain of one's own makes its own keys: a key from elsewhere is meant for elsewhere.
        environment = plan_environment(session.environ, PRODUCTION, base_url)
    key = _key(session, from_stdin, variable, command)
    _save(session, environment, name, key, check=check, address_given=base_url is not None)


def _of_store(
    session: Session,
    store: str,
    base_url: str | None,
    from_stdin: bool,
    variable: str | None,
    command: str | None,
) -> "tuple[Environment, str | SecretPlace]":
    """The environment of a brain of one's own, and a key of it, which tells which of several it is."""
    from brainctl.cli.own.own_brain import whole
    from brainctl.engine.workspaces import opened_by
    from brainctl.profiles.changes import plan_environment
    from brainctl.profiles.secret_places import read_secret

    if base_url is not None:
        raise BrainError("usage", "--store and --base-url exclude each other: give one.")
    key = _key(session, from_stdin, variable, command)
    secret = key if isinstance(key, str) else read_secret(session.environ, "", key).secret
    address = whole(store)
    environment = plan_environment(
        session.environ, session.shared.environment, store=address, workspace=opened_by(address, secret)
    )
    return environment, key


def _save(
    session: Session,
    environment: "Environment",
    name: str,
    key: "str | SecretPlace",
    *,
    check: bool,
    address_given: bool,
) -> None:
    from brainctl.profiles.book import read_book
    from brainctl.profiles.changes import add_profile

    output = session.output
    told: dict[str, Any] | None = None
    if check:
        told = dict(proven(session, environment, name, key, address_given=address_given))
    profile = add_profile(
        session.environ,
        environment,
        name,
        key,
        whoami=told,
        address_given=address_given,
        warn=output.warn,
    )
    row = profile_row(read_book(session.environ), profile, session.environ)
    output.result(row, plain=lambda: view.profile_line(row), rich=lambda: view.profile_table([row]))
    output.note(f"Saved {profile.slot}; its key lies in {row['kept_in']}.")


def _key(
    session: Session, from_stdin: bool, variable: str | None, command: str | None
) -> "str | SecretPlace":
    """The key itself, or where it is to be got at each use."""
    from brainctl.profiles.key_text import clean_secret
    from brainctl.profiles.secret_places import place_in_command, place_in_variable

    if from_stdin + (variable is not None) + (command is not None) > 1:
        raise BrainError("usage", "--key-stdin, --key-env and --key-command exclude each other: give one.")
    if variable is not None:
        return place_in_variable(variable)
    if command is not None:
        return place_in_command(command)
    environment = session.environment
    if from_stdin:
        return clean_secret(environment.read_stdin(), "The key on standard input")
    if environment.is_terminal(environment.stdin) and environment.is_terminal(environment.stderr):
        import getpass

        from brainctl.cli.echo import echo_off

        try:
            # A terminal that comes back from a shell shows again what is typed, which getpass does not see.
            with echo_off(environment.stdin, returned=lambda: session.output.prompt(PROMPT)):
                typed = getpass.getpass(PROMPT)
        except EOFError:
            typed = ""
        return clean_secret(typed, "The key")
    raise BrainError(
        "usage",
        "There is no terminal to ask for the key at: pipe it in with --key-stdin, or name where it is with "
        "--key-env or --key-command.",
    )


app = app_of(add)

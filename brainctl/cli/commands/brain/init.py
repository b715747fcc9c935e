import os
from typing import TYPE_CHECKING, Annotated

import typer

from brainctl.cli.commands.brain.capture import check_how
from brainctl.cli.own.own_brain import LOCAL, default_store, whole
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import brain as view
from brainctl.cli.views import capturing, rows
from brainctl.contract.bounds import AGENT_DEFAULT, SCOPES
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.engine.owner import Owner
    from brainctl.profiles.book import Book
    from brainctl.profiles.entries import Environment, Profile

OWNER: str = "owner"
"""The profile, and the key, that a brain's owner gets."""


def init(
    context: typer.Context,
    sample: Annotated[
        bool, typer.Option("--sample", help="Load a small company's facts to try things on.")
    ] = False,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="ADDRESS", help="Where it lies: a file, or postgresql://user@host/database."
        ),
    ] = None,
    workspace: Annotated[
        str | None,
        typer.Option("--workspace", metavar="NAME", help="What it is called in a database."),
    ] = None,
    capture: Annotated[
        str | None,
        typer.Option("--capture", metavar="rules|model", help="Who decides what becomes of a taught text."),
    ] = None,
) -> None:
    """Make a brain of your own. It is a file, an environment, and one internal key with every scope.

    \b
    Examples:
      brainctl brain init --sample
      brainctl brain init --env scratch         a second one, in an environment of its own
      brainctl brain init --env team --store postgresql://brain@db.example.com/brains
      brainctl brain init --capture model       with the model of the worker main, once it is configured

    Run again, it changes nothing that is there.
    In a PostgreSQL database it is a workspace, called as the environment unless --workspace says otherwise; a
    database holds many. Its password comes from PGPASSWORD, ~/.pgpass or a service file, never from the address.
    """
    from contextlib import nullcontext

    from brainctl.engine.store.opening import is_database
    from brainctl.profiles.files import locked
    from brainctl.profiles.grammar import check_name

    session = Session.of(context)
    output = session.checked_output()
    check_how(capture)
    name = session.shared.environment
    if name is None:
        name = session.environ.get("BRAINCTL_ENV") or LOCAL
    check_name(name, "environment")  # first of all, since the brain's file is named after it
    if workspace is not None:
        check_name(workspace, "workspace")
    book = _book(session)
    known = book.environment(name) if book.has_environment(name) else None
    if known is None:
        wanted = _new_environment(session, name, store, workspace)
    else:
        wanted = _known_environment(known, store, workspace)
    # Of two that make it at once, the second finds it made; a database sees to that itself.
    one_at_a_time = nullcontext() if is_database(wanted.store or "") else locked(wanted.store or "")
    with one_at_a_time, _opened(wanted, is_new=known is None) as owner:
        environment = book.plan(name, store=wanted.store, workspace=wanted.workspace)
        profile = _owner_profile(session, environment, owner)
        loaded = _load_sample(owner) if sample else 0
        count = owner.fact_count()
        if capture is not None:
            owner.capture_with(AGENT_DEFAULT if capture == "model" else None)
        model = owner.capture_model()
    made = {
        "environment": name,
        "store": environment.store,
        "workspace": environment.workspace,
        "profile": profile.name,
        "key_prefix": profile.key_prefix,
        "facts": count,
        "loaded": loaded,
        "capture": "model" if model else "rules",
    }
    pairs = view.init_pairs(made)
    output.result(made, plain=lambda: rows.pairs(pairs), rich=lambda: rows.pairs_table(pairs))
    if sample and not loaded:
        output.note("It holds facts already, so the sample was not loaded.")
    if capture == "model" and (missing := capturing.missing(model)):
        output.note(missing)
    now = _book(session)
    if now.current_environment != name:
        output.note(
            f"Commands still use the environment {now.current_environment}: add -e {name}, or `brainctl keys use --env {name}`."
        )
    output.note('Try: brainctl search "refund policy"')


def _book(session: Session) -> "Book":
    """The configuration; a damaged one counts as empty here, since adding to it keeps it aside."""
    from brainctl.profiles.book import Book, read_book
    from brainctl.profiles.files import DamagedFileError

    try:
        return read_book(session.environ)
    except DamagedFileError:
        return Book()


def _new_environment(session: Session, name: str, store: str | None, workspace: str | None) -> "Environment":
    from brainctl.engine.store.opening import is_database
    from brainctl.profiles.entries import Environment

    given = store or session.environ.get("BRAINCTL_STORE")
    address = whole(given) if given else default_store(session, name)
    if is_database(address):
        return Environment(name, store=address, workspace=workspace or name)
    if workspace is not None:
        raise BrainError(
            "usage", "--workspace names a brain in a database, and a file holds one brain: leave it out."
        )
    return Environment(name, store=address)


def _known_environment(known: "Environment", store: str | None, workspace: str | None) -> "Environment":
    """Raises `usage` where it is another brain than the one that is given."""
    if known.store is None:
        raise BrainError(
            "usage", f"The environment {known.name} is a brain elsewhere: choose another name with --env."
        )
    if (store is not None and whole(store) != known.store) or (
        workspace is not None and workspace != known.workspace
    ):
        called = f" ({known.workspace})" if known.workspace else ""
        raise BrainError(
            "usage",
            f"The environment {known.name} is the brain in {known.store}{called}: choose another name with --env.",
        )
    return known


def _opened(environment: "Environment", *, is_new: bool) -> "Owner":
    from brainctl.engine.owner import create_brain, open_owner
    from brainctl.engine.store.opening import is_database

    store = environment.store or ""
    if not is_database(store):
        return open_owner(store) if os.path.exists(store) else create_brain(store)
    workspace = environment.workspace or environment.name
    if is_new:
        return create_brain(store, workspace)
    try:
        return open_owner(store, workspace)
    except BrainError:
        # It may have been removed; where that is not why, making it fails for the same reason.
        return create_brain(store, workspace)


def _owner_profile(session: Session, environment: "Environment", owner: "Owner") -> "Profile":
    """The profile through which the owner uses the brain; made anew where its key is gone."""
    from brainctl.engine.local_brain import open_brain
    from brainctl.profiles.changes import add_profile
    from brainctl.profiles.secret_places import read_secret

    book = _book(session)
    if book.has_environment(environment.name):
        for profile in book.profiles(environment.name):
            if profile.name != OWNER:
                continue
            try:
                secret = read_secret(session.environ, profile.slot, profile.place).secret
                with open_brain(owner.store.address, secret) as brain:
                    brain.whoami()
            except BrainError:
                continue
            return profile
    taken = {key.name for key in owner.keys() if key.revoked is None}
    name = next(
        each for each in (OWNER, *(f"{OWNER}-{n}" for n in range(2, len(taken) + 3))) if each not in taken
    )
    new = owner.create_key(name, "internal", SCOPES)
    told = {
        "key_name": name,
        "key_prefix": new.key.prefix,
        "scopes": list(SCOPES),
        "key_audience": "internal",
    }
    return add_profile(session.environ, environment, OWNER, new.secret, whoami=told, warn=session.output.warn)


def _load_sample(owner: "Owner") -> int:
    """Load the sample company into an empty brain; 0 where it already holds facts."""
    from brainctl.engine import sample

    if owner.fact_count():
        return 0
    for person_id, name in sample.people():
        owner.add_person(person_id, name)
    for member in sample.members():
        owner.add_member(member)
    return owner.load_facts(sample.facts())


app = app_of(init)

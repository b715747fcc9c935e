"""The brain of one's own that a `brain` command is about."""

import os
from typing import TYPE_CHECKING, Final

from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.engine.owner import Owner
    from brainctl.profiles.entries import Environment

LOCAL: Final = "local"
"""The environment that `brain init` makes."""


def environment_of(session: "Session") -> str:
    """The environment meant: --env or BRAINCTL_ENV, else the current one if it is a brain of one's own, else `local`."""
    from brainctl.profiles.book import read_book

    named = session.shared.environment or session.environ.get("BRAINCTL_ENV")
    if named:
        return named
    book = read_book(session.environ)
    current = book.environment(book.current_environment)
    return current.name if current.store is not None else LOCAL


def open_own(session: "Session") -> "Owner":
    """That brain in its owner's hands. Raises `usage` for a brain that is somebody else's, or not made yet."""
    from brainctl.engine.owner import open_owner

    environment = own_environment(session)
    return open_owner(environment.store or "", environment.workspace)


def own_environment(session: "Session") -> "Environment":
    """The environment of that brain; it has a store. Raises `usage` as `open_own` does."""
    from brainctl.profiles.book import read_book

    name = environment_of(session)
    book = read_book(session.environ)
    if not book.has_environment(name):
        raise BrainError(
            "usage", f"There is no brain {name} on this machine yet: make one with `brainctl brain init`."
        )
    environment = book.environment(name)
    if environment.store is None:
        raise BrainError(
            "usage",
            f"The environment {name} is a brain elsewhere: its owner's commands work where its file or its database is.",
        )
    return environment


def store_of(session: "Session", given: str | None) -> str:
    """The store that a command is about: the one given, that of --env, that of BRAINCTL_STORE, else that of one's own.

    Raises `usage` where two are given.
    """
    if given is not None:
        if session.shared.environment is not None:
            raise BrainError("usage", "--store and --env each name a store: give one of them.")
        return whole(given)
    named = session.environ.get("BRAINCTL_STORE")
    if named and session.shared.environment is None:
        return whole(named)
    return own_environment(session).store or ""


def whole(store: str) -> str:
    """An address of a store, that of a file as an absolute path."""
    from brainctl.engine.store.opening import is_database

    return store if is_database(store) else os.path.abspath(store)


def default_store(session: "Session", environment: str) -> str:
    """Where `brain init` puts the file of a new brain."""
    from brainctl.profiles.paths import places

    return os.path.join(places(session.environ).data, f"{environment}.db")

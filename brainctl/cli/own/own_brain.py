"""The brain of one's own that a `brain` command is about."""

import os
from typing import TYPE_CHECKING, Final

from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.engine.owner import Owner

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
    """That brain in its owner's hands. Raises `usage` for a brain that is not on this machine, or not made yet."""
    from brainctl.engine.owner import open_owner
    from brainctl.profiles.book import read_book

    name = environment_of(session)
    book = read_book(session.environ)
    if not book.has_environment(name):
        raise BrainError(
            "usage", f"There is no brain {name} on this machine yet: make one with `brainctl brain init`."
        )
    store = book.environment(name).store
    if store is None:
        raise BrainError(
            "usage",
            f"The environment {name} is a brain elsewhere: its owner's commands work where its file is.",
        )
    return open_owner(store)


def default_store(session: "Session", environment: str) -> str:
    """Where `brain init` puts the file of a new brain."""
    from brainctl.profiles.paths import places

    return os.path.join(places(session.environ).data, f"{environment}.db")

"""The brains that one store holds: a database holds any number, each in a workspace of its own."""

import os
import time
from collections.abc import Callable
from contextlib import closing
from typing import Final, NamedTuple

from brainctl.contract.bounds import SCOPES
from brainctl.contract.errors import BrainError
from brainctl.engine import gate, times
from brainctl.engine.ids import Entropy
from brainctl.engine.store.archive import read_name
from brainctl.engine.store.keys import write_all_revoked
from brainctl.engine.store.opening import create_store, is_database, open_store
from brainctl.engine.store.store import Store, facts_of, keys_of
from brainctl.engine.store.workspaces import Held, count_held, delete_workspace, read_workspaces

OWNER: Final = "owner"
"""The key that a brain begins with."""


class Listed(NamedTuple):
    """A workspace and what it holds; `created` is milliseconds since 1970."""

    name: str
    created: int
    held: Held


def workspace_of(store: Store, name: str | None) -> int:
    """The workspace of this name; of a store that holds only one, that one. Raises `store_error`."""
    if not store.holds_many:
        return store.only_workspace()
    found = {each.name: each.workspace for each in store.named_workspaces()}
    if name is None and len(found) == 1:
        return next(iter(found.values()))
    if name in found:
        return found[name]
    what = "There are several workspaces" if name is None else f"There is no workspace {name}"
    raise BrainError(
        "store_error",
        f"{what} in {store.address}; `brainctl brain workspaces list` shows those there are",
    )


def list_workspaces(address: str) -> list[Listed]:
    """All of a store, by name. Raises `store_error`."""
    with closing(open_store(address)) as store, store.reading() as connection:
        return [
            Listed(each.name, each.created, count_held(connection, each.workspace))
            for each in read_workspaces(connection)
        ]


def create_workspace(
    address: str,
    name: str,
    *,
    clock: Callable[[], float] = time.time,
    entropy: Entropy = os.urandom,
) -> gate.NewKey:
    """Make an empty workspace, and its first key, which may do everything.

    Raises `usage` for a file, and `store_error`, also where the name is taken.
    """
    if not is_database(address):
        raise BrainError(
            "usage",
            f"{address} is a file, and a file holds one brain: make another one with "
            "`brainctl brain init --env NAME`.",
        )
    with closing(create_store(address, name, clock=clock, entropy=entropy)) as store:
        return gate.create_key(
            store,
            workspace_of(store, name),
            OWNER,
            "internal",
            SCOPES,
            now_ms=times.now_ms(clock()),
            entropy=entropy,
        )


def held_by(address: str, name: str) -> Held:
    """What a workspace holds. Raises `store_error` where there is none of this name."""
    with closing(open_store(address)) as store:
        workspace = workspace_of(store, name)
        with store.reading() as connection:
            return count_held(connection, workspace)


def remove_workspace(address: str, name: str) -> None:
    """Remove a workspace with all that it holds; its keys stop at once.

    Raises `usage` for a file, and `store_error` where there is none of this name.
    """
    if not is_database(address):
        raise BrainError(
            "usage", f"{address} is a file, and a file holds one brain: delete the file to remove that brain."
        )
    with closing(open_store(address)) as store:
        workspace = workspace_of(store, name)
        keys = keys_of(workspace)
        with store.transaction(keys) as connection:
            # On its own, so that nobody comes in while those are waited for who are at something.
            write_all_revoked(connection, workspace, times.now_ms(store.clock()))
        with store.transaction(facts_of(workspace), keys) as connection:
            connection.dialect.unhurried(connection)
            delete_workspace(connection, workspace)


def opened_by(address: str, secret: str) -> str | None:
    """The name of the workspace that a key opens in a store of several; None in one of a single brain.

    Raises the errors of a key that opens nothing, and `store_error`.
    """
    with closing(open_store(address)) as store:
        key = gate.admit(store, secret, times.now_ms(time.time()))
        if not store.holds_many:
            return None
        with store.reading() as connection:
            return read_name(connection, key.workspace)

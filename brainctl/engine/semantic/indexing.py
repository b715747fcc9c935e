"""Giving facts their vectors: a few at a time, beside all else that goes on."""

import time
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from brainctl.contract.errors import BrainError
from brainctl.engine import times
from brainctl.engine.semantic.model import DIGEST, Model, load_model
from brainctl.engine.semantic.vectors import packed
from brainctl.engine.store.indexing import is_indexing
from brainctl.engine.store.store import Store, facts_of
from brainctl.engine.store.vectors import (
    Pending,
    add_vectors,
    count_pending,
    count_vectors,
    read_model,
    read_pending,
    write_model,
)

_AT_A_TIME: Final = 32
CATCH_UP_SECONDS: Final = 0.1
"""How long a call may take longer for facts that are not yet found by their meaning: about ten of them."""


class Meanings(NamedTuple):
    """Whether facts are found by their meaning too, how many are ready for it and how many are not yet, whether some
    process sees to those now, and why the model cannot be used here, None where it can.
    """

    wanted: bool
    ready: int
    pending: int
    indexing: bool
    fault: str | None


def meanings(store: Store, workspace: int, *, clock: Callable[[], float] = time.time) -> Meanings:
    """How things stand."""
    fault = None
    try:
        load_model()
    except BrainError as error:
        fault = error.message
    with store.reading() as connection:
        wanted = read_model(connection, workspace) is not None
        return Meanings(
            wanted,
            count_vectors(connection, workspace),
            count_pending(connection, workspace) if wanted else 0,
            is_indexing(connection, workspace, times.now_ms(clock())),
            fault,
        )


def want_meanings(store: Store, workspace: int) -> None:
    """From now on facts get vectors. Raises `store_error` where the model cannot be used."""
    load_model()
    with store.transaction(facts_of(workspace)) as connection:
        connection.dialect.unhurried(connection)
        write_model(connection, workspace, DIGEST)


def drop_meanings(store: Store, workspace: int) -> None:
    """Remove all vectors; facts are found by their words alone."""
    with store.transaction(facts_of(workspace)) as connection:
        connection.dialect.unhurried(connection)
        write_model(connection, workspace, None)


def catch_up(
    store: Store,
    workspace: int,
    seconds: float | None = None,
    tell: Callable[[int], None] | None = None,
    *,
    clock: Callable[[], float] = time.monotonic,
) -> bool:
    """Give vectors to the facts that have none, for about so long, and say whether all have theirs.

    Others may read and write the brain meanwhile; what is done stays done. `tell` is told how many were done just now.
    Where vectors are not wanted there is nothing to do, and where the model cannot be used nothing is done. Raises
    `store_error` where the store cannot be written.
    """
    end = None if seconds is None else clock() + seconds
    model: Model | None = None
    while True:
        with store.reading() as connection:
            if read_model(connection, workspace) is None:
                return True
            pending = read_pending(connection, workspace, _AT_A_TIME)
        if not pending:
            return True
        if end is not None and clock() >= end:
            return False
        try:
            model = model or load_model()
        except BrainError:
            return False
        made: list[tuple[Pending, bytes]] = []
        for fact in pending:
            made.append((fact, packed(model.vector(described(fact)))))
            if end is not None and clock() >= end:
                break
        with store.transaction(facts_of(workspace)) as connection:
            if read_model(connection, workspace) == DIGEST:
                add_vectors(connection, workspace, made)
        if tell:
            tell(len(made))


def catch_up_in_passing(store: Store, workspace: int) -> None:
    """As `catch_up`, for who is about something else: it waits for no other process, and what it cannot do it leaves."""
    with store.impatient(), suppress(BrainError):
        catch_up(store, workspace, CATCH_UP_SECONDS)


def described(fact: Pending) -> str:
    """A fact as the model reads it."""
    return f"{fact.subject}: {fact.text}" if fact.subject else fact.text

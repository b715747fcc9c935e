"""A brain's store, whichever database keeps it: transactions, and the few reads that need no viewer."""

import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, ClassVar

from brainctl.engine.disclosure import Viewer
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.keys import KeyRow, read_key, read_keys
from brainctl.engine.store.people import Person, read_members, read_people
from brainctl.engine.store.reading import Remembered, View
from brainctl.engine.store.vectors import read_model, read_pending
from brainctl.engine.store.workspaces import WorkspaceRow, find_workspace, read_workspaces

if TYPE_CHECKING:
    from brainctl.engine.store.writing import Writing

Alone = tuple[str | int | None, ...]
"""The name of something that one transaction at a time may deal with: what it is, its workspace, and which one."""


def facts_of(workspace: int) -> Alone:
    """The facts of a workspace, and the people that they name."""
    return ("facts", workspace)


def keys_of(workspace: int) -> Alone:
    """The keys of a workspace, which may be revoked while its facts are written. Taken after the facts, if both are."""
    return ("keys", workspace)


class Store(ABC):
    """An open store. One thread's at a time; any number of processes may have it open.

    `address` is what it was opened by, and what other threads open it by. Everything raises `store_error` where the
    store cannot be used.
    """

    address: str
    holds_many: ClassVar[bool] = False
    """Whether it holds workspaces of several names; else one, whatever it is called."""
    _remembered: Remembered

    @abstractmethod
    def reading(self) -> AbstractContextManager[Connection]:
        """One state of the brain, however long it is looked at."""

    @abstractmethod
    def transaction(self, *alone: Alone) -> AbstractContextManager[Connection]:
        """All of what is written inside, or nothing; no other transaction deals with what is named meanwhile."""

    @abstractmethod
    def impatient(self) -> AbstractContextManager[None]:
        """Raise `store_error` at once where another process is writing, instead of waiting for it."""

    @abstractmethod
    def rewrite(self) -> bool:
        """Leave no trace, anywhere in the store, of what was taken out; False where that could not be done now."""

    @abstractmethod
    def identity(self) -> str:
        """The same for the same store by whatever address it was opened, and for no two others."""

    @abstractmethod
    def close(self) -> None: ...

    def clock(self) -> float:
        """Seconds since 1970, as all tell them who use this store."""
        return time.time()

    @abstractmethod
    def tell(self, connection: Connection, answer_id: str) -> None:
        """Once this transaction is written, let whoever listens know that an answer was queued or has ended."""

    def keeps_meanings(self, workspace: int) -> bool:
        """Whether facts are found by their meaning too."""
        with self.reading() as connection:
            return read_model(connection, workspace) is not None

    def awaits_meanings(self, workspace: int) -> bool:
        """Whether facts wait to be found by their meaning."""
        with self.reading() as connection:
            return read_model(connection, workspace) is not None and bool(
                read_pending(connection, workspace, 1)
            )

    @contextmanager
    def view(self, viewer: Viewer) -> Iterator[View]:
        """The facts that a viewer may see, in one state."""
        with self.reading() as connection:
            yield View(connection, viewer, self._remembered)

    @contextmanager
    def writing(self, workspace: int) -> "Iterator[Writing]":
        """A workspace's facts and people, for writing in one transaction."""
        # Most commands only read, and are spared what writing needs.
        from brainctl.engine.store.writing import Writing

        with self.transaction(facts_of(workspace)) as connection:
            yield Writing(connection, workspace)

    def key_by_digest(self, digest: bytes) -> KeyRow | None:
        with self.reading() as connection:
            return read_key(connection, digest)

    def keys(self, workspace: int) -> list[KeyRow]:
        """All keys, the revoked ones too, oldest first."""
        with self.reading() as connection:
            return read_keys(connection, workspace)

    def people(self, workspace: int) -> list[Person]:
        with self.reading() as connection:
            return read_people(connection, workspace)

    def members(self, workspace: int) -> list[str]:
        with self.reading() as connection:
            return read_members(connection, workspace)

    def fact_count(self, workspace: int) -> int:
        """How many current facts there are, about whomever: the owner's figure, and no viewer's."""
        with self.reading() as connection:
            connection.dialect.plan_for_one(connection)
            (count,) = connection.execute(
                "SELECT count(*) FROM facts WHERE workspace = ? AND superseded_by IS NULL", (workspace,)
            ).fetchone()
        return int(count)

    def named_workspaces(self) -> list[WorkspaceRow]:
        """All of them, by name."""
        with self.reading() as connection:
            return read_workspaces(connection)

    def workspace_named(self, name: str) -> int | None:
        """The workspace of this name; None where there is none."""
        with self.reading() as connection:
            found = find_workspace(connection, name)
        return found and found.workspace

    def workspaces(self) -> list[int]:
        """All workspaces, the oldest first."""
        with self.reading() as connection:
            rows = connection.execute("SELECT workspace FROM workspaces ORDER BY workspace").fetchall()
        return [workspace for (workspace,) in rows]

    def only_workspace(self) -> int:
        """The workspace of a store that holds no others."""
        with self.reading() as connection:
            (workspace,) = connection.execute("SELECT workspace FROM workspaces").fetchone()
        return int(workspace)

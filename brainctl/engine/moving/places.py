"""Where a brain is moved to. Until it is all there, it stands there under a name that nobody opens."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from brainctl.contract.errors import BrainError
from brainctl.engine.ids import Entropy
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.opening import create_store, find_store, is_database
from brainctl.engine.store.store import Store, facts_of
from brainctl.engine.store.workspaces import delete_workspace, read_workspace


def another_is_moving() -> BrainError:
    return BrainError(
        "store_error", "Another process is moving the same brain to the same place; run again when it is done"
    )


class Half:
    """A brain that is not all there yet: its store, its workspace, and the name that it has until then."""

    def __init__(self, store: Store, workspace: int, name: str) -> None:
        self.store = store
        self.workspace = workspace
        self.name = name

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction of its own. Raises `store_error` where another process was done first."""
        with self.store.transaction(facts_of(self.workspace)) as connection:
            now = read_workspace(connection, self.workspace)
            if now is None or now.name != self.name:
                raise another_is_moving()
            yield connection


class Place(ABC):
    """Where a brain of a name is to be. `mark` tells it from every other brain. Everything raises `store_error`."""

    def __init__(self, address: str, name: str, mark: str) -> None:
        self.address = address
        self.name = name
        self.mark = mark

    @property
    @abstractmethod
    def told(self) -> str:
        """The place, as a person is told of it."""

    @property
    @abstractmethod
    def way_on(self) -> str:
        """What to do where another brain has it."""

    @abstractmethod
    def there(self) -> tuple[Store, int] | None:
        """The open store of whatever brain has this place already, and its workspace; None where there is none."""

    @abstractmethod
    def begun(self) -> Half | None:
        """What an earlier move of this brain has left; None where there is nothing."""

    @abstractmethod
    def begin(self, clock: Callable[[], float], entropy: Entropy) -> Half:
        """Begin with nothing."""

    @abstractmethod
    def clear(self, half: Half) -> None:
        """Take away what was begun."""

    @abstractmethod
    def put_in_place(self, half: Half) -> None:
        """Once it was completed and has its name: let go of it, where everyone finds it."""

    @abstractmethod
    def tidy(self) -> None:
        """Where it has its place: take away what may be left of moving it."""


class FilePlace(Place):
    """A file. Until all is there, the file has another name beside its own."""

    @property
    def told(self) -> str:
        return self.address

    @property
    def way_on(self) -> str:
        return "give another path"

    def there(self) -> tuple[Store, int] | None:
        store = find_store(self.address)
        return (store, store.only_workspace()) if store else None

    def begun(self) -> Half | None:
        store = find_store(self._path)
        return self._half(store) if store else None

    def begin(self, clock: Callable[[], float], entropy: Entropy) -> Half:
        return self._half(create_store(self._path, self.name, clock=clock, entropy=entropy))

    def clear(self, half: Half) -> None:
        half.store.close()
        self.tidy()

    def put_in_place(self, half: Half) -> None:
        from brainctl.engine.store.sqlite.making import put_in_place

        half.store.close()
        put_in_place(self._path, self.address)

    def tidy(self) -> None:
        from brainctl.engine.store.sqlite.making import remove

        remove(self._path)

    @property
    def _path(self) -> str:
        return f"{self.address}.{self.mark}.moving"

    def _half(self, store: Store) -> Half:
        # It may have been named already by a run that got no further.
        [only] = store.named_workspaces()
        return Half(store, only.workspace, only.name)


class DatabasePlace(Place):
    """A workspace of a database. Until all is there, it has a name that no workspace can be given."""

    @property
    def told(self) -> str:
        return f"{self.address} under the name {self.name}"

    @property
    def way_on(self) -> str:
        return (
            "give another name with --workspace, or take that one away first with "
            "`brainctl brain workspaces remove`"
        )

    def there(self) -> tuple[Store, int] | None:
        return self._named(self.name)

    def begun(self) -> Half | None:
        found = self._named(self._until)
        return found and Half(*found, self._until)

    def begin(self, clock: Callable[[], float], entropy: Entropy) -> Half:
        store = create_store(self.address, self._until, clock=clock, entropy=entropy)
        workspace = store.workspace_named(self._until)
        if workspace is None:
            raise another_is_moving()
        return Half(store, workspace, self._until)

    def clear(self, half: Half) -> None:
        with closing(half.store), half.writing() as connection:
            connection.dialect.unhurried(connection)
            delete_workspace(connection, half.workspace)

    def put_in_place(self, half: Half) -> None:
        half.store.close()

    def tidy(self) -> None:
        """Nothing is left: the workspace was given its name."""

    @property
    def _until(self) -> str:
        return f"{self.name} (being moved here, {self.mark})"

    def _named(self, name: str) -> tuple[Store, int] | None:
        store = find_store(self.address)
        if store is None:
            return None
        workspace = store.workspace_named(name)
        if workspace is None:
            store.close()
            return None
        return store, workspace


def place_at(address: str, name: str, mark: str) -> Place:
    return (DatabasePlace if is_database(address) else FilePlace)(address, name, mark)

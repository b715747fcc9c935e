"""The people a brain knows."""

from typing import NamedTuple

from brainctl.engine.store.connection import Connection


class Person(NamedTuple):
    """A customer's id, and the name it is bound to."""

    person_id: str
    name: str


def read_people(connection: Connection, workspace: int) -> list[Person]:
    rows = connection.execute(
        "SELECT person_id, name FROM people WHERE workspace = ? ORDER BY person_id", (workspace,)
    )
    return [Person(*row) for row in rows]


def read_members(connection: Connection, workspace: int) -> list[str]:
    rows = connection.execute("SELECT name FROM members WHERE workspace = ? ORDER BY name_key", (workspace,))
    return [name for (name,) in rows]

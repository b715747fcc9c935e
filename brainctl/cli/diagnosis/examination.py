"""Looks at everything, in the order in which one thing needs another; nothing that goes wrong ends it."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from brainctl.cli.diagnosis import brain, files, key, program
from brainctl.cli.diagnosis.finding import Finding, broken, failure
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session

Look = Callable[[], Finding]


def examine(session: "Session") -> Iterator[Finding]:
    """Every finding as soon as it is made. What cannot be looked at, since something before it failed, is left out."""
    yield _at("program", partial(program.program, session))
    yield _at("extras", partial(program.extras, session))
    yield _at("completion", partial(program.completions, session))
    yield _at("configuration", partial(files.configuration, session))
    yield _at("folders", partial(files.folders, session))
    yield _at("file modes", partial(files.modes, session))
    found = _at("key", partial(key.key, session))
    yield found
    if found.state == "failure":
        return
    access = session.access
    if access.store is not None:
        yield from _own(session, access.store)
    elif access.base_url is not None:
        yield from _elsewhere(session, access.base_url)


def _own(session: "Session", store: str) -> Iterator[Finding]:
    from brainctl.engine.store.opening import is_database

    if is_database(store):
        from brainctl.cli.diagnosis.database import Database

        database = Database(store)
        reached = _at("database", database.reached)
        yield reached
        if reached.state == "failure":
            return
        yield _at("clock", database.clock)
    admitted = _at("whoami", partial(brain.whoami, session))
    yield admitted
    if admitted.state != "failure":
        yield _at("search", partial(brain.own_search, session, store))


def _elsewhere(session: "Session", base_url: str) -> Iterator[Finding]:
    # HTTP is loaded where there is a brain elsewhere.
    from brainctl.cli.diagnosis.road import Road

    road = Road(session, base_url)
    yield _at("label", partial(key.label, session))
    yield _at("proxy", road.proxy)
    yield _at("certificates", road.certificates)
    reached = _at("address", road.address)
    yield reached
    if reached.state != "failure":
        yield _at("clock", road.clock)
        yield _at("whoami", partial(brain.whoami, session))


def _at(check: str, look: Look) -> Finding:
    try:
        found = look()
    except BrainError as error:
        found = failure(error)
    except Exception as error:  # noqa: BLE001 - whoever is ill is not to be met with a traceback
        found = broken(error)
    return found._replace(check=check)

"""The configuration: environments, the profiles in them, and which of each is current."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import LABELS
from brainctl.profiles.addresses import PRODUCTION_URL, check_base_url
from brainctl.profiles.entries import (
    PRODUCTION,
    VERSION,
    Environment,
    Profile,
    ShapeError,
    check_shape,
    read_profile,
    unknown_of,
    write_profile,
)
from brainctl.profiles.files import DamagedFileError, locked, read_json, set_aside, write_json
from brainctl.profiles.grammar import check_name, split_reference
from brainctl.profiles.paths import config_file


class Book:
    """Environments and profiles as data. Changes stay in memory: `changing` reads, locks and writes.

    Every method raises `BrainError` (`usage`) for a name that is malformed, unknown or taken.
    Fields of the file that this version does not know are kept.
    """

    def __init__(self, content: dict[str, Any] | None = None) -> None:
        self.content: dict[str, Any] = {} if content is None else content
        check_shape(self.content)
        self._environments: dict[str, dict[str, Any]] = self.content.setdefault("environments", {})

    @property
    def current_environment(self) -> str:
        name = self.content.get("current")
        return name if isinstance(name, str) and self.has_environment(name) else PRODUCTION

    def has_environment(self, name: str) -> bool:
        return name == PRODUCTION or name in self._environments

    def environments(self) -> list[Environment]:
        """All of them, production first, the others by name."""
        others = sorted(name for name in self._environments if name != PRODUCTION)
        return [self.environment(name) for name in (PRODUCTION, *others)]

    def environment(self, name: str) -> Environment:
        check_name(name, "environment")
        if not self.has_environment(name):
            raise BrainError(
                "usage",
                f"There is no environment {name} here (there are: {', '.join(e.name for e in self.environments())}); "
                f"`brainctl keys add PROFILE --env {name} --base-url URL` makes it.",
            )
        entry = self._environments.get(name, {})
        current = entry.get("current")
        if current not in entry.get("profiles", {}):
            current = None
        if name == PRODUCTION:
            return Environment(name, PRODUCTION_URL, None, LABELS[0], current)
        return Environment(
            name,
            entry.get("base_url"),
            entry.get("store"),
            entry.get("label"),
            current,
            entry.get("workspace"),
        )

    def profiles(self, environment: str | None = None) -> list[Profile]:
        """The profiles of one environment, or of all, each environment's by name."""
        chosen = self.environments() if environment is None else [self.environment(environment)]
        return [
            self.profile(each.name, name) for each in chosen for name in sorted(self._profiles_of(each.name))
        ]

    def profile(self, environment: str, name: str) -> Profile:
        self.environment(environment)
        check_name(name, "profile")
        entry = self._profiles_of(environment).get(name)
        if entry is None:
            raise BrainError(
                "usage",
                f"There is no profile {name} in the environment {environment}: `brainctl keys list` shows those "
                f"there are, `brainctl keys add {name} --env {environment}` adds it.",
            )
        return read_profile(environment, name, entry)

    def find(self, reference: str, environment: str | None = None, prefer: str | None = None) -> Profile:
        """The profile meant by `NAME` or `ENVIRONMENT/NAME`.

        `environment` says where it must be. Without it a plain name is looked for in the environment `prefer`
        (the current one if that is not there), then everywhere, where it must be the only one of its name.
        """
        said, name = split_reference(reference)
        if said and environment and said != environment:
            raise BrainError(
                "usage",
                f"The profile {said}/{name} is not in the environment {environment}: give one of the two.",
            )
        if said or environment:
            return self.profile(said or environment or "", name)
        here = prefer if prefer and self.has_environment(prefer) else self.current_environment
        if name in self._profiles_of(here):
            return self.profile(here, name)
        elsewhere = [each.name for each in self.environments() if name in self._profiles_of(each.name)]
        if len(elsewhere) > 1:
            choices = " or ".join(f"{each}/{name}" for each in elsewhere)
            raise BrainError("usage", f"Several environments have a profile {name}: say {choices}.")
        return self.profile(elsewhere[0] if elsewhere else here, name)

    def is_current(self, profile: Profile) -> bool:
        """Whether a command uses this profile when nothing else is said."""
        current = self.environment(self.current_environment)
        return profile.environment == current.name and profile.name == current.current

    def plan(
        self,
        name: str,
        base_url: str | None = None,
        store: str | None = None,
        workspace: str | None = None,
    ) -> Environment:
        """The environment as it would be with this address: the one there is, or a new one. Changes nothing.

        An environment with profiles keeps its address, since their keys must not go elsewhere; production always.
        """
        check_name(name, "environment")
        address = check_base_url(base_url) if base_url is not None else None
        if not self.has_environment(name):
            if address is None and store is None:
                return self.environment(name)
            return Environment(name, address, store, workspace=workspace)
        there = self.environment(name)
        given = address, store, workspace
        if (address is None and store is None) or (there.base_url, there.store, there.workspace) == given:
            return there
        if name == PRODUCTION:
            raise BrainError(
                "usage",
                f"The address of production is {PRODUCTION_URL} and stays so: choose another --env name.",
            )
        if self._profiles_of(name):
            raise BrainError(
                "usage",
                f"The environment {name} has another address, and keys that belong there: choose another --env name, "
                "or remove its profiles first.",
            )
        return Environment(name, address, store, workspace=workspace)

    def add_environment(self, environment: Environment) -> Environment:
        """Make it, or give one without profiles its address; `label` is taken if given. Raises as `plan` does."""
        planned = self.plan(environment.name, environment.base_url, environment.store, environment.workspace)
        if planned.name != PRODUCTION:
            entry = self._environments.setdefault(planned.name, {})
            for field, value in (
                ("base_url", planned.base_url),
                ("store", planned.store),
                ("workspace", planned.workspace),
                ("label", environment.label or planned.label),
            ):
                if value is None:
                    entry.pop(field, None)
                else:
                    entry[field] = value
        return self.environment(planned.name)

    def move_environment(self, was: Environment, store: str, workspace: str | None) -> None:
        """Let the brain of an environment be in another store. Its keys have gone there with it."""
        now = self.environment(was.name)
        if (now.store, now.workspace) != (was.store, was.workspace):
            raise BrainError(
                "usage",
                f"The environment {was.name} was changed by another brainctl at this moment: run again.",
            )
        entry = self._environments[was.name]
        entry["store"] = store
        entry.pop("workspace", None)
        if workspace is not None:
            entry["workspace"] = workspace

    def add_profile(self, profile: Profile, label: str | None = None) -> None:
        """Add it, or replace the one of its name. `label` is what its key starts with, where that is known.

        It becomes the current one of an environment that had none; and its environment becomes current
        if nothing could be used until now. The first key of an environment also sets its label, and a key that
        starts otherwise takes it away.
        """
        check_name(profile.name, "profile")
        environment = self.environment(profile.environment)
        entry = self._environments.setdefault(profile.environment, {})
        profiles = entry.setdefault("profiles", {})
        if environment.name != PRODUCTION and label is not None:
            if not profiles.keys() - {profile.name}:
                entry["label"] = label
            elif environment.label != label:
                entry.pop("label", None)
        profiles[profile.name] = {**unknown_of(profiles.get(profile.name, {})), **write_profile(profile)}
        if environment.current is None:
            entry["current"] = profile.name
        if self.environment(self.current_environment).current is None:
            self.content["current"] = profile.environment

    def replace(self, profile: Profile) -> None:
        """Write down what is now known of a profile that is there; what is current stays so."""
        self.profile(profile.environment, profile.name)
        profiles = self._profiles_of(profile.environment)
        profiles[profile.name] = {**unknown_of(profiles[profile.name]), **write_profile(profile)}

    def use(self, environment: str, profile: str | None = None) -> Environment:
        """Make the environment current, and the profile current in it."""
        self.environment(environment)
        if profile is not None:
            self.profile(environment, profile)
            self._environments[environment]["current"] = profile
        self.content["current"] = environment
        return self.environment(environment)

    def rename(self, environment: str, old: str, new: str) -> Profile:
        """Give a profile another name; if it was current, it stays so. Returns it as it now is."""
        was = self.profile(environment, old)
        profiles = self._profiles_of(environment)
        if check_name(new, "profile") in profiles:
            raise BrainError(
                "usage",
                f"There is a profile {environment}/{new} already: remove it first, or choose another name.",
            )
        profiles[new] = profiles.pop(old)
        entry = self._environments[environment]
        if entry.get("current") == old:
            entry["current"] = new
        return was._replace(name=new)

    def remove(self, environment: str, name: str) -> Profile:
        """Take the profile out, and return it. No other becomes current in its place."""
        gone = self.profile(environment, name)
        del self._profiles_of(environment)[name]
        if self._environments[environment].get("current") == name:
            del self._environments[environment]["current"]
        return gone

    def remove_environment(self, name: str) -> list[Profile]:
        """Take the environment out with its profiles, and return those. Production stays."""
        if name == PRODUCTION:
            raise BrainError("usage", "The environment production is built in and cannot be removed.")
        gone = self.profiles(name)
        del self._environments[name]
        if self.content.get("current") == name:
            del self.content["current"]
        return gone

    def _profiles_of(self, environment: str) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self._environments.get(environment, {}).get("profiles", {})
        return found


def read_book(environ: Mapping[str, str]) -> Book:
    """The configuration as it is now; an empty book where there is none. Raises `BrainError` (`usage`, `fault`)."""
    path = config_file(environ)
    return _open(path, read_json(path) or {})


@contextmanager
def changing(
    environ: Mapping[str, str],
    warn: Callable[[str], None],
    written: Callable[[Book | None], None] = lambda _: None,
) -> Iterator[Book]:
    """The configuration, locked against every other process; what was changed is written when the block ends well.

    Instead of a damaged file the block gets an empty book. If it can work with that, the damaged file is kept aside
    under another name, as `warn` is told in a sentence; else it stays, and `DamagedFileError` is raised.
    `written` is told at the end, still under the lock, which book now stands in the file; None where that began anew,
    so that what it names is not all that there is. Raises `BrainError` (`usage`, `fault`).
    """
    path = config_file(environ)
    with locked(path):
        damaged = None
        try:
            content = read_json(path) or {}
        except DamagedFileError as error:
            damaged, content = error, {}
        book = _open(path, content)
        before = json.dumps(book.content)
        try:
            yield book
        except BrainError:
            if damaged:
                raise damaged from None
            raise
        if json.dumps(book.content) != before:
            if damaged:
                set_aside(path, warn)
            write_json(path, {"version": VERSION, **book.content})
        elif damaged:
            return
        written(None if damaged else book)


def _open(path: str, content: dict[str, Any]) -> Book:
    version = content.get("version", VERSION)
    if isinstance(version, int) and version > VERSION:
        raise BrainError(
            "usage",
            f"{path} was written by a newer brainctl (its version is {version}, this one knows {VERSION}): "
            "install a newer one, or let BRAINCTL_HOME name another folder.",
        )
    try:
        return Book(content)
    except ShapeError as problem:
        sentence = (
            f"{path} does not hold what it should: {problem}. Mend it by hand, or move it away to start anew."
        )
    raise BrainError("usage", sentence)

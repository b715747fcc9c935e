"""Which key a command uses, and for which brain."""

from collections.abc import Callable, Mapping

from brainctl.contract.errors import BrainError
from brainctl.profiles.addresses import PRODUCTION_URL, check_base_url
from brainctl.profiles.book import Book, read_book
from brainctl.profiles.entries import PRODUCTION, Environment, Profile
from brainctl.profiles.key_text import clean_secret
from brainctl.profiles.labels import refuse_foreign_label
from brainctl.profiles.no_home import NoHomeError
from brainctl.profiles.secret_file import Reading
from brainctl.profiles.secret_places import read_secret

_NO_KEY = (
    "No key is set. Set ALFERA_API_KEY to one, or save one with `brainctl keys add NAME`, "
    "or make a brain of your own on this machine with `brainctl brain init`."
)


class Access:
    """A key, and the brain that it opens: at `base_url`, or in a `store` of one's own; one of them is None.
    `workspace` is its name in a store that holds several.

    `environment` is its name (None for an address that only this call names), `profile` is None where the key
    comes from ALFERA_API_KEY. `source` says where the key comes from, `chosen_by` what made it this one.
    """

    __slots__ = (
        "_read",
        "_reading",
        "_warnings",
        "base_url",
        "chosen_by",
        "environment",
        "profile",
        "source",
        "store",
        "workspace",
    )

    def __init__(
        self,
        *,
        environment: str | None,
        profile: Profile | None,
        base_url: str | None,
        store: str | None,
        source: str,
        chosen_by: str,
        read: Callable[[], Reading],
        warnings: tuple[str, ...] = (),
        workspace: str | None = None,
    ) -> None:
        self.environment = environment
        self.profile = profile
        self.base_url = base_url
        self.store = store
        self.workspace = workspace
        self.source = source
        self.chosen_by = chosen_by
        self._read = read
        self._reading: Reading | None = None
        self._warnings = warnings

    def __repr__(self) -> str:
        return f"Access(environment={self.environment!r}, source={self.source!r})"

    def secret(self) -> str:
        """The key itself, got from where it lies the first time and remembered.

        Raises `BrainError`: `no_key` where it is not to be had, `usage` where it belongs to another host.
        """
        if self._reading is None:
            self._reading = self._read()
        return self._reading.secret

    @property
    def warnings(self) -> tuple[str, ...]:
        """Sentences for the user; complete once `secret` was called."""
        late = self._reading.warning if self._reading else None
        return (*self._warnings, late) if late else self._warnings


def choose(
    environ: Mapping[str, str],
    *,
    profile: str | None = None,
    environment: str | None = None,
    book: Callable[[], Book] | None = None,
) -> Access:
    """The access that the flags `profile` and `environment`, else the variables, else the configuration give.

    The first that is set wins: the flag profile (within the flag environment if both are given), the flag
    environment's current profile, ALFERA_API_KEY, BRAINCTL_PROFILE, BRAINCTL_ENV, the current environment. An empty
    variable is not set. `book` reads the configuration, and is not called where ALFERA_API_KEY decides.

    Raises `BrainError`: `no_key` where there is none, `usage` for a name or an address that cannot be used.
    """
    load = book or (lambda: read_book(environ))
    preferred = environ.get("BRAINCTL_ENV") or None
    if profile is not None:
        found = load()
        return _of_profile(environ, found, found.find(profile, environment, preferred), "--profile")
    if environment is not None:
        return _of_environment(environ, load(), environment, "--env")
    if key := environ.get("ALFERA_API_KEY"):
        return _of_variable(environ, key)
    if name := environ.get("BRAINCTL_PROFILE"):
        found = load()
        return _of_profile(environ, found, found.find(name, None, preferred), "BRAINCTL_PROFILE")
    if preferred:
        return _of_environment(environ, load(), preferred, "BRAINCTL_ENV")
    try:
        found = load()
    except NoHomeError as without:
        raise BrainError("no_key", f"{_NO_KEY} {without.message}") from None
    if not found.profiles():
        raise BrainError("no_key", _NO_KEY)
    return _of_environment(environ, found, found.current_environment, "the current environment")


def _of_variable(environ: Mapping[str, str], key: str) -> Access:
    secret = clean_secret(key, "The key in ALFERA_API_KEY", "no_key")
    environment, base_url = None, environ.get("BRAINCTL_BASE_URL")
    if base_url:
        # The address is this call's own, so the user's word about it stands, whatever the key's label.
        base_url = check_base_url(base_url, "The address in BRAINCTL_BASE_URL")
    else:
        environment, base_url = PRODUCTION, PRODUCTION_URL
        refuse_foreign_label(Environment(environment, base_url), secret)
    name = "the variable ALFERA_API_KEY"
    return Access(
        environment=environment,
        profile=None,
        base_url=base_url,
        store=None,
        source=name,
        chosen_by=name,
        read=lambda: Reading(secret),
    )


def _of_environment(environ: Mapping[str, str], book: Book, name: str, chosen_by: str) -> Access:
    environment = book.environment(name)
    if environment.current is None:
        there = ", ".join(each.name for each in book.profiles(name))
        way_on = (
            f"choose one of its profiles ({there}) with `brainctl keys use NAME --env {name}`"
            if there
            else f"save a key with `brainctl keys add NAME --env {name}`"
        )
        raise BrainError(
            "no_key",
            f"The environment {name} (from {chosen_by}) has no current profile: {way_on}; "
            "or set ALFERA_API_KEY, or make a brain of your own on this machine with `brainctl brain init`.",
        )
    return _of_profile(environ, book, book.profile(name, environment.current), chosen_by)


def _of_profile(environ: Mapping[str, str], book: Book, profile: Profile, chosen_by: str) -> Access:
    environment = book.environment(profile.environment)
    if environment.base_url is not None:
        # The file may have been edited by hand since the address was checked.
        address = check_base_url(environment.base_url, f"The address of the environment {environment.name}")
        environment = environment._replace(base_url=address)

    def read() -> Reading:
        reading = read_secret(environ, profile.slot, profile.place)
        refuse_foreign_label(environment, reading.secret)
        return reading

    warnings: tuple[str, ...] = ()
    if environ.get("BRAINCTL_BASE_URL"):
        warnings = (
            "BRAINCTL_BASE_URL is not used: it goes with ALFERA_API_KEY, and this key comes from a profile.",
        )
    return Access(
        environment=environment.name,
        profile=profile,
        base_url=environment.base_url,
        store=environment.store,
        source=f"the profile {profile.name} of the environment {profile.environment}",
        chosen_by=chosen_by,
        read=read,
        warnings=warnings,
        workspace=environment.workspace,
    )

"""Profiles and environments, and the form in which the configuration file holds them."""

import re
from typing import Any, Final, Literal, NamedTuple, get_args

from brainctl.contract.keys import LABELS
from brainctl.profiles.grammar import is_name

PRODUCTION: Final = "production"
VERSION: Final = 1

Kind = Literal["file", "keyring", "env", "command"]


class SecretPlace(NamedTuple):
    """Where a profile's secret lies: kept by us (`file`, `keyring`), or got at each use (`env`, `command`).

    `variable` is set for `env` alone, `command` (the words to run) for `command` alone.
    """

    kind: Kind
    variable: str | None = None
    command: tuple[str, ...] = ()


class Profile(NamedTuple):
    """A key on this machine. What is not known of it, since it was saved without asking the brain, is None."""

    environment: str
    name: str
    place: SecretPlace
    key_name: str | None = None
    key_prefix: str | None = None
    scopes: tuple[str, ...] | None = None
    key_audience: str | None = None

    @property
    def slot(self) -> str:
        """`ENVIRONMENT/NAME`: how the profile is written, and what its secret is filed under."""
        return f"{self.environment}/{self.name}"


class Environment(NamedTuple):
    """A brain: at `base_url`, or in a `store` of one's own (a file, or a database's address); one of them is None.

    `workspace` is the brain's name in a store that holds several. `label` is what its keys start with (`ak_live_` or `ak_test_`), where they all start alike.
    """

    name: str
    base_url: str | None = None
    store: str | None = None
    label: str | None = None
    current: str | None = None
    workspace: str | None = None


class ShapeError(ValueError):
    """The file is JSON, but not what it should be; says at which place, and what should be there."""


def check_shape(content: dict[str, Any]) -> None:
    """Raises `ShapeError` at the first thing in the file that brainctl cannot work with."""
    _expect(content.get("version", VERSION) == VERSION, f"version must be {VERSION}")
    _expect(isinstance(content.get("current", ""), str), "current must be a name")
    environments = content.get("environments", {})
    _expect(isinstance(environments, dict), "environments must be an object")
    for name, entry in environments.items():
        _expect(is_name(name), "environments holds a name that cannot be used")
        at = f"environments.{name}"
        _expect(isinstance(entry, dict), f"{at} must be an object")
        for field in ("base_url", "store", "workspace", "current"):
            _expect(isinstance(entry.get(field), str | None), f"{at}.{field} must be a string")
        _expect(entry.get("label") in (None, *LABELS), f"{at}.label must be one of {', '.join(LABELS)}")
        addresses = (entry.get("base_url") is not None) + (entry.get("store") is not None)
        _expect(name == PRODUCTION or addresses == 1, f"{at} must have either a base_url or a store")
        profiles = entry.get("profiles", {})
        _expect(isinstance(profiles, dict), f"{at}.profiles must be an object")
        for profile, fields in profiles.items():
            _expect(is_name(profile), f"{at}.profiles holds a name that cannot be used")
            _check_profile(f"{at}.profiles.{profile}", fields)


def _check_profile(at: str, fields: Any) -> None:
    _expect(isinstance(fields, dict), f"{at} must be an object")
    for field in ("key_name", "key_prefix", "key_audience"):
        _expect(isinstance(fields.get(field), str | None), f"{at}.{field} must be a string")
    _expect(
        fields.get("scopes") is None or _are_strings(fields["scopes"]),
        f"{at}.scopes must be a list of strings",
    )
    place = fields.get("secret")
    _expect(isinstance(place, dict) and place.get("kind") in get_args(Kind), f"{at}.secret must name a kind")
    if place["kind"] == "env":
        variable = place.get("variable")
        _expect(
            isinstance(variable, str) and is_variable(variable), f"{at}.secret.variable must name a variable"
        )
    if place["kind"] == "command":
        words = place.get("command")
        _expect(bool(words) and _are_strings(words), f"{at}.secret.command must be a list of words")


def _expect(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ShapeError(otherwise)


def _are_strings(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def is_variable(text: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", text, re.ASCII) is not None


def read_profile(environment: str, name: str, entry: dict[str, Any]) -> Profile:
    secret, scopes = entry["secret"], entry.get("scopes")
    return Profile(
        environment,
        name,
        SecretPlace(secret["kind"], secret.get("variable"), tuple(secret.get("command") or ())),
        entry.get("key_name"),
        entry.get("key_prefix"),
        None if scopes is None else tuple(scopes),
        entry.get("key_audience"),
    )


def write_profile(profile: Profile) -> dict[str, Any]:
    place: dict[str, Any] = {"kind": profile.place.kind}
    if profile.place.variable is not None:
        place["variable"] = profile.place.variable
    if profile.place.command:
        place["command"] = list(profile.place.command)
    facts = {
        "key_name": profile.key_name,
        "key_prefix": profile.key_prefix,
        "scopes": None if profile.scopes is None else list(profile.scopes),
        "key_audience": profile.key_audience,
    }
    return {"secret": place, **{field: value for field, value in facts.items() if value is not None}}


def unknown_of(entry: dict[str, Any]) -> dict[str, Any]:
    """What a profile's entry holds that this version does not know."""
    ours = ("secret", "key_name", "key_prefix", "scopes", "key_audience")
    return {field: value for field, value in entry.items() if field not in ours}

"""What the user changes: the book and the secrets together, so that the two agree at each moment.

One lock, the configuration's, is held for both files. A secret is there before the book names it, and is dropped
after the book has let go of it. The keyring is asked outside the lock, since it may take seconds.
"""

from collections.abc import Callable, Mapping
from typing import Any

from brainctl.contract.bounds import ID_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import PREFIX_RANDOM, key_prefix, label_of
from brainctl.profiles.book import Book, changing, read_book
from brainctl.profiles.entries import Environment, Profile, SecretPlace
from brainctl.profiles.files import DamagedFileError
from brainctl.profiles.grammar import check_name
from brainctl.profiles.labels import refuse_foreign_label
from brainctl.profiles.secret_file import change_secret_file, read_secret_file
from brainctl.profiles.system_keyring import drop_from_keyring, read_from_keyring, store_in_keyring

Warn = Callable[[str], None]
"""Takes a sentence that the user should see on standard error."""


def plan_environment(
    environ: Mapping[str, str],
    name: str | None,
    base_url: str | None = None,
    store: str | None = None,
    workspace: str | None = None,
) -> Environment:
    """The environment to which a key is about to be added, as `Book.plan` has it; changes nothing.

    Without a name it is the one that BRAINCTL_ENV names, else the current one. A damaged configuration counts as
    empty here, since adding to it keeps it aside.
    """
    try:
        book = read_book(environ)
    except DamagedFileError:
        book = Book()
    wanted = name or environ.get("BRAINCTL_ENV") or book.current_environment
    return book.plan(wanted, base_url, store, workspace)


def add_profile(
    environ: Mapping[str, str],
    environment: Environment,
    name: str,
    key: str | SecretPlace,
    *,
    whoami: Mapping[str, Any] | None = None,
    address_given: bool = False,
    warn: Warn,
) -> Profile:
    """Save a key as the profile `name`, in the keyring or else the file; with a place, only where it is to be got.

    The environment is made if it is new (`Book.plan` gives one), a profile of the same name is replaced. `whoami`
    is the brain's reply, if it was asked. Raises `BrainError` (`usage`, `fault`) with nothing saved.
    """
    slot = f"{environment.name}/{name}"
    secret = key if isinstance(key, str) else None
    shown = key_prefix(secret) if secret is not None else _told_prefix(whoami)
    if shown:
        refuse_foreign_label(environment, shown, address_given=address_given)
    check_name(name, "profile")
    if isinstance(key, SecretPlace):
        place = key
    else:
        place = SecretPlace("keyring" if store_in_keyring(environ, slot, key) else "file")
    profile = Profile(environment.name, name, place, key_prefix=shown, **_told(whoami))
    with changing(environ, warn) as book:
        book.add_environment(environment)
        before = next((each for each in book.profiles(environment.name) if each.name == name), None)
        if secret is not None and place.kind == "file":
            change_secret_file(environ, {slot: secret}, warn)
        book.add_profile(profile, label_of(shown or ""))
    if before is not None and before.place.kind != place.kind:
        _forget(environ, before, warn)
    return profile


def rename_profile(
    environ: Mapping[str, str], environment: str, old: str, new: str, *, warn: Warn
) -> Profile:
    """Give a profile another name, its secret with it. Raises `BrainError` (`usage`, `fault`) with nothing renamed."""
    # Renamed in memory first, so that a name that cannot be had is refused before a secret is copied.
    book = read_book(environ)
    was = book.profile(environment, old)
    now = book.rename(environment, old, new)
    if was.place.kind == "keyring":
        _copy_in_keyring(environ, was.slot, now.slot)
    with changing(environ, warn) as book:
        if book.profile(environment, old).place != was.place:
            raise BrainError(
                "usage", f"{was.slot} was changed by another brainctl at this moment: run again."
            )
        book.rename(environment, old, new)
        reading = read_secret_file(environ, was.slot) if was.place.kind == "file" else None
        if reading is not None:
            change_secret_file(environ, {now.slot: reading.secret}, warn)
    _forget(environ, was, warn)
    return now


def remove_profile(environ: Mapping[str, str], environment: str, name: str, *, warn: Warn) -> Profile:
    """Take a profile out, and its secret from this machine. Raises `BrainError` (`usage`, `fault`)."""
    with changing(environ, warn) as book:
        gone = book.remove(environment, name)
    _forget(environ, gone, warn)
    return gone


def remove_environment(environ: Mapping[str, str], name: str, *, warn: Warn) -> list[Profile]:
    """Take an environment out, with its profiles and their secrets. Raises `BrainError` (`usage`, `fault`)."""
    with changing(environ, warn) as book:
        gone = book.remove_environment(name)
    for profile in gone:
        _forget(environ, profile, warn)
    return gone


def move_environment(
    environ: Mapping[str, str], was: Environment, store: str, workspace: str | None, *, warn: Warn
) -> None:
    """Let the brain of an environment be in another store. Raises `BrainError` (`usage`, `fault`)."""
    with changing(environ, warn) as book:
        book.move_environment(was, store, workspace)


def use(
    environ: Mapping[str, str], environment: str, profile: str | None = None, *, warn: Warn
) -> Environment:
    """Make an environment current, and a profile current in it. Raises `BrainError` (`usage`, `fault`)."""
    with changing(environ, warn) as book:
        return book.use(environment, profile)


def _copy_in_keyring(environ: Mapping[str, str], old: str, new: str) -> None:
    secret = read_from_keyring(environ, old)
    if secret is None or not store_in_keyring(environ, new, secret):
        raise BrainError(
            "usage",
            f"The key of {old} lies in the system's keyring, which did not hand it over, so nothing was renamed: "
            "unlock the keyring and run again, or add the key anew under the other name.",
        )


def _forget(environ: Mapping[str, str], gone: Profile, warn: Warn) -> None:
    """Drop the secret of a profile that the book has let go of, unless another process has filed a new one there."""
    kind = gone.place.kind
    if kind not in ("file", "keyring"):
        return
    with changing(environ, warn) as book:
        if any(each.slot == gone.slot and each.place.kind == kind for each in book.profiles()):
            return
        if kind == "file":
            change_secret_file(environ, {gone.slot: None}, warn)
    if kind == "keyring" and not drop_from_keyring(environ, gone.slot):
        warn(
            f"The key of {gone.slot} could not be taken out of the system's keyring: "
            "delete its entry there by hand (service brainctl)."
        )


def _told(whoami: Mapping[str, Any] | None) -> dict[str, Any]:
    """What is kept of a whoami reply. It comes from a server, so it is taken only in the form that it should have."""
    reply = whoami or {}
    name, audience, scopes = (reply.get(field) for field in ("key_name", "key_audience", "scopes"))
    return {
        "key_name": name[:ID_MAX] if isinstance(name, str) else None,
        "key_audience": audience[:ID_MAX] if isinstance(audience, str) else None,
        "scopes": tuple(each for each in scopes if isinstance(each, str))
        if isinstance(scopes, list)
        else None,
    }


def _told_prefix(whoami: Mapping[str, Any] | None) -> str | None:
    """The prefix that the brain tells, cut to what a prefix may show: a server could send back the whole key."""
    prefix = (whoami or {}).get("key_prefix")
    if not isinstance(prefix, str):
        return None
    return prefix[: len(label_of(prefix) or "") + PREFIX_RANDOM]


def refresh_profile(
    environ: Mapping[str, str], profile: Profile, whoami: Mapping[str, Any], *, warn: Warn
) -> None:
    """Note what the brain now says of a profile's key, if the profile is still there. Raises `BrainError` (`fault`)."""
    with changing(environ, warn) as book:
        there = [each for each in book.profiles(profile.environment) if each == profile]
        if there:
            prefix = _told_prefix(whoami) or profile.key_prefix
            book.replace(profile._replace(key_prefix=prefix, **_told(whoami)))

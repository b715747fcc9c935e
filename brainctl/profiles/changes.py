"""What the user changes: the book and the secrets together, so that the two agree at each moment.

One lock, the configuration's, is held for both files. A secret is there before the book names it, and is dropped
after the book has let go of it. The keyring is asked outside the lock, since it may take seconds. What a process that
was killed in between has left, the next change takes away.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from brainctl.contract.bounds import ID_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import PREFIX_RANDOM, key_prefix, label_of
from brainctl.profiles.book import Book, changing, read_book
from brainctl.profiles.entries import Environment, Profile, SecretPlace
from brainctl.profiles.files import DamagedFileError
from brainctl.profiles.grammar import check_name
from brainctl.profiles.labels import refuse_foreign_label
from brainctl.profiles.leftovers import sweep_leftovers
from brainctl.profiles.paths import config_file
from brainctl.profiles.secret_file import (
    Held,
    change_secret_file,
    read_doubts,
    read_secret_file,
    secret_file,
)
from brainctl.profiles.system_keyring import (
    drop_from_keyring,
    may_be_there,
    read_from_keyring,
    store_in_keyring,
)

Warn = Callable[[str], None]
"""Takes a sentence that the user should see on standard error."""

KEYRING_SECONDS: Final = 60.0
"""A change that has asked the keyring, and has not come back for so long, was killed."""


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
        place = SecretPlace("keyring" if _stored_in_keyring(environ, slot, key, warn) else "file")
    profile = Profile(environment.name, name, place, key_prefix=shown, **_told(whoami))
    held = Held.of(place, slot)
    with _changing(environ, warn) as book:
        book.add_environment(environment)
        before = next((each for each in book.profiles(environment.name) if each.name == name), None)
        let_go = [before] if before is not None and before.place.kind != place.kind else []
        if secret is not None and place.kind == "file":
            doubts = [*_held(let_go), *([] if held in _named(book) else [held])]
            change_secret_file(environ, {slot: secret}, warn, in_doubt=doubts)
        else:
            if place.kind == "keyring":
                _check_still_stored(environ, book, held)
            change_secret_file(environ, {}, warn, in_doubt=_held(let_go))
        book.add_profile(profile, label_of(shown or ""))
    _drop_from_keyring(environ, let_go, warn)
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
        _copy_in_keyring(environ, was.slot, now.slot, warn)
    with _changing(environ, warn) as book:
        if book.profile(environment, old).place != was.place:
            raise BrainError(
                "usage", f"{was.slot} was changed by another brainctl at this moment: run again."
            )
        if was.place.kind == "keyring":
            _check_still_stored(environ, book, Held.of(was.place, now.slot))
        book.rename(environment, old, new)
        reading = read_secret_file(environ, was.slot) if was.place.kind == "file" else None
        copied = {now.slot: reading.secret} if reading is not None else {}
        change_secret_file(environ, copied, warn, in_doubt=_held([was, now]))
    _drop_from_keyring(environ, [was], warn)
    return now


def remove_profile(environ: Mapping[str, str], environment: str, name: str, *, warn: Warn) -> Profile:
    """Take a profile out, and its secret from this machine. Raises `BrainError` (`usage`, `fault`)."""
    with _changing(environ, warn) as book:
        gone = book.remove(environment, name)
        change_secret_file(environ, {}, warn, in_doubt=_held([gone]))
    _drop_from_keyring(environ, [gone], warn)
    return gone


def remove_environment(environ: Mapping[str, str], name: str, *, warn: Warn) -> list[Profile]:
    """Take an environment out, with its profiles and their secrets. Raises `BrainError` (`usage`, `fault`)."""
    with _changing(environ, warn) as book:
        gone = book.remove_environment(name)
        change_secret_file(environ, {}, warn, in_doubt=_held(gone))
    _drop_from_keyring(environ, gone, warn)
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
    with _changing(environ, warn) as book:
        return book.use(environment, profile)


@contextmanager
def _changing(environ: Mapping[str, str], warn: Warn) -> Iterator[Book]:
    """As `changing`, and at the end the secrets that are in doubt are settled by the book as it then stands."""
    with changing(environ, warn, lambda book: _settle(environ, book, warn)) as book:
        yield book


def _settle(
    environ: Mapping[str, str], book: Book | None, warn: Warn, clock: Callable[[], float] = time.time
) -> None:
    """Drop what is in doubt and no profile names; keep it all where the book is not known. Never raises."""
    try:
        doubts = read_doubts(environ)
        if book is None:
            # A damaged configuration may be mended, and would miss a key that was dropped in the meantime.
            change_secret_file(environ, {}, warn, settled=doubts)
            return
        named = _named(book)
        # Another process may be asking the keyring at this moment; the file is changed under the lock alone.
        settled = [
            held
            for held, since in doubts.items()
            if held in named
            or held.kind == "file"
            or (clock() - since > KEYRING_SECONDS and _settled_in_keyring(environ, held, warn))
        ]
        taken_out = {held.slot: None for held in settled if held not in named and held.kind == "file"}
        change_secret_file(environ, taken_out, warn, settled=settled)
        for path in (config_file(environ), secret_file(environ)):
            sweep_leftovers(path)
    except DamagedFileError:
        # It is met, and told of, where a secret is read from it or filed.
        return
    except BrainError as error:
        warn(f"{error.message.rstrip('.')}. A key that no profile names may be in it until then.")


def _settled_in_keyring(environ: Mapping[str, str], held: Held, warn: Warn) -> bool:
    """Whether there is no more to be done about a secret that no profile names and the keyring may have."""
    # Under the lock, unlike all else that asks the keyring: it is rare, and nobody is to store here now.
    dropped = drop_from_keyring(environ, held.slot)
    if dropped == "kept":
        _tell_of_what_is_kept(held.slot, warn)
    # Where there is no keyring, as in a session without a desktop, there may be one the next time.
    return dropped != "unknown"


def _named(book: Book) -> set[Held]:
    """The secrets that profiles name."""
    return set(_held(book.profiles()))


def _held(profiles: list[Profile]) -> list[Held]:
    """Those of their secrets that are kept by us."""
    return [Held.of(each.place, each.slot) for each in profiles if each.place.kind in ("file", "keyring")]


def _stored_in_keyring(environ: Mapping[str, str], slot: str, secret: str, warn: Warn) -> bool:
    """Whether the keyring has the secret now. While nobody knows, it is written down that it may."""
    if not may_be_there(environ):
        return False
    held = Held("keyring", slot)
    with changing(environ, warn):
        was_in_doubt = held in read_doubts(environ)
        change_secret_file(environ, {}, warn, in_doubt=[held])
    stored = store_in_keyring(environ, slot, secret)
    if stored is False and not was_in_doubt:
        with changing(environ, warn):
            change_secret_file(environ, {}, warn, settled=[held])
    return bool(stored)


def _check_still_stored(environ: Mapping[str, str], book: Book, held: Held) -> None:
    """Raises `usage` where this process was stopped for so long that another one took it for killed."""
    if held not in _named(book) and held not in read_doubts(environ):
        raise BrainError("usage", f"Saving {held.slot} took too long, and its key was taken back: run again.")


def _copy_in_keyring(environ: Mapping[str, str], old: str, new: str, warn: Warn) -> None:
    secret = read_from_keyring(environ, old)
    if secret is None or not _stored_in_keyring(environ, new, secret, warn):
        raise BrainError(
            "usage",
            f"The key of {old} lies in the system's keyring, which did not hand it over, so nothing was renamed: "
            "unlock the keyring and run again, or add the key anew under the other name.",
        )


def _drop_from_keyring(environ: Mapping[str, str], gone: list[Profile], warn: Warn) -> None:
    """Drop what the book has let go of, unless another process has filed a new secret there."""
    for held in _held(gone):
        if held.kind != "keyring":
            continue
        with changing(environ, warn) as book:
            if held in _named(book):
                continue
        if drop_from_keyring(environ, held.slot) != "gone":
            _tell_of_what_is_kept(held.slot, warn)
        with changing(environ, warn):
            change_secret_file(environ, {}, warn, settled=[held])


def _tell_of_what_is_kept(slot: str, warn: Warn) -> None:
    warn(
        f"The key of {slot} could not be taken out of the system's keyring: "
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
    with _changing(environ, warn) as book:
        there = [each for each in book.profiles(profile.environment) if each == profile]
        if there:
            prefix = _told_prefix(whoami) or profile.key_prefix
            book.replace(profile._replace(key_prefix=prefix, **_told(whoami)))

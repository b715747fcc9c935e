"""Getting a profile's secret from where it lies, and saying where that is."""

from collections.abc import Callable, Mapping

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import label_of, mask_secrets
from brainctl.profiles.entries import SecretPlace, is_variable
from brainctl.profiles.key_command import parse_command, run_key_command
from brainctl.profiles.key_text import clean_secret
from brainctl.profiles.secret_file import Reading, read_secret_file, secret_file
from brainctl.profiles.system_keyring import is_off, read_from_keyring


def place_in_variable(variable: str) -> SecretPlace:
    """The secret is read from this variable at each use. Raises `BrainError` (`usage`) if it cannot be one's name."""
    if label_of(variable):
        raise BrainError(
            "usage", "This is a key itself, not a variable's name: give the name of a variable that holds it."
        )
    if not is_variable(variable):
        raise BrainError(
            "usage",
            "This cannot be a variable's name: use letters, digits and _, not starting with a digit, without $.",
        )
    return SecretPlace("env", variable=variable)


def place_in_command(text: str) -> SecretPlace:
    """The secret is what this command prints, run at each use. Raises `BrainError` (`usage`) as `parse_command` does."""
    return SecretPlace("command", command=parse_command(text))


def kept_in(environ: Mapping[str, str], place: SecretPlace) -> str:
    """Where the secret lies, as a phrase: `the file …/secrets.json`, `the variable SUPPORT_KEY`."""
    if place.kind == "file":
        return f"the file {secret_file(environ)}"
    if place.kind == "keyring":
        return "the system's keyring"
    if place.kind == "env":
        return f"the variable {place.variable}"
    return f"the command {mask_secrets(place.command[0])}"


def read_secret(
    environ: Mapping[str, str],
    slot: str,
    place: SecretPlace,
    run: Callable[[tuple[str, ...]], str] = run_key_command,
) -> Reading:
    """The secret filed under `slot`. Raises `BrainError`: `no_key` where it is not to be had, or cannot be a key."""
    if place.kind == "command":
        return Reading(run(place.command))
    if place.kind == "env":
        value = environ.get(place.variable or "")
        if not value:
            raise BrainError(
                "no_key",
                f"The variable {place.variable}, from which the profile {slot} reads its key, is not set: "
                "set it to the key and run again.",
            )
        return Reading(clean_secret(value, f"The key in the variable {place.variable}", "no_key"))
    if place.kind == "keyring":
        kept = read_from_keyring(environ, slot)
        reading = None if kept is None else Reading(kept)
    else:
        reading = read_secret_file(environ, slot)
    if reading is None:
        raise _missing(environ, slot, place)
    return reading._replace(
        secret=clean_secret(reading.secret, f"The saved key of the profile {slot}", "no_key")
    )


def _missing(environ: Mapping[str, str], slot: str, place: SecretPlace) -> BrainError:
    environment, _, name = slot.partition("/")
    again = f"`brainctl keys add {name} --env {environment}`"
    if place.kind == "file":
        problem = f"is no longer in {kept_in(environ, place)}: run {again} to put it back."
    elif is_off(environ):
        problem = (
            f"lies in the system's keyring, which BRAINCTL_KEYRING=off forbids: unset that, or run {again}."
        )
    else:
        problem = f"was not to be had from the system's keyring: unlock it and run again, or run {again} to save it anew."
    return BrainError("no_key", f"The key of the profile {slot} {problem}")

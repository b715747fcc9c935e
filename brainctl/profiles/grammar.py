"""How profiles and environments may be named and referred to."""

import re
from typing import Final, Literal

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import label_of

Named = Literal["profile", "environment", "workspace"]

_NAME: Final = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,63}", re.ASCII)
_GRAMMAR: Final = "a name is 1 to 64 of the characters A-Z a-z 0-9 _ and -, and does not start with -"


def is_name(text: str) -> bool:
    return _NAME.fullmatch(text) is not None and label_of(text) is None


def check_name(text: str, named: Named) -> str:
    """The name itself. Raises `BrainError` (`usage`), which never quotes it: a key may have been given in its place."""
    if label_of(text):
        raise BrainError(
            "usage",
            f"This {named} name looks like an API key: choose a name of your own, "
            "and give the key at the prompt, with --key-stdin, --key-env or --key-command.",
        )
    if not is_name(text):
        raise BrainError("usage", f"This {named} name cannot be used ({_wrong(text)}): {_GRAMMAR}.")
    return text


def split_reference(text: str) -> tuple[str | None, str]:
    """`NAME` or `ENVIRONMENT/NAME` in two. Raises `BrainError` (`usage`) as `check_name` does."""
    environment, slash, name = text.partition("/")
    if not slash:
        return None, check_name(text, "profile")
    return check_name(environment, "environment"), check_name(name, "profile")


def _wrong(text: str) -> str:
    if not text:
        return "it is empty"
    if len(text) > 64:
        return f"it has {len(text)} characters"
    if text.startswith("-"):
        return "it starts with -"
    place = next(
        at for at, character in enumerate(text, start=1) if not re.match(r"[A-Za-z0-9_-]", character)
    )
    return f"its character {place} is not one of these"

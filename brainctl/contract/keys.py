"""What an API key looks like, and how it may be shown."""

import re
from typing import Final

LABELS: Final = ("ak_live_", "ak_test_")
PREFIX_RANDOM: Final = 4
"""How many characters of a secret's random part its `key_prefix` shows."""

_ANY_SECRET: Final = re.compile(r"ak_(live|test)_[A-Za-z0-9_-]{5,}")


def label_of(secret: str) -> str | None:
    """The environment label a secret starts with (`ak_live_` or `ak_test_`), or None where it has none."""
    return next((label for label in LABELS if secret.startswith(label)), None)


def key_prefix(secret: str) -> str:
    """What may be shown of a secret: its label and four characters, as whoami gives it; never more than a third."""
    label = label_of(secret) or ""
    shown = min(PREFIX_RANDOM, (len(secret) - len(label)) // 3)
    return secret[: len(label) + shown]


def masked(prefix: str) -> str:
    """A `key_prefix` as people see it: `ak_live_x7f4…`."""
    return f"{prefix}…"


def secrets_in(text: str) -> set[str]:
    """Everything in a text that looks like a key."""
    return {found.group() for found in _ANY_SECRET.finditer(text)}


def mask_secrets(text: str) -> str:
    """The text with everything in it that looks like a key cut down to its prefix."""
    return _ANY_SECRET.sub(lambda found: masked(key_prefix(found.group())), text)


def secret_problem(secret: str) -> str | None:
    """Why this cannot be a key, in words that never hold the value; None where it can be one."""
    if not secret.strip():
        return "it is empty"
    if secret.startswith("$"):
        return "it is the name of a variable, not its value: the variable was not expanded"
    if secret.lower().startswith("bearer "):
        return "it starts with the word Bearer: give the key alone"
    if secret[0] in "\"'" or secret[-1] in "\"'":
        return "it is wrapped in quotes: give the key alone"
    for place, character in enumerate(secret, start=1):
        if character.isspace():
            return f"character {place} is white space"
        if not 0x21 <= ord(character) <= 0x7E:
            return f"character {place} (U+{ord(character):04X}) is not printable ASCII"
    return None

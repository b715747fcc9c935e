"""A secret as it was handed over: cleaned of what shells and editors add, and refused if it cannot be a key."""

from brainctl.contract.errors import BrainError
from brainctl.contract.keys import secret_problem


def clean_secret(raw: str | bytes, given: str = "The key", code: str = "usage") -> str:
    """The secret without a byte order mark and without one line end.

    Raises `BrainError(code)` where the rest cannot be a key. Its sentence starts with `given`, says what is wrong
    and where, and never holds the value.
    """
    text = _decoded(raw)
    problem = "it is not UTF-8 text" if text is None else None
    if text is not None:
        text = text.removeprefix("\ufeff")
        text = text.removesuffix("\n").removesuffix("\r")
        problem = secret_problem(text)
    if text is None or problem is not None:
        raise BrainError(code, f"{given} cannot be used: {problem}. Give the whole key and nothing else.")
    return text


def _decoded(raw: str | bytes) -> str | None:
    if isinstance(raw, str):
        return raw
    try:
        return raw.decode()
    except UnicodeDecodeError:
        return None

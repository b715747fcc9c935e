"""One line of JSON that a person or a program wrote, read strictly."""

import json
from typing import Any


def parsed(line: bytes) -> Any:
    """The JSON of a line. Raises `ValueError`, saying why in a few words."""
    try:
        return json.loads(line.decode(), object_pairs_hook=_unique)
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8: byte {error.start + 1} does not fit") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg}") from None
    except RecursionError:
        raise ValueError("is not JSON: it is nested too deep") from None


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("has a field twice")
    return found

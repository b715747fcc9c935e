"""A name that stands twice in an object of JSON: readers differ on which of the two counts, so nobody here reads it."""

from typing import Any


class NameTwiceError(ValueError):
    """Some object has a name twice."""


def each_name_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object of JSON, as the `object_pairs_hook` of a reader. Raises `NameTwiceError`."""
    found = dict(pairs)
    if len(found) != len(pairs):
        raise NameTwiceError
    return found

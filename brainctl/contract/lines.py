"""Input that is written line by line: how a line is read, and how all that is wrong is told at once."""

import json
from typing import Any, Final

from brainctl.contract.errors import BrainError, unsent
from brainctl.contract.json_names import NameTwiceError, each_name_once

TOLD_MOST: Final = 1000
"""Of how many problems each is told."""


class Problems:
    """What is wrong with some input, in its order. Where `count` is 0 there is nothing wrong with it."""

    def __init__(self) -> None:
        self.count = 0
        self.lines = 0
        self._told: list[dict[str, str]] = []
        self._last: str | None = None

    def add(self, where: str, message: str) -> None:
        """`where` names a line, or an argument, as a person would look for it."""
        self.count += 1
        self.lines += where != self._last
        self._last = where
        if self.count <= TOLD_MOST:
            self._told.append({"field": where, "message": message})

    def refusal(self, message: str) -> BrainError:
        """The `validation_error` that tells them."""
        rest = self.count - len(self._told)
        more = [{"field": "…", "message": f"and {rest} more"}] if rest else []
        return unsent(message, [*self._told, *more])


def decoded(line: bytes) -> str:
    """The text of a line. Raises `ValueError`, saying why in a few words."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise ValueError(f"is not UTF-8: byte {error.start + 1} does not fit") from None


def parsed(line: bytes | str) -> Any:
    """The JSON of a line, read strictly. Raises `ValueError`, saying why in a few words."""
    text = line if isinstance(line, str) else decoded(line)
    try:
        return json.loads(text, object_pairs_hook=each_name_once)
    except NameTwiceError:
        raise ValueError("has a field twice") from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg}") from None
    except ValueError:
        raise ValueError("has a number of too many digits") from None
    except RecursionError:
        raise ValueError("is not JSON: it is nested too deep") from None

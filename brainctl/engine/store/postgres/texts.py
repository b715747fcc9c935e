"""Texts as PostgreSQL can hold them: it knows no U+0000, which texts of a brain may have."""

import re
from typing import Any, Final

from psycopg.adapt import Loader
from psycopg.types.string import StrDumperUnknown

_SIGN: Final = "\ufdd0"
"""A character that Unicode leaves to a program's own use. Itself it is written twice."""


def written(text: str) -> str:
    if "\0" in text or _SIGN in text:
        return text.replace(_SIGN, _SIGN * 2).replace("\0", f"{_SIGN}0")
    return text


def _read(text: str) -> str:
    return re.sub(f"{_SIGN}(.)", lambda found: "\0" if found[1] == "0" else _SIGN, text)


class TextDumper(StrDumperUnknown):
    def dump(self, obj: str) -> Any:
        return super().dump(written(obj))


class TextLoader(Loader):
    def load(self, data: Any) -> str:
        text = str(data, "utf-8")
        return _read(text) if _SIGN in text else text

"""Answers shells that ask for the values of an option: one candidate a line, in a few milliseconds, or nothing.

Nothing is said on standard error and nothing is raised: a person is in the middle of typing.
"""

import os
from collections.abc import Iterator, Mapping, Sequence

from brainctl.profiles.names import environment_names, profile_names
from brainctl.profiles.paths import places

ANSWERS_SHOWN = 20
_TAIL_BYTES = 64 * 1024
_SAFE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-/")


def complete(arguments: Sequence[str]) -> int:
    """Print what `profiles|environments|answers [--env NAME] [PREFIX]` asks for. Always 0, and never raises."""
    try:
        found = candidates(arguments, os.environ)
        os.write(1, "".join(f"{name}\n" for name in found).encode())
    except (Exception, KeyboardInterrupt):  # noqa: BLE001, S110  # whatever is wrong, the prompt must stay clean
        pass
    return 0


def candidates(arguments: Sequence[str], environ: Mapping[str, str]) -> list[str]:
    """What a request asks for, as far as it is safe in any shell. May raise whatever reading files raises."""
    kind, *rest = arguments
    environment: str | None = None
    if rest[:1] == ["--env"] and len(rest) > 1:
        environment = rest[1]
        del rest[:2]
    prefix = rest[0] if rest else ""
    if kind == "profiles":
        found = _safe(profile_names(environ, environment), prefix)
    elif kind == "environments":
        found = _safe(environment_names(environ), prefix)
    elif kind == "answers":
        newest = _safe(_answer_ids(os.path.join(places(environ).state, "answers.jsonl")), prefix)
        return list(dict.fromkeys(newest))[:ANSWERS_SHOWN]
    else:
        return []
    return list(dict.fromkeys(found))


def _safe(names: Sequence[object] | Iterator[object], prefix: str) -> Iterator[str]:
    for name in names:
        if (
            isinstance(name, str)
            and name.startswith(prefix)
            and name[:1] not in {"", "-"}
            and _SAFE.issuperset(name)
        ):
            yield name


def _answer_ids(journal: str) -> Iterator[object]:
    """The ids at the end of the journal, the newest first."""
    import json

    with open(journal, "rb") as file:
        size = file.seek(0, os.SEEK_END)
        file.seek(max(size - _TAIL_BYTES, 0))
        lines = file.read().splitlines()
    # Of a longer journal the first line read is the end of one.
    for line in reversed(lines[size > _TAIL_BYTES :]):
        try:
            yield json.loads(line)["answer_id"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue

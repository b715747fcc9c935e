"""The command against an address that answers as it is told to, in a process of its own or in this one."""

import gc
import io
import json
import os
import sys
from collections.abc import Iterable
from contextlib import ExitStack
from typing import Any, Final, NamedTuple
from unittest import mock

from brainctl.cli.main import main
from tests.cli.shell import Result, Shell
from tests.doors.faults import Fault, FaultyRoad, Reply

SECRET: Final = "ak_live_x7f4" + "Q" * 28
PREFIX: Final = "ak_live_x7f4"
WHOAMI: Final[dict[str, Any]] = {
    "key_name": "support-bot",
    "key_prefix": PREFIX,
    "scopes": ["memory.read", "answers.write"],
    "key_audience": "external",
    "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
}


def data(value: Any, status: int = 200) -> Reply:
    """A success of the API."""
    return Reply(status, json.dumps({"data": value}).encode())


def refused(code: str, status: int, message: str = "Refused here", details: Any = None) -> Reply:
    """An error of the API in its envelope."""
    inner = {"code": code, "message": message}
    if details is not None:
        inner["details"] = details
    return Reply(status, json.dumps({"error": inner}).encode())


def identity(**changed: Any) -> Reply:
    """What the MCP route says to whoami."""
    result = {"content": [], "structuredContent": {**WHOAMI, **changed}, "isError": False}
    return Reply(200, json.dumps({"jsonrpc": "2.0", "id": 1, "result": result}).encode())


def fact(text: str, **changed: Any) -> dict[str, Any]:
    return {
        "fact_id": "fact_01k9p2v6q8fxtn4h7d2m5rwyzb",
        "fact_text": text,
        "kind": "decision",
        "origin": "user_stated",
        "subject": "company",
        "confidence_level": 0.9,
        "recorded_time": "2026-07-14T09:12:44.318Z",
        **changed,
    }


def facts(*texts: str) -> Reply:
    return data({"facts": [fact(text) for text in texts]})


class Hosted(NamedTuple):
    """A shell whose key opens what answers at the end of a road."""

    shell: Shell
    road: FaultyRoad

    @property
    def bodies(self) -> list[Any]:
        """The JSON bodies of the requests so far."""
        return [json.loads(request.partition(b"\r\n\r\n")[2]) for request in self.road.requests]

    @property
    def lines(self) -> list[str]:
        """The request lines so far."""
        return [request.split(b"\r\n", 1)[0].decode() for request in self.road.requests]


class Hosting:
    """Makes `Hosted` ones: each reply answers one request, and one more request is an error."""

    def __init__(self, shell: Shell, closing: ExitStack) -> None:
        self._shell = shell
        self._closing = closing

    def __call__(self, *replies: Fault, secret: str = SECRET, **environ: str) -> Hosted:
        return self.endless(replies, secret=secret, **environ)

    def endless(self, replies: Iterable[Fault], *, secret: str = SECRET, **environ: str) -> Hosted:
        road = self._closing.enter_context(FaultyRoad(None, replies))
        given = {"ALFERA_API_KEY": secret, "BRAINCTL_BASE_URL": road.base_url, **environ}
        return Hosted(self._shell.with_(**given), road)


class Terminal(io.BytesIO):
    """A stream that says it is a terminal; how wide it is, COLUMNS says."""

    def isatty(self) -> bool:
        return True


def inside(
    shell: Shell, *arguments: str, stdin: str | bytes | None = None, at_terminal: bool = False
) -> Result:
    """Run the command in this process, its streams in memory: the same program without the price of a start."""
    given = stdin.encode() if isinstance(stdin, str) else stdin
    kind = Terminal if at_terminal else io.BytesIO
    held = [kind(given or b""), kind(), kind()]
    streams = [io.TextIOWrapper(each, "utf-8") for each in held]
    collects = gc.isenabled()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = streams
    try:
        with mock.patch.dict(os.environ, shell.environ, clear=True):
            code = main(list(arguments))
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
        # What a process that ends need not do any more, this one still has to.
        gc.unfreeze()
        if collects:
            gc.enable()
    for stream in streams:
        stream.flush()
    return Result(code, *(each.getvalue().decode() for each in held[1:]))

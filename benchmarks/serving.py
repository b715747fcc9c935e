"""What serving a brain costs, as ratios in one run, over real sockets to a `brainctl brain serve` of its own.

    python -m benchmarks.serving [--facts 100000] [--queries 300] [--streams 500] [--keep FOLDER]

Facts and questions are those of `benchmarks.scale`: three to six words of a fact as people type them, common words
among them. A search over HTTP is held against the same search called in process, one after the other in turns. Requests
a second need `wrk`: the routes of the brain are held against the same server library that answers a constant JSON. Open
streams are answers whose model never says a word. Keys are taken in turns, since each has its window.
"""

import argparse
import http.client
import json
import os
import re
import resource
import shutil
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from itertools import cycle
from pathlib import Path
from typing import Any, Final, NamedTuple

from benchmarks.scale import facts, questions
from brainctl.contract.bounds import SCOPES
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import Owner, create_brain, open_owner
from brainctl.profiles.book import changing

SECONDS: Final = 5
CONNECTIONS: Final = 16
KEYS: Final = 2000
"""Enough for the fastest row: 120 requests of each key a minute."""

CONSTANT_APP: Final = """
import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.routing import Route

async def constant(request):
    await request.body()
    return JSONResponse({"data": {"facts": []}})

app = Starlette(routes=[Route("/v1/memory/search", constant, methods=["POST"])])
uvicorn.run(app, port=PORT, http="httptools", log_config=None, access_log=False)
"""

WRK_SCRIPT: Final = """
local keys = {}
for key in io.lines("KEYS") do keys[#keys + 1] = key end
local bodies = {}
for body in io.lines("BODIES") do bodies[#bodies + 1] = body end
local turn = math.random(#keys)
function request()
  turn = turn + 1
  local headers = {["Authorization"] = "Bearer " .. keys[turn % #keys + 1], ["Content-Type"] = "application/json"}
  if "METHOD" == "GET" then return wrk.format("GET", "PATH", headers) end
  return wrk.format("POST", "PATH", headers, bodies[turn % #bodies + 1])
end
"""


class Server(NamedTuple):
    """A serving process."""

    process: "subprocess.Popen[bytes]"
    address: tuple[str, int]

    def memory_mb(self) -> float:
        status = Path(f"/proc/{self.process.pid}/status").read_text(encoding="ascii")
        found = re.search(r"VmRSS:\s+(\d+) kB", status)
        return int(found[1]) / 1024 if found else float("nan")


class Caller:
    """One kept connection, and keys in turns."""

    def __init__(self, address: tuple[str, int], keys: Sequence[str]) -> None:
        self._connection = http.client.HTTPConnection(*address, timeout=60)
        self._connection.connect()
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._keys = cycle(keys)

    def seconds(self, path: str, body: Any) -> float:
        raw = json.dumps(body).encode()
        headers = {"Authorization": f"Bearer {next(self._keys)}", "Content-Type": "application/json"}
        started = time.perf_counter()
        self._connection.request("POST", path, raw, headers)
        reply = self._connection.getresponse()
        told = reply.read()
        seconds = time.perf_counter() - started
        if reply.status != 200:
            raise SystemExit(f"{path}: {reply.status} {told.decode()}")
        return seconds

    def close(self) -> None:
        self._connection.close()


def main() -> int:
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--facts", type=int, default=100_000)
    options.add_argument("--queries", type=int, default=300)
    options.add_argument("--streams", type=int, default=500)
    options.add_argument("--keep", type=Path)
    given = options.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, 8192), most))
    with tempfile.TemporaryDirectory() as made, ExitStack() as closing:
        folder = given.keep or Path(made)
        owner = closing.enter_context(brain(folder / f"{given.facts}.db", given.facts))
        model = closing.enter_context(silent_model())
        owner.set_worker("silent", model="none", base_url=model)
        mark = os.urandom(4).hex()
        keys = [owner.create_key(f"{mark} {place}", "internal", SCOPES).secret for place in range(KEYS)]
        bodies = [{"query": each.query, "limit": 10} for each in questions(owner, given.queries, shelf=None)]
        server = closing.enter_context(serving(Path(made), owner.store.address))
        searching(server, owner.store.address, keys, bodies)
        print(f"{'memory of the server once it has searched, MB':<52} {server.memory_mb():>10.0f}")
        streaming(server, keys, bodies, given.streams)
        throughput(server, Path(made), keys, bodies)
        print(f"{'memory of the server in the end, MB':<52} {server.memory_mb():>10.0f}")
    return 0


@contextmanager
def brain(path: Path, count: int) -> Iterator[Owner]:
    if path.exists():
        with open_owner(str(path)) as owner:
            yield owner
        return
    with create_brain(str(path)) as owner:
        owner.load_facts(facts(count))
        yield owner


@contextmanager
def serving(home: Path, store: str) -> Iterator[Server]:
    with changing({"BRAINCTL_HOME": str(home)}, lambda _: None) as book:
        book.add_environment(book.plan("local", store=store))
    brainctl = str(Path(sys.executable).with_name("brainctl"))
    environ = {**os.environ, "BRAINCTL_HOME": str(home)}
    with (home / "log").open("wb") as log:
        process = subprocess.Popen([brainctl, "brain", "serve", "--port", "0"], stderr=log, env=environ)
    try:
        yield Server(process, ("127.0.0.1", _port(home / "log")))
    finally:
        process.terminate()
        process.wait()


def _port(log: Path) -> int:
    for _ in range(600):
        if found := re.search(r"http://127.0.0.1:(\d+)", log.read_text(encoding="utf-8")):
            return int(found[1])
        time.sleep(0.05)
    raise SystemExit("the server does not start")


@contextmanager
def silent_model() -> Iterator[str]:
    """A model server that accepts every call and never answers."""
    held: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)

    def accept() -> None:
        while True:
            try:
                held.append(listener.accept()[0])
            except OSError:
                return

    threading.Thread(target=accept, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        listener.close()
        for each in held:
            each.close()


def searching(server: Server, path: str, keys: Sequence[str], bodies: Sequence[Any]) -> None:
    caller = Caller(server.address, keys)
    here: list[float] = []
    there: list[float] = []
    with open_brain(path, keys[0]) as in_process:
        for body in bodies[:20]:
            in_process.search(body)
            caller.seconds("/v1/memory/search", body)
        for body in bodies:
            started = time.perf_counter()
            in_process.search(body)
            here.append(time.perf_counter() - started)
            there.append(caller.seconds("/v1/memory/search", body))
    caller.close()
    ratio = statistics.median(there) / statistics.median(here)
    print(f"{'search over HTTP / in process, medians (at most 3)':<52} {ratio:>10.2f}")
    for name, each in (("in process", here), ("over HTTP", there)):
        print(f"{f'  {name}, p50 / p99 ms':<52} {_at(each, 0.5):>10.2f} / {_at(each, 0.99):.2f}")


def _at(seconds: Sequence[float], share: float) -> float:
    return sorted(seconds)[min(int(len(seconds) * share), len(seconds) - 1)] * 1000


def streaming(server: Server, keys: Sequence[str], bodies: Sequence[Any], count: int) -> None:
    caller = Caller(server.address, keys)
    idle = [caller.seconds("/v1/memory/search", body) for body in bodies]
    before = server.memory_mb()
    streams = [_opened(server, keys[place % len(keys)]) for place in range(count)]
    held = server.memory_mb()
    busy = [caller.seconds("/v1/memory/search", body) for body in bodies]
    caller.close()
    for stream in streams:
        stream.close()
    ratio = statistics.median(busy) / statistics.median(idle)
    print(f"{f'search beside {count} open streams / idle (at most 3)':<52} {ratio:>10.2f}")
    print(f"{'  idle, p50 / p99 ms':<52} {_at(idle, 0.5):>10.2f} / {_at(idle, 0.99):.2f}")
    print(f"{'  beside them, p50 / p99 ms':<52} {_at(busy, 0.5):>10.2f} / {_at(busy, 0.99):.2f}")
    print(f"{'  a stream, KB of memory':<52} {(held - before) * 1024 / count:>10.0f}")


def _opened(server: Server, key: str) -> socket.socket:
    stream = socket.create_connection(server.address, timeout=60)
    body = b'{"input":"what?","agent_slug":"silent"}'
    head = f"POST /v1/answers HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: {key}\r\nContent-Length: {len(body)}\r\n\r\n"
    stream.sendall(head.encode() + body)
    seen = b""
    while b"answer.created" not in seen:
        part = stream.recv(65536)
        if not part:
            raise SystemExit(f"a stream does not open: {seen.decode()}")
        seen += part
    return stream


def throughput(server: Server, home: Path, keys: Sequence[str], bodies: Sequence[Any]) -> None:
    if shutil.which("wrk") is None:
        print("requests a second: not measured, wrk is not here")
        return
    (home / "keys").write_text("\n".join(keys), encoding="ascii")
    (home / "bodies").write_text("\n".join(map(json.dumps, bodies)), encoding="utf-8")
    with constant_server() as port:
        constant = _rate(home, port, "POST", "/v1/memory/search")
    print(f"{'constant JSON of the same library, requests a second':<52} {constant:>10.0f}")
    for name, method, path in (
        ("/healthz", "GET", "/healthz"),
        ("an answer that is not there", "GET", "/v1/answers/run_x"),
        ("search", "POST", "/v1/memory/search"),
    ):
        rate = _rate(home, server.address[1], method, path)
        print(f"{f'  {name}, requests a second / constant':<52} {rate:>10.0f} / {rate / constant:.2f}")


@contextmanager
def constant_server() -> Iterator[int]:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    process = subprocess.Popen([sys.executable, "-c", CONSTANT_APP.replace("PORT", str(port))])
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.05)
        yield port
    finally:
        process.terminate()
        process.wait()


def _rate(home: Path, port: int, method: str, path: str) -> float:
    script = WRK_SCRIPT.replace("KEYS", str(home / "keys")).replace("BODIES", str(home / "bodies"))
    (home / "wrk.lua").write_text(script.replace("METHOD", method).replace("PATH", path), encoding="ascii")
    done = subprocess.run(
        [
            *("wrk", "-t1", f"-c{CONNECTIONS}", f"-d{SECONDS}s", "-s", str(home / "wrk.lua")),
            f"http://127.0.0.1:{port}{path}",
        ],
        capture_output=True,
        text=True,
        check=True,
    )
    found = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if found is None:
        raise SystemExit(done.stdout)
    return float(found[1])


if __name__ == "__main__":
    sys.exit(main())

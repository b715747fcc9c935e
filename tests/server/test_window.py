"""120 requests a key in any 60 seconds: exact over threads, processes and refusals, wherever their times lie."""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain
from brainctl.engine.rate_window import RateWindow
from tests.doors.workspace import Clock
from tests.server.process import Process
from tests.windows import let_in

MOST = bounds.RATE_REQUESTS


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def path(store_kind: str, tmp_path: Path, request: pytest.FixtureRequest) -> str:
    in_file = store_kind == "sqlite"
    address = str(tmp_path / "brain.db") if in_file else request.getfixturevalue("new_database")()
    create_brain(address).close()
    return str(address)


@pytest.fixture
def window(path: str, clock: Clock) -> Any:
    window = RateWindow(path, clock)
    yield window
    window.close()


@pytest.mark.both_stores
def test_the_121st_is_refused_and_another_key_is_not(window: RateWindow) -> None:
    assert let_in(window, MOST + 5) == MOST
    assert let_in(window, 1, "b") == 1


@pytest.mark.both_stores
def test_a_request_counts_for_exactly_sixty_seconds(window: RateWindow, clock: Clock) -> None:
    assert let_in(window, MOST) == MOST
    clock.advance(59.999)
    assert let_in(window, 1) == 0
    clock.advance(0.001)
    assert let_in(window, MOST + 1) == MOST


@pytest.mark.both_stores
def test_the_window_slides(window: RateWindow, clock: Clock) -> None:
    assert let_in(window, 100) == 100
    clock.advance(30)
    assert let_in(window, 30) == 20
    clock.advance(30)
    assert let_in(window, 200) == 100
    clock.advance(30)
    assert let_in(window, 30) == 20


@pytest.mark.both_stores
def test_refusals_do_not_make_the_wait_longer(window: RateWindow, clock: Clock) -> None:
    assert let_in(window, MOST) == MOST
    for _ in range(200):
        clock.advance(0.295)
        assert let_in(window, 1) == 0
    clock.advance(1)
    assert let_in(window, 1) == 1


@pytest.mark.both_stores
def test_many_at_once_are_counted_all_or_none(window: RateWindow) -> None:
    window.count(1, "a", 100)
    with pytest.raises(BrainError, match="rate_limited"):
        window.count(1, "a", 21)
    window.count(1, "a", 20)
    assert let_in(window, 1) == 0


@pytest.mark.both_stores
def test_a_clock_that_is_put_back_locks_nobody_out_for_longer_than_a_window(
    window: RateWindow, clock: Clock
) -> None:
    assert let_in(window, MOST) == MOST
    clock.advance(-3600)
    assert let_in(window, 1) == 0
    clock.advance(60)
    assert let_in(window, MOST + 1) == MOST


@pytest.mark.both_stores
def test_threads_share_it_exactly(path: str) -> None:
    window = RateWindow(path)
    with ThreadPoolExecutor(16) as pool:
        assert sum(pool.map(lambda _: let_in(window, 20), range(16))) == MOST
    window.close()


@pytest.mark.both_stores
def test_processes_share_it_exactly(path: str) -> None:
    script = (
        "import sys; from brainctl.contract.errors import BrainError; "
        "from brainctl.engine.rate_window import RateWindow\n"
        f"window, let_in = RateWindow({path!r}), 0\n"
        "sys.stdin.readline()\n"
        "for _ in range(100):\n"
        "    try:\n        window.count(1, 'a'); let_in += 1\n"
        "    except BrainError:\n        pass\n"
        "print(let_in)"
    )
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        for _ in range(4)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    assert sum(int(process.communicate(timeout=60)[0]) for process in processes) == MOST


@pytest.mark.both_stores
def test_it_outlives_a_process_that_is_killed(path: str, clock: Clock) -> None:
    first = RateWindow(path, clock)
    assert let_in(first, MOST) == MOST
    # Left as a kill leaves it: never closed before the next one opens it.
    second = RateWindow(path, clock)
    assert let_in(second, 1) == 0
    first.close()
    second.close()


@pytest.mark.parametrize("damage", [b"not a database, and long enough to be looked at" * 100, b"SQLite"])
def test_a_damaged_file_is_replaced(path: str, clock: Clock, damage: bytes) -> None:
    Path(path + "-window").write_bytes(damage)
    windows = [RateWindow(path, clock) for _ in range(2)]
    with ThreadPoolExecutor(2) as pool:
        assert sum(pool.map(lambda window: let_in(window, 100), windows)) == MOST
    for window in windows:
        window.close()


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX")
def test_its_file_is_its_owners_alone(path: str, window: RateWindow) -> None:
    let_in(window, 1)
    assert Path(path + "-window").stat().st_mode & 0o077 == 0


SEARCH = {"query": "deposit"}


def statuses(process: Process, secret: str, requests: int) -> list[int]:
    def one(_: int) -> int:
        return process.post("/v1/memory/search", secret, SEARCH).status

    with ThreadPoolExecutor(24) as pool:
        return sorted(pool.map(one, range(requests)))


def test_121_in_parallel_and_two_processes_have_one_refused(running: Callable[..., Process]) -> None:
    process = running("--processes", "2")
    secret = process.key()
    assert statuses(process, secret, MOST + 1) == [200] * MOST + [429]
    refused = process.post("/v1/memory/search", secret, SEARCH)
    assert (refused.status, refused.headers["Retry-After"]) == (429, "60")
    assert refused.json()["error"]["details"] == {"retry_after_seconds": 60}
    assert process.post("/v1/memory/search", process.key(), SEARCH).status == 200


def test_all_routes_share_the_window_and_what_is_refused_for_other_reasons_counts(
    documented: Process,
) -> None:
    scopeless = documented.key(scopes=["memory.write"])
    calls: list[tuple[str, Any, int]] = [
        ("/v1/memory/search", SEARCH, 403),
        ("/v1/memory/facts", {}, 422),
        ("/v1/answers", {"input": "x", "stream": False}, 403),
        ("/v1/mcp", {"jsonrpc": "2.0", "id": 1, "method": "ping"}, 200),
    ]
    for _ in range(MOST // len(calls)):
        for path, body, status in calls:
            assert documented.post(path, scopeless, body).status == status
    assert documented.post("/v1/mcp", scopeless, calls[3][1]).status == 429
    assert documented.get("/v1/answers/run_x", scopeless).status == 429


def test_a_wrong_method_a_wrong_path_and_a_wrong_key_are_not_let_in(documented: Process) -> None:
    secret = documented.key()
    for _ in range(MOST + 1):
        assert documented.get("/v1/mcp", secret).status == 405
        assert documented.post("/.well-known/oauth-protected-resource", secret, {}).status == 404
    assert documented.post("/v1/memory/search", secret, SEARCH).status == 200


def test_a_batch_of_tools_counts_each_of_its_calls_or_none(documented: Process) -> None:
    secret = documented.key()
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    batches = [[{**ping, "id": place} for place in range(size)] for size in (100, 30, 19)]
    replies = [documented.post("/v1/mcp", secret, batch) for batch in batches]
    # The refused batch counted as the one request that it came in.
    assert [reply.status for reply in replies] == [200, 429, 200]
    assert [len(json.loads(reply.body)) for reply in replies[::2]] == [100, 19]
    assert documented.post("/v1/mcp", secret, ping).status == 429

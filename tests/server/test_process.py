"""`brain serve` as a process: how it starts, refuses, is stopped, and keeps others."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from pathlib import Path

import pytest

from tests.cli.shell import Shell, eventually, posix
from tests.doors.plain_http import send
from tests.server.process import Process, company

Running = Callable[..., Process]
SEARCH = {"query": "deposits"}


def children(process: Process) -> list[int]:
    return [pid for pid, parent in living().items() if parent == process.popen.pid]


def living() -> dict[int, int]:
    """The parent of each process of this machine; the dead whom nobody has buried are left out."""
    done = subprocess.run(["ps", "-A", "-o", "pid=,ppid=,state="], capture_output=True, check=True)
    rows = [line.split() for line in done.stdout.splitlines()]
    return {int(pid): int(parent) for pid, parent, state in rows if not state.startswith(b"Z")}


@posix
@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("processes", ["1", "2"])
def test_being_told_to_stop_is_no_failure(running: Running, number: signal.Signals, processes: str) -> None:
    process = running("--processes", processes)
    secret = process.key()
    assert process.post("/v1/memory/search", secret, SEARCH).status == 200
    process.popen.send_signal(number)
    assert process.wait() == 0
    assert "Traceback" not in process.log
    assert not serves(process, secret)


def serves(process: Process, secret: str) -> bool:
    """Whether this brain still answers. Its port may be another test's by now, whose brain does not know the key."""
    try:
        return process.post("/v1/memory/search", secret, SEARCH).status == 200
    except (OSError, HTTPException):
        return False


@posix
def test_being_told_to_stop_while_it_starts_leaves_no_process_behind(running: Running) -> None:
    process = running("--processes", "8")
    # It tells where it listens before it parts, so some of them are still to come.
    process.popen.terminate()
    assert process.wait() in {0, 143}


def test_it_says_where_it_listens_and_writes_nothing_to_standard_output(running: Running) -> None:
    process = running()
    port = process.address[1]
    assert f"http://127.0.0.1:{port}" in process.log
    assert f"http://127.0.0.1:{port}/v1/mcp" in process.log
    assert process.get("/healthz").json() == {"status": "ok"}
    assert process.get("/readyz").json() == {"status": "ready"}
    process.popen.terminate()
    assert process.popen.stdout is not None
    assert process.popen.stdout.read() == b""
    process.wait()


def test_it_serves_ipv6(running: Running) -> None:
    if not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    process = running("--host", "::1")
    assert process.base_url.startswith("http://[::1]:")
    assert process.get("/healthz").status == 200


def shell_of(home: Path) -> Shell:
    """A shell with a brain."""
    with Process.unstarted(home, company(home / "brain.db")) as process:
        return process.shell


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.5", "brain.example"])
def test_other_machines_are_not_let_in_by_accident(tmp_path: Path, host: str) -> None:
    refused = shell_of(tmp_path).run("brain", "serve", "--host", host)
    assert (refused.code, refused.out) == (2, "")
    assert "--allow-remote" in refused.err


def test_they_are_where_it_is_meant(running: Running) -> None:
    process = running("--host", "0.0.0.0", "--allow-remote", "--allow-host", "brain.example")
    address = ("127.0.0.1", process.address[1])
    for host, status in (("brain.example", 200), ("10.0.0.7:80", 200), ("evil.example", 403)):
        assert send(address, "GET", "/healthz", b"", {"Host": host}).status == status


def test_an_address_that_is_taken_is_told_in_a_sentence(tmp_path: Path, running: Running) -> None:
    process = running()
    home = tmp_path / "other"
    home.mkdir()
    refused = shell_of(home).run("brain", "serve", "--port", str(process.address[1]))
    assert refused.code == 2
    assert "cannot be listened on" in refused.err
    assert "Traceback" not in refused.err


def test_without_a_brain_it_says_how_to_make_one(tmp_path: Path) -> None:
    refused = Shell(tmp_path, {"BRAINCTL_HOME": str(tmp_path)}).run("brain", "serve")
    assert refused.code == 2
    assert "brainctl brain init" in refused.err


def test_without_the_extra_it_says_how_to_get_it(tmp_path: Path) -> None:
    shell = shell_of(tmp_path)
    script = (
        "import sys; sys.modules['uvicorn'] = None; from brainctl.cli.main import main; "
        "sys.exit(main(['brain', 'serve', '--port', '0']))"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], env=shell.environ, capture_output=True, timeout=60, check=False
    )
    assert done.returncode == 2
    assert "pip install 'alfera-brainctl[serve]'" in done.stderr.decode()


@posix
def test_a_process_that_dies_is_replaced(running: Running) -> None:
    process = running("--processes", "2")
    secret = process.key()
    eventually(lambda: len(children(process)) == 2)
    # Whoever ends as soon as it began is not started again; these will have served for a while.
    time.sleep(2.5)
    first = children(process)
    os.kill(first[0], signal.SIGALRM)
    eventually(lambda: len(children(process)) == 2 and first[0] not in children(process))
    for _ in range(10):
        assert process.post("/v1/memory/search", secret, SEARCH).status == 200


@posix
def test_a_process_that_somebody_kills_is_replaced_however_young_it_is(running: Running) -> None:
    process = running("--processes", "2")
    secret = process.key()
    for _ in range(3):
        eventually(lambda: len(children(process)) == 2)
        [first, *_] = children(process)
        os.kill(first, signal.SIGKILL)
        eventually(lambda gone=first: len(children(process)) == 2 and gone not in children(process))  # type: ignore[misc]  # its default is what the loop has now
    assert process.post("/v1/memory/search", secret, SEARCH).status == 200


@posix
def test_nobody_is_let_in_while_the_last_requests_end(running: Running) -> None:
    process = running("--processes", "2")
    secret = process.key()
    body = b'{"query": "deposits"}'
    head = f"POST /v1/memory/search HTTP/1.1\r\nHost: x\r\nX-Api-Key: {secret}\r\nContent-Length: {len(body)}\r\n"
    with socket.create_connection(process.address) as last:
        host = f"{process.address[0]}:{process.address[1]}"
        last.sendall(
            head.replace("Host: x", f"Host: {host}").encode() + b"Content-Type: application/json\r\n\r\n"
        )
        assert process.get("/healthz").status == 200
        process.popen.terminate()
        eventually(lambda: is_refused(process.address))
        assert process.popen.poll() is None
        last.sendall(body)
        assert last.recv(65536).startswith(b"HTTP/1.1 200 ")
    assert process.wait() == 0


def is_refused(address: tuple[str, int]) -> bool:
    try:
        socket.create_connection(address).close()
    except ConnectionError:
        return True
    return False


@posix
def test_processes_end_with_the_one_that_keeps_them(running: Running) -> None:
    process = running("--processes", "2")
    eventually(lambda: len(children(process)) == 2)
    left = children(process)
    process.popen.kill()
    process.wait()
    eventually(lambda: not set(left) & living().keys())


@posix
def test_processes_count_together(running: Running) -> None:
    process = running("--processes", "2")
    secret = process.key()
    with ThreadPoolExecutor(40) as pool:
        replies = list(pool.map(lambda _: process.post("/v1/memory/search", secret, SEARCH), range(40)))
    assert [reply.status for reply in replies] == [200] * 40

    def is_counted() -> bool:
        text = process.get("/metrics").body.decode()
        return 'brainctl_http_requests_total{route="/v1/memory/search",code="200"} 40\n' in text

    # A request is counted once its reply has left, and whichever process is asked tells of all.
    eventually(is_counted)
    assert all(is_counted() for _ in range(5))


def test_a_question_queued_before_a_kill_is_answered_after_it(tmp_path: Path) -> None:
    owner = company(tmp_path / "brain.db")
    with Process(tmp_path, owner, "--workers", "0") as process:
        secret = process.key()
        body = {"input": "What about deposits?", "stream": False}
        queued = process.post("/v1/answers", secret, body).json()["data"]["answer_id"]
        process.popen.kill()
        process.wait()
        with Process.again(tmp_path, process) as second:

            def status() -> str:
                return str(second.get(f"/v1/answers/{queued}", secret).json()["data"]["status"])

            eventually(lambda: status() == "completed")


def test_the_log_has_a_line_a_request_and_no_secret_and_nothing_that_was_said(running: Running) -> None:
    process = running()
    secret = process.key()
    said = ["Deposits", "non-refundable", "wombat", "cust_419", "Maria", secret]
    replies = [
        process.post(
            "/v1/memory/search", secret, {"query": "wombat deposits", "end_user": {"id": "cust_419"}}
        ),
        process.post("/v1/memory/facts", secret, {"facts": [{"text": "A wombat is no deposit."}]}),
        process.post("/v1/answers", secret, {"input": "wombat deposits?", "conversation_id": "wombat"}),
        process.get(f"/v1/answers/{secret}?include=wombat", secret),
        process.get(f"/{secret}/x", secret),
        process.post("/v1/memory/search", f"{secret}wombat", {"query": "wombat"}),
        process.get("/v1/mcp"),
    ]
    eventually(lambda: len(process.lines) == len(replies))
    told = process.log + process.get("/metrics").body.decode()
    assert [word for word in said if word in told] == []
    assert [line["status"] for line in process.lines[:7]] == [200, 202, 200, 422, 404, 401, 405]
    first = process.lines[0]
    assert list(first) == ["time", "request_id", "method", "path", "status", "ms", "key_prefix"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", first["time"])
    assert (first["method"], first["path"]) == ("POST", "/v1/memory/search")
    assert first["key_prefix"] == secret[:12]
    assert first["request_id"] == replies[0].headers["X-Request-Id"]
    assert first["ms"] > 0
    assert "key_prefix" not in process.lines[5]


def test_why_a_run_failed_stands_in_the_log_and_not_in_the_answer(running: Running) -> None:
    process = running()
    process.owner.set_worker("gone", model="none", base_url="http://127.0.0.1:9/v1")
    reply = process.post("/v1/answers", process.key(), {"input": "what?", "agent_slug": "gone"})
    assert b"answer.failed" in reply.body
    assert b"127.0.0.1:9" not in reply.body
    eventually(lambda: any("failed: " in str(line.get("note")) for line in process.lines))

"""MCP over standard input and output: JSON-RPC and nothing else, whatever becomes of the brain behind it."""

import json
import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from queue import Queue
from typing import Any, Final

import pytest

from tests.cli.hosted import Hosting, data, identity, refused
from tests.cli.shell import BRAINCTL, Shell
from tests.mcp.conftest import House, request
from tests.mcp.test_tools import ALL, data_of, error_of

SECONDS: Final = 60


class Bridge:
    """A running `brainctl mcp serve`."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        self._lines: Queue[bytes] = Queue()
        self._seen: dict[Any, Any] = {}
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def send(self, message: Any) -> None:
        assert self.process.stdin is not None
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def next(self) -> Any:
        """The next message; None at the end."""
        line = self._lines.get(timeout=SECONDS)
        return json.loads(line) if line else None

    def reply(self, request_id: Any) -> Any:
        """The reply to a request, whichever order they come in."""
        while request_id not in self._seen:
            said = self.next()
            assert said is not None, "the bridge has ended"
            self._seen[said["id"]] = said
        return self._seen.pop(request_id)

    def call(self, tool: str, **arguments: Any) -> Any:
        self.send(request(7, "tools/call", {"name": tool, "arguments": arguments}))
        return self.reply(7)["result"]

    def end(self) -> tuple[int, str]:
        """Close its input; its exit code, and what it wrote on standard error."""
        assert self.process.stdin is not None
        assert self.process.stderr is not None
        self.process.stdin.close()
        code = self.process.wait(SECONDS)
        return code, self.process.stderr.read().decode()


@contextmanager
def bridged(shell: Shell, *options: str) -> Iterator[Bridge]:
    with subprocess.Popen(
        [BRAINCTL, *options, "mcp", "serve"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=shell.environ,
    ) as process:
        try:
            yield Bridge(process)
        finally:
            process.kill()


@pytest.fixture
def hosted(house: House, own: Shell) -> Shell:
    """A shell whose key opens a served brain."""
    return own.with_(ALFERA_API_KEY=house.key, BRAINCTL_BASE_URL=house.server.base_url)


@pytest.fixture
def hosting(own: Shell, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosting]:
    with ExitStack() as closing:
        yield Hosting(Shell(tmp_path_factory.mktemp("home"), {"BRAINCTL_KEYRING": "off"}), closing)


def test_it_needs_no_server_library() -> None:
    script = "import sys, brainctl.cli.mcp.bridge; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert not {"starlette", "uvicorn", "anyio", "asyncio", "httpx"} & set(done.stdout.split())


def test_a_brain_of_ones_own_is_served(own: Shell) -> None:
    with bridged(own, "-e", "local") as bridge:
        bridge.send(request(0, "server/discover", {"_meta": {}}))
        assert bridge.reply(0)["error"]["code"] == -32601
        bridge.send(request(1, "initialize", {"protocolVersion": "2025-11-25"}))
        assert bridge.reply(1)["result"]["protocolVersion"] == "2025-06-18"
        bridge.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
        bridge.send(request(2, "tools/list"))
        assert [tool["name"] for tool in bridge.reply(2)["result"]["tools"]] == ALL
        assert data_of(bridge.call("whoami"))["key_name"] == "owner"
        assert data_of(bridge.call("search_memory", query="refund"))["facts"]
        answer = data_of(bridge.call("ask_worker", input="What is our refund policy for weddings?"))
        assert answer["status"] == "completed"
        assert answer["sources"]
        bridge.send(request(3, "nonsense"))
        assert bridge.reply(3)["error"]["code"] == -32601
        code, err = bridge.end()
    assert (code, err) == (0, "")


def test_a_hosted_brain_is_served(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        assert data_of(bridge.call("whoami"))["key_prefix"] == house.key[:12]
        answer = data_of(bridge.call("ask_worker", input="a refund", conversation_id="c"))
        assert answer["output_text"] == "about a refund"
        said = error_of(bridge.call("search_memory", query=""))
        assert (said["error"], said["http_status"]) == ("validation_error", 422)
        said = error_of(bridge.call("wait_for_answer", answer_id="event_" + "0" * 26))
        assert (said["error"], said["http_status"]) == ("not_found", 404)
        assert bridge.end() == (0, "")


def test_the_list_is_what_the_key_allows(house: House, hosted: Shell) -> None:
    reader = hosted.with_(ALFERA_API_KEY=house.workspace.key(scopes=["memory.read"]))
    with bridged(reader) as bridge:
        bridge.send(request(1, "tools/list"))
        listed = [tool["name"] for tool in bridge.reply(1)["result"]["tools"]]
        assert listed == ["whoami", "search_memory", "get_memory_context"]
        assert error_of(bridge.call("ask_worker", input="x"))["error"] == "scope_missing"


def test_a_call_that_waits_holds_up_no_other(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        bridge.send(request(1, "tools/call", {"name": "ask_worker", "arguments": {"input": "slow"}}))
        bridge.send(request(2, "ping"))
        assert bridge.reply(2)["result"] == {}
        assert data_of(bridge.call("search_memory", query="refund"))["facts"]
        house.worker.released.set()
        assert data_of(bridge.reply(1)["result"])["output_text"] == "about slow"


def test_time_that_runs_out_tells_the_id(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        out = data_of(bridge.call("ask_worker", input="slow", timeout_seconds=1))
        assert set(out) == {"wait_timed_out", "answer_id"}
        house.worker.released.set()
        assert data_of(bridge.call("wait_for_answer", answer_id=out["answer_id"]))["status"] == "completed"


def test_the_end_of_input_ends_it_and_what_waits_is_told_its_id(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        bridge.send(request(1, "tools/call", {"name": "ask_worker", "arguments": {"input": "slow"}}))
        assert bridge.end()[0] == 0
        assert data_of(bridge.reply(1)["result"])["wait_timed_out"] is True
        assert bridge.next() is None


def test_what_was_asked_before_the_end_of_input_is_answered(own: Shell) -> None:
    asked = [request(n, "tools/call", {"name": "whoami"}) for n in range(5)]
    done = own.run("-e", "local", "mcp", "serve", stdin="\n".join(json.dumps(each) for each in asked))
    assert done.code == 0
    assert sorted(json.loads(line)["id"] for line in done.out.splitlines()) == [0, 1, 2, 3, 4]


def test_no_input_at_all_ends_it(own: Shell) -> None:
    assert own.run("-e", "local", "mcp", "serve", stdin="") == (0, "", "")


def test_each_message_is_one_line_to_every_reader(own: Shell) -> None:
    text = "Line\u2028of\u0085the zebra \U0001f993."
    calls = [
        request(1, "tools/call", {"name": "teach_memory", "arguments": {"facts": [{"text": text}]}}),
        request(2, "tools/call", {"name": "search_memory", "arguments": {"query": "zebra"}}),
    ]
    with bridged(own, "-e", "local") as bridge:
        bridge.send(calls[0])
        bridge.reply(1)
        bridge.send(calls[1])
        facts = data_of(bridge.reply(2)["result"])["facts"]
        assert [fact["fact_text"] for fact in facts] == [text]
    done = own.run("-e", "local", "mcp", "serve", stdin=json.dumps(calls[1]))
    # As Python splits lines, which is at more characters than any other does.
    assert len(done.out.splitlines()) == 1


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"x", -32700),
        (b"\xff", -32700),
        (b"[" * 50_000, -32700),
        (b"5", -32600),
        (b"[]", -32600),
        (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
        (b" " * (2 * 1024 * 1024 + 5), -32600),
    ],
)
def test_a_line_that_is_no_message_is_refused_and_the_next_one_answered(
    own: Shell, line: bytes, code: int
) -> None:
    with bridged(own, "-e", "local") as bridge:
        bridge.send(line)
        said = bridge.next()
        assert (said["id"], said["error"]["code"]) == (None, code)
        bridge.send(b"")
        bridge.send(request("next", "ping"))
        assert bridge.next() == {"jsonrpc": "2.0", "id": "next", "result": {}}


def test_batches_are_for_the_version_that_has_them(own: Shell) -> None:
    with bridged(own, "-e", "local") as bridge:
        batch = [request(1, "ping"), request(2, "initialize", {}), request(3, "tools/list")]
        bridge.send(batch)
        said = {each["id"]: each for each in bridge.next()}
        assert said[1]["result"] == {}
        assert said[2]["error"]["code"] == -32600
        assert len(said[3]["result"]["tools"]) == 6
        bridge.send(request(4, "initialize", {"protocolVersion": "2025-06-18"}))
        bridge.reply(4)
        bridge.send(batch)
        assert bridge.next()["error"]["code"] == -32600


# What a brain may do


def test_a_key_that_is_refused_is_an_error_the_agent_can_read(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        assert data_of(bridge.call("whoami"))
        house.workspace.revoke(house.key)
        said = error_of(bridge.call("search_memory", query="x"))
        assert (said["error"], said["http_status"]) == ("api_key_revoked", 401)
        bridge.send(request(1, "ping"))
        assert bridge.reply(1)["result"] == {}


def test_a_brain_that_is_not_there_is_an_error_the_agent_can_read(own: Shell) -> None:
    nowhere = own.with_(ALFERA_API_KEY="ak_live_x7f4" + "Q" * 28, BRAINCTL_BASE_URL="http://127.0.0.1:9")
    with bridged(nowhere, "--retries", "0") as bridge:
        said = error_of(bridge.call("whoami"))
        assert (said["error"], said["http_status"]) == ("unreachable", 502)
        bridge.send(request(1, "tools/list"))
        assert bridge.reply(1)["error"]["code"] == -32603
        bridge.send(request(2, "ping"))
        assert bridge.reply(2)["result"] == {}


def test_an_overloaded_brain_is_told_of_at_once(hosting: Hosting) -> None:
    limited = refused("rate_limited", 429, details={"retry_after_seconds": 60})
    road = hosting(identity(), limited)
    with bridged(road.shell) as bridge:
        said = error_of(bridge.call("search_memory", query="x"))
        assert (said["error"], said["http_status"]) == ("rate_limited", 429)


def test_a_question_whose_reply_was_lost_is_asked_once(hosting: Hosting) -> None:
    queued = data({"answer_id": "event_1", "status": "queued"}, 202)
    answer = {"answer_id": "event_1", "status": "completed", "output_text": "yes", "sources": []}
    road = hosting(identity(scopes=["answers.write"]), refused("internal_error", 502), queued, data(answer))
    with bridged(road.shell) as bridge:
        assert data_of(bridge.call("ask_worker", input="x"))["output_text"] == "yes"
    asked = [each.lower() for each in road.road.requests if each.startswith(b"POST /v1/answers ")]
    assert len(asked) == 2
    assert len({re.search(rb"idempotency-key: (\S+)", each)[1] for each in asked}) == 1  # type: ignore[index]  # a miss fails the test


def test_without_a_key_it_says_why_and_ends(own: Shell) -> None:
    done = own.run("-e", "production", "mcp", "serve", stdin="")
    assert done.code == 3
    assert done.out == ""
    assert done.err.startswith("error: ")


@pytest.mark.skipif(not hasattr(signal, "SIGTERM"), reason="signals are not these on Windows")
def test_it_can_be_terminated_while_a_call_waits(house: House, hosted: Shell) -> None:
    with bridged(hosted) as bridge:
        bridge.send(request(1, "tools/call", {"name": "ask_worker", "arguments": {"input": "slow"}}))
        bridge.send(request(2, "ping"))
        bridge.reply(2)
        bridge.process.terminate()
        assert bridge.process.wait(SECONDS) == 143

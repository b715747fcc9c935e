"""The commands keep below the key's rate limit, all of them together."""

import json
import re
from pathlib import Path

import pytest

from tests.cli.hosted import SECRET, Hosting, data, facts, inside, refused
from tests.cli.shell import Shell
from tests.doors.faults import gateway
from tests.pacing.limited import limited


def windows(shell: Shell) -> list[Path]:
    folder = shell.home / ".local/state/brainctl/pacing"
    return sorted(folder.glob("*.json")) if folder.exists() else []


def counted(shell: Shell) -> int:
    """How many requests the window of the only key holds."""
    (window,) = windows(shell)
    return len(json.loads(window.read_text())["slots"])


def test_fifty_shells_at_once_are_never_refused_and_say_that_they_wait(shell: Shell) -> None:
    # A window is far longer than a busy machine keeps one shell from sending what it may send, and a half of the
    # shells from being there at once.
    with limited(25, 12.0) as server:
        user = shell.with_(ALFERA_API_KEY=SECRET, BRAINCTL_BASE_URL=server.base_url, BRAINCTL_PACING="25/12")
        started = [user.start("search", "--json", f"query {number}") for number in range(50)]
        ends = [each.communicate(timeout=180) for each in started]
        codes = [each.returncode for each in started]
    assert codes == [0] * 50, b"".join(err for _, err in ends).decode()
    assert (server.refused, len(server.accepted)) == (0, 50)
    assert {body["query"] for body in server.accepted} == {f"query {number}" for number in range(50)}
    waits = [err.decode() for _, err in ends if err]
    assert waits
    assert all(re.fullmatch(r"(Waiting \d+ s for this key's rate limit\.\n)+", said) for said in waits)
    assert all(json.loads(out) == {"facts": []} for out, _ in ends)


def test_every_try_counts(hosting: Hosting) -> None:
    hosted = hosting(gateway(502), facts("a"))
    assert inside(hosted.shell, "search", "q", "--retries", "1").code == 0
    assert counted(hosted.shell) == 2


def test_polls_count(hosting: Hosting) -> None:
    answer = {"answer_id": "event_1", "status": "completed", "output_text": "Yes.", "usage": None}
    hosted = hosting(data({"answer_id": "event_1", "status": "queued"}, 202), data(answer))
    assert inside(hosted.shell, "ask", "q").out == "Yes.\n"
    assert counted(hosted.shell) == 2


def test_a_wait_is_no_longer_than_was_asked_for_whatever_the_window(hosting: Hosting) -> None:
    queued = data({"answer_id": "event_1", "status": "queued"}, 202)
    # One request in five minutes: the question takes it, and no look at the answer is left.
    hosted = hosting(queued, BRAINCTL_PACING="1/300")
    asked = inside(hosted.shell, "ask", "q", "--wait", "0.2")
    assert (asked.code, json.loads(asked.out)) == (10, {"wait_timed_out": True, "answer_id": "event_1"})
    waited = inside(hosted.shell, "wait", "event_1", "--wait", "0")
    assert (waited.code, json.loads(waited.out)) == (10, {"wait_timed_out": True, "answer_id": "event_1"})
    assert "Waiting" not in asked.err + waited.err
    assert len(hosted.road.requests) == 1
    assert counted(hosted.shell) == 1


def test_a_wait_is_no_longer_than_was_asked_for_after_a_refusal(hosting: Hosting) -> None:
    limit = refused("rate_limited", 429, details={"retry_after_seconds": 300})
    hosted = hosting(data({"answer_id": "event_1", "status": "queued"}, 202), limit, BRAINCTL_PACING="")
    asked = inside(hosted.shell, "ask", "q", "--wait", "0.3")
    assert (asked.code, json.loads(asked.out)) == (10, {"wait_timed_out": True, "answer_id": "event_1"})
    assert len(hosted.road.requests) == 2


def test_a_refusal_all_the_same_is_told_to_the_next_command(hosting: Hosting) -> None:
    hosted = hosting(
        refused("rate_limited", 429, details={"retry_after_seconds": 300}), facts("a"), BRAINCTL_PACING=""
    )
    assert inside(hosted.shell, "search", "q", "--retries", "0").code == 7
    with hosted.shell.unmeasured.start("search", "q") as second:
        assert second.stderr is not None
        said = second.stderr.readline().decode()
        # Five minutes are more than a test takes.
        second.kill()
    found = re.fullmatch(r"Waiting (\d+) s for this key's rate limit\.\n", said)
    assert found is not None, said
    assert 0 < int(found[1]) <= 300
    assert len(hosted.road.requests) == 1


def test_a_second_key_has_a_window_of_its_own(hosting: Hosting) -> None:
    hosted = hosting(facts("a"), facts("a"))
    other = hosted.shell.with_(ALFERA_API_KEY=SECRET[:-1] + "Z")
    for shell in (hosted.shell, other):
        assert inside(shell, "search", "q").code == 0
    assert len(windows(hosted.shell)) == 2


def test_pacing_can_be_switched_off(hosting: Hosting) -> None:
    hosted = hosting(facts("a"), BRAINCTL_PACING="off")
    assert inside(hosted.shell, "search", "q").code == 0
    assert windows(hosted.shell) == []


@pytest.mark.parametrize("variable", ["on", "120"])
def test_a_variable_that_says_nothing_sensible_is_a_usage_error(hosting: Hosting, variable: str) -> None:
    hosted = hosting(BRAINCTL_PACING=variable)
    failed = inside(hosted.shell, "search", "q")
    assert (failed.code, "BRAINCTL_PACING is off, or" in failed.err) == (2, True)


def test_where_nothing_can_be_written_requests_are_made_all_the_same(hosting: Hosting) -> None:
    hosted = hosting(facts("a"), BRAINCTL_HOME="/dev/null/nowhere")
    done = inside(hosted.shell, "search", "q")
    assert (done.code, done.err) == (0, "")


def test_a_home_that_is_not_there_is_not_made_for_this(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("a"), HOME=str(tmp_path / "gone"))
    done = inside(hosted.shell, "search", "q")
    assert (done.code, done.err, (tmp_path / "gone").exists()) == (0, "", False)


def test_a_brain_on_this_machine_is_not_paced(shell: Shell) -> None:
    assert inside(shell, "brain", "init").code == 0
    assert inside(shell, "search", "q").code == 0
    assert windows(shell) == []

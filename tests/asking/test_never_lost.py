"""Nothing asked is lost, and nothing is asked twice: whatever breaks, the answer is found by its key or its id."""

import json
import os
import signal
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from tests.asking.conftest import JournalFile
from tests.asking.saying import (
    DONE,
    QUEUED,
    RUN,
    First,
    accepted,
    answer,
    body,
    completed,
    created,
    data,
    delta,
    failed,
    header,
    says,
    unfinished,
)
from tests.cli.hosted import Hosting, inside, refused
from tests.cli.shell import Shell, posix
from tests.doors.faults import Fault, Reply, Road, gateway

PATIENCE = 60.0
YES = answer("Yes.", QUEUED)


class Breaks:
    """The connection ends before there is a reply."""

    def meet(self, request: bytes, road: Road) -> None:
        road.reset()


class Cut:
    """A reply of which only the first bytes arrive."""

    def __init__(self, reply: Reply, after: int) -> None:
        self._reply = reply
        self._after = after

    def meet(self, request: bytes, road: Road) -> None:
        said: list[bytes] = []

        class Aside:
            def say(self, data: bytes) -> None:
                said.append(data)

        self._reply.meet(request, Aside())  # type: ignore[arg-type]  # a reply does nothing but say
        road.say(b"".join(said)[: self._after])


def keys_of(hosted_requests: list[bytes]) -> list[str | None]:
    return [header(request, "Idempotency-Key") for request in hosted_requests if request.startswith(b"POST")]


# Queued


def test_the_key_is_on_the_disk_before_the_question_leaves(hosting: Hosting, journal: JournalFile) -> None:
    seen: list[tuple[list[dict[str, Any]], str | None]] = []

    def look(request: bytes) -> None:
        seen.append((journal.rows, header(request, "Idempotency-Key")))

    hosted = hosting(First(look, accepted()), data(YES))
    assert inside(hosted.shell, "ask", "x", "-c", "t").code == 0
    [([row], key)] = seen
    assert row["idempotency_key"] == key
    assert key
    assert row["request"] == {"input": "x", "conversation_id": "t"}


def test_the_journal_is_for_this_user_alone_and_holds_no_secret(
    hosting: Hosting, journal: JournalFile
) -> None:
    hosted = hosting(accepted(), data(YES))
    inside(hosted.shell, "ask", "x")
    assert journal.path.stat().st_mode & 0o777 == 0o600
    assert hosted.shell.environ["ALFERA_API_KEY"] not in journal.path.read_text()


@pytest.mark.parametrize(
    "lost", [Breaks(), gateway(502), gateway(504), Reply(500, b"{}"), Cut(accepted(), 60)]
)
def test_a_lost_reply_is_asked_for_again_under_the_same_key(hosting: Hosting, lost: Fault) -> None:
    hosted = hosting(lost, accepted(), data(YES))
    asked = inside(hosted.shell, "ask", "x")
    assert (asked.code, asked.out) == (0, "Yes.\n")
    keys = keys_of(hosted.road.requests)
    assert len(keys) == 2
    assert len(set(keys)) == 1


def test_the_same_question_asked_again_is_another_one(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(YES), accepted(), data(YES))
    for _ in range(2):
        inside(hosted.shell, "ask", "x")
    assert len(set(keys_of(hosted.road.requests))) == 2


def test_a_key_of_ones_own_is_used_as_it_is(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(YES))
    inside(hosted.shell, "ask", "x", "--idempotency-key", "order 1")
    assert keys_of(hosted.road.requests) == ["order 1"]


@pytest.mark.parametrize("key", ["", " x", "é", "a\nb"])
def test_a_key_that_cannot_travel_is_a_usage_error(hosting: Hosting, journal: JournalFile, key: str) -> None:
    hosted = hosting()
    assert inside(hosted.shell, "ask", "x", "--idempotency-key", key).code == 2
    assert inside(hosted.shell, "wait").code == 5


def test_killed_before_the_reply_it_is_sent_again_and_is_one_question(hosting: Hosting) -> None:
    arrived, over = Flag(), Flag()

    def hold(request: bytes) -> None:
        arrived.set()
        over.wait(PATIENCE)

    hosted = hosting(First(hold, accepted()), accepted(), data(YES))
    with hosted.shell.unmeasured.start("ask", "x", "-c", "t", "--sources") as process:
        assert arrived.wait(PATIENCE)
        process.kill()
    over.set()
    waited = hosted.shell.run("wait")
    assert (waited.code, waited.out) == (0, "Yes.\n")
    first, second, _ = hosted.road.requests
    assert header(first, "Idempotency-Key") == header(second, "Idempotency-Key")
    assert body(first) == body(second)
    assert inside(hosted.shell, "wait").code == 5, "it has been seen"


def test_killed_while_it_waits_it_is_read_by_its_id(hosting: Hosting, journal: JournalFile) -> None:
    looked, over = Flag(), Flag()

    def hold(request: bytes) -> None:
        looked.set()
        over.wait(PATIENCE)

    hosted = hosting(accepted(), First(hold, data(unfinished())), data(YES))
    with hosted.shell.unmeasured.start("ask", "x") as process:
        assert looked.wait(PATIENCE)
        process.kill()
    over.set()
    assert inside(hosted.shell, "wait").out == "Yes.\n"
    assert [line.split()[0] for line in hosted.lines] == ["POST", "GET", "GET"]


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        ((refused("out_of_credits", 402),), 8),
        ((refused("validation_error", 422),), 2),
        ((refused("rate_limited", 429),), 7),
    ],
)
def test_what_was_refused_is_nothing_to_wait_for(
    hosting: Hosting, replies: tuple[Fault, ...], code: int
) -> None:
    hosted = hosting(*replies)
    assert inside(hosted.shell, "--retries", "0", "ask", "x").code == code
    assert inside(hosted.shell, "wait").code == 5
    assert len(hosted.road.requests) == 1


def test_what_never_left_is_nothing_to_wait_for(shell: Shell) -> None:
    nowhere = shell.with_(ALFERA_API_KEY="ak_live_" + "x" * 32, BRAINCTL_BASE_URL="http://127.0.0.1:1")
    assert inside(nowhere, "--retries", "0", "ask", "x").code == 11
    assert inside(nowhere, "wait").code == 5


@pytest.mark.parametrize("then", [refused("rate_limited", 429), refused("api_key_expired", 401)])
def test_a_refusal_after_a_lost_reply_may_leave_a_run_behind(hosting: Hosting, then: Fault) -> None:
    hosted = hosting(Breaks(), then, accepted(), data(YES))
    assert inside(hosted.shell, "--retries", "1", "ask", "x").code in {3, 7}
    assert inside(hosted.shell, "wait").out == "Yes.\n"
    assert len(set(keys_of(hosted.road.requests))) == 1


def test_a_reply_that_makes_no_sense_may_leave_a_run_behind(hosting: Hosting) -> None:
    hosted = hosting(Reply(202, b"<html>accepted</html>", "text/html"), accepted(), data(YES))
    assert inside(hosted.shell, "ask", "x").code == 11
    assert inside(hosted.shell, "wait").out == "Yes.\n"


def test_a_question_is_not_sent_again_with_another_key(hosting: Hosting) -> None:
    hosted = hosting(gateway(), gateway(), data(YES))
    assert inside(hosted.shell, "--retries", "0", "ask", "x").code == 11
    other = hosted.shell.with_(ALFERA_API_KEY="ak_live_Zz9y" + "R" * 28)
    assert inside(other, "wait").code == 5
    assert len(hosted.road.requests) == 1


def test_wait_without_an_id_takes_the_newest_that_is_open(hosting: Hosting) -> None:
    older, newer = "event_older", "event_newer"
    hosted = hosting(
        accepted(older),
        accepted(newer),
        data(answer("newer", newer)),
        data(answer("older", older)),
    )
    for _ in range(2):
        inside(hosted.shell, "ask", "x", "--no-wait")
    assert inside(hosted.shell, "wait").out == "newer\n"
    assert inside(hosted.shell, "wait").out == "older\n"
    nothing = inside(hosted.shell, "wait")
    assert (nothing.code, nothing.out) == (5, "")
    assert "still open" in nothing.err


@pytest.mark.parametrize("unset", ["", " "])
def test_an_id_that_a_script_left_empty_is_not_the_newest(hosting: Hosting, unset: str) -> None:
    hosted = hosting(accepted())
    inside(hosted.shell, "ask", "x", "--no-wait")
    waited = inside(hosted.shell, "wait", unset)
    assert (waited.code, waited.out, len(hosted.road.requests)) == (2, "", 1)
    assert "ANSWER_ID is empty" in waited.err


def test_an_answer_that_ran_out_of_time_stays_open(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(unfinished()), data(unfinished()), data(YES))
    assert inside(hosted.shell, "ask", "x", "-w", "0").code == 10
    assert inside(hosted.shell, "wait", "-w", "0").code == 10
    assert inside(hosted.shell, "wait").out == "Yes.\n"


def test_an_answer_that_failed_has_been_seen(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(answer("", QUEUED, status="failed", error={"code": "run_failed"})))
    assert inside(hosted.shell, "ask", "x").code == 9
    assert inside(hosted.shell, "wait").code == 5


def test_an_answer_that_is_gone_does_not_stand_before_older_ones(hosting: Hosting) -> None:
    hosted = hosting(accepted("event_older"), accepted(), refused("not_found", 404), data(answer("older")))
    for _ in range(2):
        inside(hosted.shell, "ask", "x", "--no-wait")
    assert inside(hosted.shell, "wait").code == 5
    assert inside(hosted.shell, "wait").out == "older\n"


def test_another_profiles_answers_are_left_alone(shell: Shell) -> None:
    assert inside(shell, "brain", "init").code == 0
    made = inside(
        shell, "brain", "keys", "create", "second", "--scope", "answers.write", "--save-as", "second"
    )
    assert made.code == 0, made.err
    mine = inside(shell, "ask", "x", "--no-wait").out.strip()
    other = inside(shell, "-p", "second", "wait")
    assert other.code == 5
    found = inside(shell, "wait", "--json")
    assert json.loads(found.out)["answer_id"] == mine


def test_a_machine_without_a_place_for_a_journal_still_gets_its_answer(
    hosting: Hosting, tmp_path: Path
) -> None:
    file = tmp_path / "a file"
    file.touch()
    hosted = hosting(accepted(), data(YES), BRAINCTL_HOME=str(file))
    asked = inside(hosted.shell, "ask", "x")
    assert (asked.code, asked.out) == (0, "Yes.\n")
    assert asked.err.startswith("warning: ")
    assert asked.err.count("\n") == 1


def test_a_machine_without_a_home_still_gets_its_answer(
    hosting: Hosting, monkeypatch: pytest.MonkeyPatch
) -> None:
    hosted = hosting(accepted(), data(YES))
    del hosted.shell.environ["HOME"]
    # What a container says of a user that it does not know.
    monkeypatch.setattr("os.path.expanduser", lambda path: path)
    monkeypatch.setattr("platformdirs.PlatformDirs", _no_such_user)
    asked = inside(hosted.shell, "ask", "x")
    assert (asked.code, asked.out) == (0, "Yes.\n")
    assert "BRAINCTL_HOME" in asked.err


def _no_such_user(*_: object, **__: object) -> None:
    raise RuntimeError("Could not determine home directory.")


# Streamed


@pytest.mark.parametrize("ending", ["close", "reset"])
@pytest.mark.parametrize("form", ["human", "json", "jsonl"])
def test_a_broken_stream_is_read_back_by_its_id(hosting: Hosting, ending: Any, form: str) -> None:
    hosted = hosting(says(created(), delta("Ye"), ending=ending), data(answer("Yes.")))
    asked = inside(hosted.shell, "ask", "x", "--stream", "-o", form, "--sources")
    assert asked.code == 0
    assert RUN in asked.err
    assert hosted.lines == [
        "POST /v1/answers HTTP/1.1",
        f"GET /v1/answers/{RUN}?include=sources HTTP/1.1",
    ]
    if form == "human":
        assert asked.out == "Yes.\n"
    elif form == "json":
        assert json.loads(asked.out) == answer("Yes.")
    else:
        lines = [json.loads(line) for line in asked.out.splitlines()]
        assert [line["event"] for line in lines][2:] == ["answer.completed", "done"]
        assert lines[2]["data"] == answer("Yes.")


def test_an_answer_that_was_seen_stands_whatever_comes_after(hosting: Hosting) -> None:
    hosted = hosting(says(created(), completed("Yes."), ending="reset"))
    asked = inside(hosted.shell, "ask", "x", "-o", "jsonl")
    assert (asked.code, asked.err) == (0, "")
    assert [json.loads(line)["event"] for line in asked.out.splitlines()] == [
        "answer.created",
        "answer.completed",
        "done",
    ]
    assert len(hosted.road.requests) == 1


def test_a_failure_that_was_seen_stands_too(hosting: Hosting) -> None:
    hosted = hosting(says(created(), failed()))
    assert inside(hosted.shell, "ask", "x", "--stream").code == 9
    assert len(hosted.road.requests) == 1


def test_done_without_an_outcome_is_a_broken_stream(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Y"), DONE), data(answer("Yes.")))
    assert inside(hosted.shell, "ask", "x", "--stream").out == "Yes.\n"


def test_a_run_that_failed_behind_a_broken_stream_is_told(hosting: Hosting) -> None:
    hosted = hosting(
        says(created()), data(answer("", status="failed", error={"code": "run_failed", "message": "No."}))
    )
    asked = inside(hosted.shell, "ask", "x", "-o", "jsonl")
    assert asked.code == 9
    assert [json.loads(line)["event"] for line in asked.out.splitlines()] == [
        "answer.created",
        "answer.failed",
        "done",
    ]


@pytest.mark.parametrize("broken", [Breaks(), says(), says(b": ping\n\n"), gateway(502), Cut(accepted(), 20)])
def test_a_stream_lost_before_its_id_is_told_and_never_asked_again(hosting: Hosting, broken: Fault) -> None:
    hosted = hosting(broken)
    asked = inside(hosted.shell, "ask", "x", "--stream")
    assert (asked.code, asked.out) in {(11, ""), (1, "")}
    assert "--no-stream" in asked.err
    assert len(hosted.road.requests) == 1


def test_a_stream_nobody_answered_at_all_has_cost_nothing(shell: Shell) -> None:
    nowhere = shell.with_(ALFERA_API_KEY="ak_live_" + "x" * 32, BRAINCTL_BASE_URL="http://127.0.0.1:1")
    asked = inside(nowhere, "ask", "x", "--stream")
    assert asked.code == 11
    assert "may exist" not in asked.err


@posix
def test_a_killed_stream_is_picked_up_by_wait(hosting: Hosting) -> None:
    over = Flag()
    hosted = hosting(says(created(), delta("Ye"), lambda: over.wait(PATIENCE)), data(answer("Yes.")))
    with hosted.shell.unmeasured.start("ask", "x", "-o", "jsonl") as process:
        assert process.stdout is not None
        while b"delta" not in process.stdout.readline():
            pass
        os.kill(process.pid, signal.SIGKILL)
    over.set()
    assert inside(hosted.shell, "wait").out == "Yes.\n"
    assert [line.split()[0] for line in hosted.lines] == ["POST", "GET"]


@pytest.mark.parametrize("form", ["human", "json"])
def test_an_answer_that_cannot_be_read_is_told_with_the_way_to_pick_it_up(
    hosting: Hosting, form: str
) -> None:
    hosted = hosting(accepted(), refused("internal_error", 500), data(YES))
    asked = inside(hosted.shell, "ask", "x", "-w", "0", "-o", form)
    assert (asked.code, asked.out) == (1, "")
    assert f"brainctl wait {QUEUED}" in asked.err
    assert form == "human" or json.loads(asked.err)["error"]["details"] == {"answer_id": QUEUED}
    assert inside(hosted.shell, "wait").out == "Yes.\n"


def test_a_broken_connection_while_polling_loses_nothing(hosting: Hosting) -> None:
    hosted = hosting(accepted(), Breaks(), data(YES))
    asked = inside(hosted.shell, "ask", "x")
    assert (asked.code, asked.out) == (0, "Yes.\n")
    assert QUEUED in asked.err


# How long


def test_a_stream_that_goes_on_too_long_is_left_with_its_id(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Ye"), ending="stall"), data(unfinished(RUN)))
    asked = inside(hosted.shell, "ask", "x", "-o", "jsonl", "-w", "0.3")
    assert asked.code == 10
    assert json.loads(asked.out.splitlines()[-1]) == {"wait_timed_out": True, "answer_id": RUN}
    assert "lost" not in asked.err
    assert f"brainctl wait {RUN}" in asked.err


def test_keep_alives_do_not_make_a_wait_longer(hosting: Hosting) -> None:
    over = Flag()

    class Pings:
        """A stream that outlasts any wait."""

        def meet(self, request: bytes, road: Road) -> None:
            says(created()).meet(request, road)
            for _ in range(1000):
                if over.wait(0.05):
                    return
                road.say(b": ping\n\n")

    hosted = hosting(Pings(), data(unfinished(RUN)))
    try:
        asked = inside(hosted.shell, "ask", "x", "-o", "jsonl", "-w", "0.3")
    finally:
        over.set()
    assert asked.code == 10
    # It was left, and not lost.
    assert "lost" not in asked.err


def test_a_wait_that_ends_as_the_answer_does_gives_the_answer(hosting: Hosting) -> None:
    hosted = hosting(says(created(), ending="stall"), data(answer("Yes.")))
    asked = inside(hosted.shell, "ask", "x", "--stream", "-w", "0.3")
    assert (asked.code, asked.out) == (0, "Yes.\n")


def test_an_id_from_a_brain_is_one_word_of_the_command_that_is_advised(hosting: Hosting) -> None:
    hostile = "run_1`; rm -rf ~\n\x1b[2J"
    hosted = hosting(accepted(hostile), data(unfinished(hostile)))
    asked = inside(hosted.shell, "ask", "x", "-w", "0")
    assert asked.code == 10
    assert json.loads(asked.out)["answer_id"] == hostile
    assert "`brainctl wait 'run_1`; rm -rf ~'`" in asked.err
    assert hosted.lines[1] == "GET /v1/answers/run_1%60%3B%20rm%20-rf%20~%0A%1B%5B2J HTTP/1.1"


def test_a_short_wait_does_not_lose_the_id_of_a_slow_brain(hosting: Hosting) -> None:
    over = Flag()
    hosted = hosting(says(lambda: over.wait(1.3), created(), ending="stall"), data(unfinished(RUN)))
    asked = inside(hosted.shell, "ask", "x", "-o", "jsonl", "-w", "0.1")
    assert asked.code == 10
    assert json.loads(asked.out.splitlines()[-1])["answer_id"] == RUN


def test_a_silent_brain_is_left_after_the_time_of_an_exchange(hosting: Hosting) -> None:
    hosted = hosting(says(ending="stall"))
    asked = inside(hosted.shell, "--timeout", "0.3", "ask", "x", "-o", "jsonl", "-w", "0.1")
    assert asked.code == 11
    assert "--no-stream" in asked.err


def test_time_runs_out_while_queued(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(unfinished()), data(unfinished()), data(unfinished()))
    asked = inside(hosted.shell, "ask", "x", "-w", "0.2")
    assert asked.code == 10
    assert json.loads(asked.out) == {"wait_timed_out": True, "answer_id": QUEUED}

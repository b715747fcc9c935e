"""What a program gets: the text alone, the API's document, or its events; and the exit code."""

import json
from typing import Any

import pytest

from tests.asking.saying import (
    DONE,
    QUEUED,
    RUN,
    SOURCE,
    accepted,
    answer,
    body,
    completed,
    created,
    data,
    delta,
    event,
    failed,
    failed_answer,
    header,
    says,
    unfinished,
)
from tests.cli.hosted import Hosting, inside, refused
from tests.doors.faults import Fault, Reply

TEXT = "Yes.\n\n**Within 14 days**, see <b>terms</b>. ¿Más? 👍"


def test_a_pipe_gets_the_text_and_nothing_else(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(answer(TEXT, QUEUED, sources=[SOURCE])))
    asked = inside(hosted.shell, "ask", "Refunds?", "--sources")
    assert (asked.code, asked.out, asked.err) == (0, TEXT + "\n", "")


def test_json_is_the_document_of_the_api_whatever_it_holds(hosting: Hosting) -> None:
    whole = answer(TEXT, QUEUED, sources=[SOURCE], mood={"of": [None, 1.50]})
    asked = inside(hosting(accepted(), data(whole)).shell, "ask", "Refunds?", "--json")
    assert (asked.code, asked.err, asked.out.count("\n")) == (0, "", 1)
    assert json.loads(asked.out) == whole
    assert "¿Más? 👍" in asked.out


def test_jsonl_is_one_event_a_line_as_they_came(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Ye"), delta("s.\n"), completed("Yes."), DONE))
    asked = inside(hosted.shell, "ask", "Refunds?", "-o", "jsonl")
    assert (asked.code, asked.err) == (0, "")
    assert asked.out == (
        '{"event":"answer.created","data":{"answer_id":"' + RUN + '","conversation_id":null}}\n'
        '{"event":"answer.delta","data":{"text":"Ye"}}\n'
        '{"event":"answer.delta","data":{"text":"s.\\n"}}\n'
        '{"event":"answer.completed","data":' + json.dumps(answer("Yes."), separators=(",", ":")) + "}\n"
        '{"event":"done","data":{"ok":true}}\n'
    )


@pytest.mark.parametrize(
    ("arguments", "streams"),
    [
        ((), False),
        (("--json",), False),
        (("-o", "jsonl"), True),
        (("--stream",), True),
        (("--json", "--stream"), True),
        (("-o", "jsonl", "--no-stream"), False),
    ],
)
def test_who_streams_and_who_queues(hosting: Hosting, arguments: tuple[str, ...], *, streams: bool) -> None:
    replies: list[Fault] = [says(created(), completed("Yes."), DONE)]
    if not streams:
        replies = [accepted(), data(answer("Yes.", QUEUED))]
    hosted = hosting(*replies)
    asked = inside(hosted.shell, "ask", "Refunds?", *arguments)
    assert asked.code == 0
    assert "Yes." in asked.out
    assert body(hosted.road.requests[0]) == {"input": "Refunds?", "stream": streams}
    assert (header(hosted.road.requests[0], "Idempotency-Key") is None) == streams


def test_a_queued_answer_in_jsonl_is_its_last_event(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(answer("Yes.", QUEUED)))
    asked = inside(hosted.shell, "ask", "x", "-o", "jsonl", "--no-stream")
    assert json.loads(asked.out) == {"event": "answer.completed", "data": answer("Yes.", QUEUED)}


def test_what_was_given_is_sent_and_nothing_else(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(answer("Yes.", QUEUED)))
    person = ("--end-user", "cust_419", "--end-user-name", "Maria")
    options = ("-c", "ticket-9", "--agent", "concierge", "--sources", "--idempotency-key", "k 1")
    inside(hosted.shell, "ask", " Two\nlines ", *person, *options)
    assert body(hosted.road.requests[0]) == {
        "input": " Two\nlines ",
        "conversation_id": "ticket-9",
        "agent_slug": "concierge",
        "end_user": {"id": "cust_419", "name": "Maria"},
        "include": ["sources"],
        "stream": False,
    }
    assert header(hosted.road.requests[0], "Idempotency-Key") == "k 1"
    assert hosted.lines[1] == f"GET /v1/answers/{QUEUED}?include=sources HTTP/1.1"


@pytest.mark.parametrize("arguments", [("-",), ()])
def test_a_question_can_be_piped_in(hosting: Hosting, arguments: tuple[str, ...]) -> None:
    hosted = hosting(accepted(), data(answer("Yes.", QUEUED)))
    assert inside(hosted.shell, "ask", *arguments, stdin="- Is it?\r\n").code == 0
    assert body(hosted.road.requests[0])["input"] == "- Is it?"


@pytest.mark.parametrize(
    ("stdin", "said"), [(b"", "standard input was empty"), (b"a\xff", "byte 2 does not fit")]
)
def test_no_question_is_a_usage_error(hosting: Hosting, stdin: bytes, said: str) -> None:
    asked = inside(hosting().shell, "ask", stdin=stdin)
    assert asked.code == 2
    assert said in asked.err


def test_a_note_before_a_tool_is_in_the_events_and_not_in_the_text(hosting: Hosting) -> None:
    stream = says(created(), delta("Let me look. "), delta("Yes."), completed("Yes."), DONE)
    assert inside(hosting(stream).shell, "ask", "x", "--stream").out == "Yes.\n"
    assert inside(hosting(stream).shell, "ask", "x", "--stream", "--json").out.startswith('{"answer_id"')
    assert "Let me look" in inside(hosting(stream).shell, "ask", "x", "-o", "jsonl").out


@pytest.mark.parametrize("form", [(), ("-o", "jsonl")])
def test_an_answer_without_deltas_is_told_once(hosting: Hosting, form: tuple[str, ...]) -> None:
    asked = inside(hosting(says(created(), completed("Yes."), DONE)).shell, "ask", "x", "--stream", *form)
    assert asked.out.count("Yes.") == 1


def test_an_empty_answer_is_an_empty_line(hosting: Hosting) -> None:
    asked = inside(hosting(accepted(), data(answer("", QUEUED))).shell, "ask", "x")
    assert (asked.code, asked.out) == (0, "\n")


def test_control_characters_are_as_they_are_in_a_pipe_and_escapes_in_json(hosting: Hosting) -> None:
    hostile = "a\x1b[2J\x1b]0;t\x07\x9b1m\u202eb\u200bc"
    stream = says(created(), delta(hostile), completed(hostile), DONE)
    assert inside(hosting(stream).shell, "ask", "x", "--stream").out == hostile + "\n"
    for form in ("json", "jsonl"):
        asked = inside(hosting(stream).shell, "ask", "x", "--stream", "-o", form)
        last = json.loads(asked.out.splitlines()[0 if form == "json" else 2])
        assert (last if form == "json" else last["data"])["output_text"] == hostile
        assert not set(asked.out) & set("\x1b\x07\x9b\u202e")


def test_half_a_character_becomes_a_whole_sign_in_every_form(hosting: Hosting) -> None:
    broken = b'event: answer.completed\ndata: {"answer_id":"run_1","status":"completed","output_text":"a\\ud83d b"}\n\n'
    for form in ("human", "json", "jsonl"):
        asked = inside(hosting(says(created(), broken, DONE)).shell, "ask", "x", "--stream", "-o", form)
        assert asked.code == 0
        assert "a\ufffd b" in asked.out


@pytest.mark.parametrize("stream", [True, False])
def test_a_failed_run_says_so(hosting: Hosting, *, stream: bool) -> None:
    replies: list[Fault] = [says(created(), delta("half"), failed("Out of luck."), DONE)]
    if not stream:
        replies = [accepted(), data(failed_answer(message="Out of luck."))]
    mode = "--stream" if stream else "--no-stream"
    human = inside(hosting(*replies).shell, "ask", "x", mode)
    assert (human.code, human.out) == (9, "")
    assert "error: Out of luck.\n" in human.err
    lines = inside(hosting(*replies).shell, "ask", "x", mode, "-o", "jsonl")
    assert lines.code == 9
    last = [json.loads(line) for line in lines.out.splitlines()][-2 if stream else -1]
    assert (last["event"], last["data"]["error"]["code"]) == ("answer.failed", "run_failed")
    assert json.loads(lines.err)["error"]["code"] == "run_failed"
    whole = inside(hosting(*replies).shell, "ask", "x", mode, "--json")
    assert whole.code == 9
    for told in (lines, whole):
        assert json.loads(told.err)["error"]["details"]["answer_id"] == (RUN if stream else QUEUED)
    assert whole.out == "" if stream else json.loads(whole.out) == failed_answer(message="Out of luck.")


def test_a_failure_may_be_the_first_event(hosting: Hosting) -> None:
    asked = inside(hosting(says(failed(), DONE)).shell, "ask", "x", "--stream")
    assert (asked.code, asked.out) == (9, "")
    assert "The run couldn't be completed." in asked.err


@pytest.mark.parametrize(
    "inner", [{"code": "model_overloaded"}, {"code": None}, {"code": ["x"]}, {}, None, "x"]
)
def test_whatever_a_brain_calls_it_a_failed_answer_exits_with_9(hosting: Hosting, inner: Any) -> None:
    asked = inside(
        hosting(says(created(), event("answer.failed", {"error": inner}), DONE)).shell, "ask", "x", "--stream"
    )
    assert asked.code == 9


@pytest.mark.parametrize(
    ("code", "status", "exit_code"),
    [
        ("validation_error", 422, 2),
        ("api_key_revoked", 401, 3),
        ("scope_missing", 403, 4),
        ("not_found", 404, 5),
        ("conversation_busy", 409, 6),
        ("idempotency_key_reused", 409, 6),
        ("out_of_credits", 402, 8),
    ],
)
@pytest.mark.parametrize("mode", ["--stream", "--no-stream"])
def test_refusals_are_told_once_and_never_asked_again(
    hosting: Hosting, code: str, status: int, exit_code: int, mode: str
) -> None:
    hosted = hosting(refused(code, status, "Not like this"))
    asked = inside(hosted.shell, "ask", "x", "-c", "thread", mode, "--json")
    assert (asked.code, asked.out) == (exit_code, "")
    error = json.loads(asked.err)["error"]
    assert (error["code"], error["message"], error["http_status"]) == (code, "Not like this", status)
    assert len(hosted.road.requests) == 1


def test_a_limited_rate_is_waited_for_and_then_told(hosting: Hosting) -> None:
    hosted = hosting(refused("rate_limited", 429, details={"retry_after_seconds": 60}))
    asked = inside(hosted.shell, "--retries", "0", "ask", "x", "--stream")
    assert asked.code == 7


def test_no_wait_gives_the_id_and_leaves(hosting: Hosting) -> None:
    for form, out in (
        ((), f"{QUEUED}\n"),
        (("--json",), f'{{"answer_id":"{QUEUED}","status":"queued"}}\n'),
        (("-o", "jsonl"), f'{{"answer_id":"{QUEUED}","status":"queued"}}\n'),
    ):
        hosted = hosting(accepted())
        asked = inside(hosted.shell, "ask", "x", "--no-wait", *form)
        assert (asked.code, asked.out, asked.err) == (0, out, "")
        assert len(hosted.road.requests) == 1


@pytest.mark.parametrize("form", ["human", "json", "jsonl"])
def test_waiting_no_time_is_one_look_and_a_result(hosting: Hosting, form: str) -> None:
    hosted = hosting(accepted(), data(unfinished()))
    asked = inside(hosted.shell, "ask", "x", "-w", "0", "-o", form)
    assert (asked.code, asked.out) == (10, f'{{"wait_timed_out":true,"answer_id":"{QUEUED}"}}\n')
    assert f"brainctl wait {QUEUED}" in asked.err
    assert len(hosted.road.requests) == 2


def test_waiting_no_time_for_what_is_finished_gives_it(hosting: Hosting) -> None:
    asked = inside(hosting(accepted(), data(answer("Yes.", QUEUED))).shell, "ask", "x", "-w", "0")
    assert (asked.code, asked.out) == (0, "Yes.\n")


def test_wait_gives_a_finished_answer_in_every_form(hosting: Hosting) -> None:
    whole = answer(TEXT, QUEUED, sources=[SOURCE])
    hosted = hosting(*[data(whole)] * 3)
    assert inside(hosted.shell, "wait", QUEUED).out == TEXT + "\n"
    assert json.loads(inside(hosted.shell, "wait", QUEUED, "--json", "--sources").out) == whole
    assert json.loads(inside(hosted.shell, "wait", QUEUED, "-o", "jsonl").out) == {
        "event": "answer.completed",
        "data": whole,
    }
    assert hosted.lines == [
        f"GET /v1/answers/{QUEUED} HTTP/1.1",
        f"GET /v1/answers/{QUEUED}?include=sources HTTP/1.1",
        f"GET /v1/answers/{QUEUED} HTTP/1.1",
    ]


def test_wait_for_an_answer_nobody_knows_is_not_found(hosting: Hosting) -> None:
    waited = inside(hosting(refused("not_found", 404, "No answer with that id")).shell, "wait", "event_x")
    assert (waited.code, waited.out) == (5, "")


@pytest.mark.parametrize("seconds", ["-1", "nan", "inf", "soon"])
def test_a_wait_is_a_number_of_seconds(hosting: Hosting, seconds: str) -> None:
    for command in (("ask", "x"), ("wait", QUEUED)):
        assert inside(hosting().shell, *command, f"--wait={seconds}").code == 2


def test_a_status_that_nobody_knows_is_told_and_the_answer_can_be_picked_up(hosting: Hosting) -> None:
    hosted = hosting(
        accepted(), data({**answer("", QUEUED), "status": "cancelled\x1b[2J"}), data(answer("Yes.", QUEUED))
    )
    ended = inside(hosted.shell, "ask", "q", "--no-stream", at_terminal=True)
    assert ended.code == 11
    assert "cancelled" in ended.err
    assert "\x1b[2J" not in ended.err
    assert f"brainctl wait {QUEUED}" in ended.err
    assert inside(hosted.shell, "wait").out == "Yes.\n"


@pytest.mark.parametrize("with_", ["--no-wait", "--idempotency-key=k"])
def test_a_stream_cannot_be_queued(hosting: Hosting, with_: str) -> None:
    asked = inside(hosting().shell, "ask", "x", "--stream", with_)
    assert asked.code == 2
    assert "--stream" in asked.err


def test_talking_needs_a_terminal(hosting: Hosting) -> None:
    asked = inside(hosting().shell, "ask", "-i")
    assert asked.code == 2
    assert "terminal" in asked.err


def test_a_page_in_place_of_a_stream_is_not_the_api(hosting: Hosting) -> None:
    asked = inside(
        hosting(Reply(200, b"<html><title>Welcome</title></html>", "text/html")).shell, "ask", "x", "--stream"
    )
    assert (asked.code, asked.out) == (11, "")
    assert "<html>" not in asked.err or "Welcome" in asked.err

import json
from pathlib import Path

import pytest

from tests.cli.hosted import SECRET, Hosting, data, inside, refused
from tests.cli.shell import Shell
from tests.doors.faults import Reply

BODY = b'{ "data" : {"facts": [], "n": 1.0, "text": "\\u001b[31m\xc3\xbc"} }\n\n'


@pytest.mark.parametrize("form", [(), ("--json",), ("-o", "jsonl")])
def test_the_reply_is_printed_as_it_came(hosting: Hosting, form: tuple[str, ...]) -> None:
    done = inside(hosting(Reply(200, BODY)).shell, "api", "POST", "/v1/memory/search", "-f", "query=x", *form)
    assert (done.code, done.out.encode(), done.err) == (0, BODY, "")


def test_bytes_that_are_no_text_come_through(hosting: Hosting) -> None:
    hosted = hosting(Reply(200, b"\xff\x00\xfe", "application/octet-stream"))
    done = hosted.shell.sh("brainctl api GET /v1/x | od -An -tx1")
    assert (done.code, done.out.split()) == (0, ["ff", "00", "fe"])


def test_fields_make_the_body(hosting: Hosting) -> None:
    hosted = hosting(data({}))
    fields = [
        "query=a=b",
        "limit:=3",
        "end_user.id=cust_419",
        "end_user.name:=null",
        'include:=["s"]',
        "empty=",
    ]
    arguments = [part for field in fields for part in ("-f", field)]
    assert inside(hosted.shell, "api", "post", "/v1/memory/search", *arguments).code == 0
    assert hosted.bodies == [
        {
            "query": "a=b",
            "limit": 3,
            "end_user": {"id": "cust_419", "name": None},
            "include": ["s"],
            "empty": "",
        }
    ]
    assert hosted.lines == ["POST /v1/memory/search HTTP/1.1"]


def test_a_whole_body_comes_from_a_file_or_standard_input(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(data({}), data({}))
    path = tmp_path / "body.json"
    path.write_text('{"a": 1}')
    assert inside(hosted.shell, "api", "POST", "/v1/x", "--input", str(path)).code == 0
    assert inside(hosted.shell, "api", "POST", "/v1/x", "--input", "-", stdin='{"a": 2}').code == 0
    assert hosted.bodies == [{"a": 1}, {"a": 2}]


def test_a_query_string_is_sent_as_it_is(hosting: Hosting) -> None:
    hosted = hosting(data({}))
    inside(hosted.shell, "api", "GET", "/v1/answers/event_1?include=sources&a=%2F")
    assert hosted.lines == ["GET /v1/answers/event_1?include=sources&a=%2F HTTP/1.1"]
    assert f"Bearer {SECRET}".encode() in hosted.road.requests[0]


@pytest.mark.parametrize(
    "arguments",
    [
        ("FETCH", "/v1/x"),
        ("GET\r\nX: y", "/v1/x"),
        ("GET", "v1/x"),
        ("GET", "https://evil.example/v1/x"),
        ("GET", "@evil.example/"),
        ("GET", ""),
        ("POST", "/v1/x", "-f", "query"),
        ("POST", "/v1/x", "-f", "=x"),
        ("POST", "/v1/x", "-f", ":=x"),
        ("POST", "/v1/x", "-f", "limit:=three"),
        ("POST", "/v1/x", "-f", "limit:=" + "[" * 99999),
        ("POST", "/v1/x", "-f", "a=1", "-f", "a.b=2"),
        ("POST", "/v1/x", "-f", "a=1", "--input", "-"),
        ("POST", "/v1/x", "--input", "/nowhere"),
        ("POST", "/v1/x", "--input", "/"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anything_is_sent(
    hosting: Hosting, arguments: tuple[str, ...]
) -> None:
    hosted = hosting()
    failed = inside(hosted.shell, "api", *arguments)
    assert (failed.code, failed.out, hosted.road.requests) == (2, "", []), failed.err


@pytest.mark.parametrize("path", ["/v1/\r\nX-Evil: 1", "/v1/a b", "/v1/ü", "//evil.example/v1", "/..", "/%"])
def test_no_path_changes_the_host_or_the_headers(hosting: Hosting, path: str) -> None:
    hosted = hosting(data({}))
    done = inside(hosted.shell, "api", "GET", "--", path)
    assert done.code in {0, 2}
    assert "fault" not in done.err
    assert not any(b"\r\nX-Evil" in request for request in hosted.road.requests)


def test_an_error_of_the_api_is_an_error(hosting: Hosting) -> None:
    failed = inside(hosting(refused("not_found", 404)).shell, "api", "GET", "/v1/answers/x", "--json")
    assert (failed.code, failed.out) == (5, "")
    assert json.loads(failed.err)["error"]["code"] == "not_found"


def test_a_brain_on_this_machine_has_no_http(company: Shell) -> None:
    failed = inside(company, "api", "GET", "/v1/x")
    assert (failed.code, "has no HTTP address" in failed.err) == (2, True)


def test_a_terminal_is_shown_no_control_characters(hosting: Hosting) -> None:
    hosted = hosting(Reply(200, b'{"data": "a\x1b]0;title\x07b\x9b2Jc"}'))
    screen = hosted.shell.terminal("api", "GET", "/v1/x")
    assert screen.code == 0
    assert b"\x1b" not in screen.raw
    assert '{"data": "ab' in screen.text

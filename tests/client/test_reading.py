"""Replies read: sound ones, errors, and all that is not the API."""

from __future__ import annotations

from typing import Any

import pytest

from brainctl.client.failures import ExchangeError
from brainctl.client.masking import Mask
from brainctl.client.reading import Reply, data_of, document_of, retry_after

SECRET = "ak_live_x7f4Qm2Zr9TtLw0VbN8cKd"
MASK = Mask(SECRET)


def reply(body: bytes, status: int = 200, **headers: str) -> Reply:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Reply(status, {"content-type": "application/json", **named}, body)


def refusal(answer: Reply) -> ExchangeError:
    with pytest.raises(ExchangeError) as caught:
        data_of(answer, MASK)
    return caught.value


def test_data_passes_through_with_fields_of_tomorrow() -> None:
    assert data_of(reply(b'\xef\xbb\xbf{"data":{"facts":[],"new":{"a":1.5}},"more":0}'), MASK) == {
        "facts": [],
        "new": {"a": 1.5},
    }


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b" \n",
        b"<html>hello</html>",
        b"[]",
        b"null",
        b'"x"',
        b"{}{}",
        b'{"data":null}',
        b'{"data":[]}',
        b'{"error":"oops"}',
        b'{"error":{"code":null}}',
        b'{"error":{"code":" "}}',
        b'{"data":{"x":NaN}}',
        b'{"data":{"x":-Infinity}}',
        b'{"data":{"x":1e400}}',
        b'{"data":{"x":' + b"9" * 5000 + b"}}",
        b'{"data":{"x":1,"x":2}}',
        b'{"data":{"x":"\\ud800"}}',
        b'{"data":{"x":"\xff"}}',
        b"[" * 200_000,
        '{"data":{}}'.encode("utf-16"),
    ],
)
@pytest.mark.parametrize("status", [200, 404, 503])
def test_what_is_not_the_api_is_a_bad_response(body: bytes, status: int) -> None:
    error = refusal(reply(body, status))
    assert error.code == "bad_response"
    assert error.http_status == status
    assert error.transient == (status == 503)
    assert f"HTTP {status}" in error.message
    assert len(error.message) < 1000
    assert "set_int_max_str_digits" not in error.message


def test_a_page_is_named_by_its_status_type_and_title() -> None:
    page = b"<html><TITLE lang=en>502 Bad\n Gateway " + b"t" * 500 + b"</title>" + b"x" * 100_000
    error = refusal(Reply(502, {"content-type": "text/html; charset=utf-8"}, page))
    assert "HTTP 502, text/html; charset=utf-8, titled" in error.message
    assert "502 Bad Gateway tt" in error.message
    assert len(error.message) < 400


def test_an_error_of_the_api_keeps_all_it_says() -> None:
    body = b'{"error":{"code":"scope_missing","message":"No scope","details":{"scope":"memory.read"}}}'
    error = refusal(reply(body, 403, x_request_id="req_1"))
    assert error.report() == {
        "error": {
            "code": "scope_missing",
            "message": "No scope",
            "details": {"scope": "memory.read"},
            "http_status": 403,
            "request_id": "req_1",
        }
    }
    assert not error.transient


def test_a_code_no_table_holds_is_kept() -> None:
    error = refusal(reply(b'{"error":{"code":"teapot","message":"Short and stout"}}', 418))
    assert (error.code, error.message, error.http_status) == ("teapot", "Short and stout", 418)


def test_a_known_code_without_a_message_gets_the_tables() -> None:
    assert (
        refusal(reply(b'{"error":{"code":"out_of_credits"}}', 402)).message
        == "The workspace balance hit zero"
    )


def test_an_error_with_the_status_of_a_success_is_an_error() -> None:
    assert refusal(reply(b'{"error":{"code":"not_found","message":"x"}}', 200)).code == "not_found"


def test_a_failed_answer_is_data_and_not_an_error() -> None:
    data = data_of(reply(b'{"data":{"status":"failed","error":{"code":"run_failed","message":"x"}}}'), MASK)
    assert data["status"] == "failed"


def test_a_long_message_is_cut() -> None:
    assert (
        len(refusal(reply(b'{"error":{"code":"c","message":"' + b"m" * 9000 + b'"}}', 422)).message) == 2000
    )


@pytest.mark.parametrize(
    "body",
    [
        '{"error":{"code":"%s","message":"%s","details":{"%s":["%s"]}}}',
        "<title>%s</title> %s %s %s",
        "key %s %s %s %s",
    ],
)
def test_a_key_that_comes_back_is_masked(body: str) -> None:
    other = "ak_test_abcdefghijklmnop"
    text = body % (SECRET, other, SECRET, SECRET)
    error = refusal(reply(text.encode(), 400, x_request_id=SECRET, content_type=f"text/{SECRET}"))
    shown = f"{error} {error.report()}"
    assert SECRET not in shown
    assert other not in shown
    assert "ak_live_x7f4…" in shown


def test_a_key_of_no_known_label_is_masked_too() -> None:
    for secret in ["plain-secret-0123456789", "ak_live_abc.def/ghi"]:
        with pytest.raises(ExchangeError) as caught:
            data_of(reply(f"you sent {secret}".encode()), Mask(secret))
        assert secret[-4:] not in str(caught.value)


@pytest.mark.parametrize(
    ("location", "named"),
    [
        ("https://user:hunter2@elsewhere.example:8443/v1?token=hunter2", "https://elsewhere.example:8443"),
        ("//elsewhere.example/x", "https://elsewhere.example"),
        ("/login", "another path"),
        ("http://[bad", "an address that cannot be read"),
        ("", "another path"),
    ],
)
def test_a_redirect_names_where_to_and_no_secret(location: str, named: str) -> None:
    error = refusal(reply(b"", 307, location=location))
    assert error.code == "bad_response"
    assert named in error.message
    assert "hunter2" not in error.message


DATE = "Mon, 30 Nov 2026 10:00:00 GMT"


@pytest.mark.parametrize(
    ("details", "headers", "seconds"),
    [
        ({"retry_after_seconds": 12}, {}, 12.0),
        ({"retry_after_seconds": 0.5}, {"retry-after": "9"}, 0.5),
        ({"retry_after_seconds": True}, {"retry-after": "9"}, 9.0),
        ({"retry_after_seconds": -1}, {"retry-after": "9"}, 9.0),
        ({"retry_after_seconds": float("nan")}, {"retry-after": "9"}, 9.0),
        ({"retry_after_seconds": float("inf")}, {}, 60.0),
        ({"retry_after_seconds": 1e9}, {}, 60.0),
        ({"retry_after_seconds": "12"}, {}, 60.0),
        (None, {"retry-after": "2.5"}, 2.5),
        ([], {"retry-after": "-1"}, 60.0),
        (None, {"retry-after": "0"}, 60.0),
        (None, {"retry-after": "nan"}, 60.0),
        (None, {"retry-after": "inf"}, 60.0),
        (None, {"retry-after": "1e9"}, 60.0),
        (None, {"retry-after": "1000000000"}, 60.0),
        (None, {"retry-after": "²"}, 60.0),
        (None, {"retry-after": ""}, 60.0),
        (None, {"retry-after": "5, 7"}, 60.0),
        (None, {}, 60.0),
        (None, {"retry-after": "Mon, 30 Nov 2026 10:00:30 GMT", "date": DATE}, 30.0),
        (None, {"retry-after": "Mon, 30 Nov 2026 09:00:00 GMT", "date": DATE}, 60.0),
        (None, {"retry-after": "Mon, 30 Nov 2036 10:00:00 GMT", "date": DATE}, 60.0),
        (None, {"retry-after": "Mon, 30 Nov 2026 10:00:30 GMT"}, 60.0),
        (None, {"retry-after": "Mon, 99 Nov 2026 10:00:30 GMT", "date": DATE}, 60.0),
    ],
)
def test_the_wait_a_limit_asks_for_is_sane(details: Any, headers: dict[str, str], seconds: float) -> None:
    assert retry_after(headers, details) == seconds


def test_a_limit_without_the_apis_error_is_still_a_limit() -> None:
    error = refusal(reply(b"<html>slow down</html>", 429, retry_after="7"))
    assert (error.code, error.wait_seconds, error.transient) == ("rate_limited", 7.0, True)


def test_a_document_of_any_shape_is_read_whole() -> None:
    assert document_of(reply(b"[1]"), MASK) == [1]

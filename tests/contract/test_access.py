"""Keys: what each may do, what it is told when it may not, and in which order that is found out."""

from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.contract.errors import BrainError
from tests.doors.workspace import Door

CALLS: list[tuple[str, Any, str]] = [
    ("search", {"query": "x"}, "memory.read"),
    ("context", {"query": "x"}, "memory.read"),
    ("teach", {"facts": [{"text": "The barn seats 140 guests."}]}, "memory.write"),
]


def error_of(brain: Any, verb: str, *body: Any) -> BrainError:
    with pytest.raises(BrainError) as refused:
        getattr(brain, verb)(*body)
    return refused.value


@pytest.mark.parametrize(("verb", "body", "scope"), CALLS)
def test_the_scope_alone_is_enough(door: Door, verb: str, body: Any, scope: str) -> None:
    assert getattr(door.brain(scopes=(scope,)), verb)(body)


@pytest.mark.parametrize("audience", bounds.AUDIENCES)
@pytest.mark.parametrize(("verb", "body", "scope"), CALLS)
def test_without_the_scope_a_call_is_refused_by_its_name(
    door: Door, verb: str, body: Any, scope: str, audience: str
) -> None:
    others = [each for each in bounds.SCOPES if each != scope]
    error = error_of(door.brain(audience, scopes=others), verb, body)
    assert (error.code, error.http_status) == ("scope_missing", 403)
    assert error.message == f"This API key is missing the '{scope}' scope"
    assert error.details == {"scope": scope}


@pytest.mark.parametrize(
    ("verb", "body"),
    [*((verb, (body,)) for verb, body, _ in CALLS), ("whoami", ())],
)
def test_a_revoked_key_fails_on_its_next_request(door: Door, verb: str, body: Any) -> None:
    secret = door.workspace.key()
    brain = door.open(secret)
    brain.whoami()
    door.workspace.revoke(secret)
    error = error_of(brain, verb, *body)
    assert (error.code, error.http_status) == ("api_key_revoked", 401)
    assert error.message == "This API key was revoked"
    assert error.details is None


def test_an_expired_key_fails_from_the_moment_of_its_expiry(door: Door) -> None:
    clock = door.workspace.clock
    secret = door.workspace.key(expires_in=60)
    brain = door.open(secret)
    clock.advance(59.999)
    brain.whoami()
    clock.advance(0.001)
    error = error_of(brain, "search", {"query": "x"})
    assert (error.code, error.http_status) == ("api_key_expired", 401)
    assert error.message == "This API key has expired"


def test_revoked_is_said_before_expired(door: Door) -> None:
    secret = door.workspace.key(expires_in=60)
    brain = door.open(secret)
    door.workspace.revoke(secret)
    door.workspace.clock.advance(61)
    assert error_of(brain, "whoami").code == "api_key_revoked"


def test_an_unknown_key_is_not_valid(door: Door) -> None:
    real = door.workspace.key()
    for secret in ("ak_test_" + "x" * 32, real[:-1], real + "x", real.swapcase(), "ak_live_" + real[8:], "x"):
        with pytest.raises(BrainError) as refused:
            door.open(secret).whoami()
        assert (refused.value.code, refused.value.http_status) == ("api_key_invalid", 401)
        assert refused.value.message == "This API key is not valid"
        assert secret not in repr(refused.value.report())


@pytest.mark.parametrize("audience", bounds.AUDIENCES)
@pytest.mark.parametrize("scopes", [("memory.read",), ("memory.read", "answers.write"), bounds.SCOPES])
def test_whoami_tells_what_the_key_may_do(door: Door, audience: str, scopes: tuple[str, ...]) -> None:
    secret = door.workspace.key(audience, scopes, name="support-bot")
    assert door.open(secret).whoami() == {
        "key_name": "support-bot",
        "key_prefix": secret[: len("ak_test_") + 4],
        "scopes": list(scopes),
        "key_audience": audience,
        "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
    }


def test_whoami_has_its_fields_in_the_order_of_the_documents(door: Door) -> None:
    told = door.brain(scopes=("answers.write",)).whoami()
    assert list(told) == ["key_name", "key_prefix", "scopes", "key_audience", "rate_limit"]


def test_a_brain_shows_no_more_than_the_prefix_of_its_key(door: Door) -> None:
    secret = door.workspace.key()
    brain = door.open(secret)
    assert secret not in f"{brain!r}{brain}"


def test_a_brain_may_be_closed_twice(door: Door) -> None:
    brain = door.brain()
    brain.whoami()
    brain.close()
    brain.close()

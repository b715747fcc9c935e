"""A brain on this machine and the same brain over a socket say the same, whether they answer or refuse."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.contract.errors import BrainError
from tests.doors.workspace import Door, Workspace, fact, in_process, over_a_socket

END_USER = {"id": "cust_419", "name": "Maria"}
REQUESTS: list[tuple[str, Any]] = [
    ("whoami", None),
    ("search", {"query": "refund policy for weddings", "limit": 3, "end_user": END_USER}),
    ("search", {"query": "deposit"}),
    ("search", {"query": "deposit 😀 \u2028 <b>"}),
    ("search", {"query": "xylophone"}),
    ("search", {"query": ""}),
    ("search", {"query": "x", "limit": 0, "unknown": {"deep": [1]}}),
    ("search", {}),
    ("context", {"query": "can Maria move her wedding", "token_budget": 1200, "end_user": END_USER}),
    ("context", {"query": "deposit", "token_budget": 100}),
    ("context", {"query": "x", "end_user": {"name": "Maria"}}),
    ("context", {"query": "x", "token_budget": 99.5}),
    ("teach", {"facts": [{"text": "Deposits are non-refundable inside 30 days of the event date."}]}),
    ("teach", {"facts": []}),
    ("teach", {"facts": [{"text": "x", "kind": "decision"}, {"text": None}]}),
]
VALID: list[tuple[str, Any]] = [
    ("whoami", None),
    ("search", {"query": "x"}),
    ("context", {"query": "x"}),
    ("teach", {"facts": [{"text": "x"}]}),
]


def outcome(brain: Any, verb: str, body: Any) -> Any:
    try:
        return getattr(brain, verb)(*(() if body is None else (body,)))
    except BrainError as error:
        report = error.report()["error"]
        if error.code == "validation_error":
            # A client sees most of these coming, and then no server has given them a status.
            report.pop("http_status", None)
        return report


@pytest.fixture
def both(workspace: Workspace) -> Iterator[tuple[Door, Door]]:
    with ExitStack() as closing:
        yield in_process(workspace, closing), over_a_socket(workspace, closing)


@pytest.mark.parametrize("audience", bounds.AUDIENCES)
def test_replies_and_refusals_are_equal(workspace: Workspace, both: tuple[Door, Door], audience: str) -> None:
    workspace.person("cust_419", "Maria")
    workspace.load(
        fact("Deposits are non-refundable inside 30 days of the event date.", subject="refund policy"),
        fact("Maria's wedding moved to September 14.", kind="profile_fact", subject="Maria"),
        fact("</workspace_memory> \u2028 \x00 \x1b[2J “deposit” 😀", kind="observation", subject="oddities"),
    )
    secret = workspace.key(audience)
    here, there = (door.open(secret) for door in both)
    for verb, body in REQUESTS:
        assert outcome(here, verb, body) == outcome(there, verb, body)


@pytest.mark.parametrize("scope", bounds.SCOPES)
def test_refusals_for_want_of_a_scope_are_equal(
    workspace: Workspace, both: tuple[Door, Door], scope: str
) -> None:
    # Known already, so that the second door has no other answer to teaching it than the first.
    workspace.load(fact("x", subject="company"))
    secret = workspace.key(scopes=[scope])
    here, there = (door.open(secret) for door in both)
    for verb, body in VALID:
        assert outcome(here, verb, body) == outcome(there, verb, body)


def test_keys_are_refused_alike(workspace: Workspace, both: tuple[Door, Door]) -> None:
    revoked, expired = workspace.key(), workspace.key(expires_in=1)
    workspace.revoke(revoked)
    workspace.clock.advance(1)
    for secret in (revoked, expired, "ak_test_" + "x" * 32):
        here, there = (door.open(secret) for door in both)
        for verb, body in VALID:
            refused = outcome(here, verb, body)
            assert refused == outcome(there, verb, body)
            assert refused["http_status"] == 401

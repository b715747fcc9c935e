"""One server, one database, several workspaces: no key of one is told anything of another."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.engine.answers.runs import Pace
from brainctl.engine.owner import Owner, create_brain
from brainctl.engine.serving import ServedGate
from brainctl.engine.worker.worker import Final, Task
from tests.answers.house import Gate, Scripted
from tests.cli.shell import eventually
from tests.doors.plain_http import Reply, send
from tests.doors.served import Served
from tests.doors.workspace import fact


class Tenants:
    """Two workspaces of one database, their owners, a key to each, and the server of both."""

    def __init__(self, address: str, closing: ExitStack) -> None:
        self.tasks: list[Task] = []
        self.held = Gate()
        self.owners: list[Owner] = [
            closing.enter_context(create_brain(address, name)) for name in ("one", "two")
        ]
        self.secrets = [
            owner.create_key("same name", "internal", bounds.SCOPES).secret for owner in self.owners
        ]
        self.gate = ServedGate(
            address, hire=lambda *_: Scripted(self._speak), pace=Pace(look=0.05), workers=2
        )
        closing.callback(self.gate.close)
        closing.callback(self.gate.stop, 10)
        self.served = closing.enter_context(Served(self.gate, figures=self.gate.figures))
        self.gate.start()

    def _speak(self, task: Task) -> Iterator[Any]:
        self.tasks.append(task)
        if task.question == "hold":
            return self.held(task)
        return iter([Final(f"about {task.question}", {"input_tokens": 1, "output_tokens": 1}, [])])

    def post(self, who: int, path: str, body: Any, **headers: str) -> Reply:
        given = {"Authorization": f"Bearer {self.secrets[who]}", **headers}
        return send(self.served.address, "POST", path, json.dumps(body).encode(), given)

    def get(self, who: int, path: str) -> Reply:
        return send(self.served.address, "GET", path, b"", {"X-Api-Key": self.secrets[who]})

    def found(self, who: int, query: str, **fields: Any) -> list[str]:
        reply = self.post(who, "/v1/memory/search", {"query": query, **fields})
        return [each["fact_text"] for each in reply.json()["data"]["facts"]]

    def ask(self, who: int, text: str, key: str | None = None, **fields: Any) -> str:
        headers = {} if key is None else {"Idempotency-Key": key}
        reply = self.post(who, "/v1/answers", {"input": text, "stream": False, **fields}, **headers)
        assert reply.status == 202, reply.body
        return str(reply.json()["data"]["answer_id"])

    def finished(self, who: int, answer_id: str) -> dict[str, Any]:
        def now() -> dict[str, Any]:
            reply: dict[str, Any] = self.get(who, f"/v1/answers/{answer_id}").json()["data"]
            return reply

        eventually(lambda: now()["status"] in {"completed", "failed"})
        return now()


@pytest.fixture
def tenants(new_database: Callable[[], str]) -> Iterator[Tenants]:
    with ExitStack() as closing:
        yield Tenants(new_database(), closing)


def test_facts_are_found_in_their_own_workspace_alone(tenants: Tenants) -> None:
    taught = [
        tenants.post(who, "/v1/memory/facts", {"facts": [{"text": text}]}).json()["data"]
        for who, text in enumerate(("The hall closes at ten.", "The hall closes at eleven."))
    ]
    # Nor does what the other knows replace it.
    assert [(each["created"], each["superseded"]) for each in taught] == [(1, 0), (1, 0)]
    assert tenants.found(0, "hall closes") == ["The hall closes at ten."]
    assert tenants.found(1, "hall closes") == ["The hall closes at eleven."]
    packet = tenants.post(1, "/v1/memory/context", {"query": "hall"}).json()["data"]
    assert "ten" not in json.dumps(packet)


def test_what_others_teach_moves_nothing_in_the_order(tenants: Tenants) -> None:
    texts = ["The hall is large and the hall is warm.", "The hall closes at ten.", "Deposits are due."]
    tenants.owners[0].load_facts([fact(text, subject=f"s{n}") for n, text in enumerate(texts)])
    before = tenants.found(0, "hall closes deposits")
    tenants.owners[1].load_facts([fact(f"The hall closes {n}.", subject=f"t{n}") for n in range(50)])
    assert tenants.found(0, "hall closes deposits") == before


def test_people_are_their_own_workspaces(tenants: Tenants) -> None:
    for owner, name in zip(tenants.owners, ("Ann", "Omar"), strict=True):
        owner.add_person("cust_1", name)
        owner.load_facts([fact(f"{name} prefers tulips.", subject=name, kind="profile_fact")])
    someone = {"end_user": {"id": "cust_1"}}
    assert tenants.found(0, "tulips", **someone) == ["Ann prefers tulips."]
    assert tenants.found(1, "tulips", **someone) == ["Omar prefers tulips."]


def test_an_answer_is_read_by_its_own_workspace_alone(tenants: Tenants) -> None:
    answer_id = tenants.ask(0, "q")
    assert tenants.finished(0, answer_id)["output_text"] == "about q"
    reply = tenants.get(1, f"/v1/answers/{answer_id}")
    assert (reply.status, reply.code()) == (404, "not_found")
    assert reply.json()["error"] == tenants.get(1, "/v1/answers/run_none").json()["error"]


def test_conversations_of_the_same_name_are_two(tenants: Tenants) -> None:
    tenants.finished(0, tenants.ask(0, "first", conversation_id="c"))
    held = tenants.ask(0, "hold", conversation_id="c")
    assert tenants.held.reached.wait(30)
    # The other one is not busy, and has no history.
    assert tenants.finished(1, tenants.ask(1, "theirs", conversation_id="c"))["status"] == "completed"
    assert tenants.tasks[-1].question == "theirs"
    assert list(tenants.tasks[-1].history) == []
    tenants.held.open.set()
    assert tenants.finished(0, held)["status"] == "completed"
    tenants.finished(0, tenants.ask(0, "last", conversation_id="c"))
    assert [turn.question for turn in tenants.tasks[-1].history] == ["first", "hold"]


def test_idempotency_keys_of_the_same_name_are_two(tenants: Tenants) -> None:
    ids = [tenants.ask(who, text, "once") for who, text in ((0, "a"), (1, "b"), (0, "a"), (1, "b"))]
    assert ids[:2] == ids[2:]
    assert ids[0] != ids[1]


def test_credits_are_their_own_workspaces(tenants: Tenants) -> None:
    tenants.owners[0].set_credits(0)
    refused = tenants.post(0, "/v1/answers", {"input": "q", "stream": False})
    assert (refused.status, refused.code()) == (402, "out_of_credits")
    tenants.owners[1].set_credits(5)
    tenants.ask(1, "q")
    assert [owner.credits() for owner in tenants.owners] == [0, 4]


def test_a_key_of_one_is_revoked_by_its_own_owner_alone(tenants: Tenants) -> None:
    tenants.owners[0].revoke_key("same name")
    assert tenants.get(0, "/v1/answers/run_none").code() == "api_key_revoked"
    assert tenants.get(1, "/v1/answers/run_none").code() == "not_found"


def test_figures_are_of_all_workspaces(tenants: Tenants) -> None:
    for owner in tenants.owners:
        owner.load_facts([fact("The hall closes at ten.")])
    assert tenants.gate.figures() == {"facts": 2, "queue_depth": 0}
    text = send(tenants.served.address, "GET", "/metrics", b"").body.decode()
    assert "brainctl_facts 2\n" in text

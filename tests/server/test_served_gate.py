"""A brain's file behind a gate that many threads pass at once, and the threads that work off its queue."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event as Flag
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.answers.runs import Pace
from brainctl.engine.serving import ServedGate
from tests.answers.house import Gate, Scripted, Speech, echoes, question
from tests.cli.shell import eventually
from tests.doors.workspace import Workspace, fact

NEVER = 3600.0


@contextmanager
def gate_of(workspace: Workspace, speech: Speech = echoes, **options: Any) -> Iterator[ServedGate]:
    options.setdefault("pace", Pace(beat=0.02, look=0.02))
    gate = ServedGate(workspace.path, clock=workspace.clock, hire=lambda *_: Scripted(speech), **options)
    gate.start()
    try:
        yield gate
    finally:
        gate.stop(60)
        gate.close()


def test_many_threads_use_it_at_once(workspace: Workspace) -> None:
    workspace.load(*(fact(f"Deposit {n} is due.", subject="deposits") for n in range(20)))
    secrets = [workspace.key() for _ in range(8)]
    with gate_of(workspace) as gate, ThreadPoolExecutor(8) as pool:

        def use(secret: str) -> list[int]:
            brain = gate.admit(secret).brain
            return [len(brain.search({"query": "deposit", "limit": 7})["facts"]) for _ in range(20)]

        assert list(pool.map(use, secrets)) == [[7] * 20] * 8


def test_it_tells_what_may_be_known_of_a_caller(workspace: Workspace) -> None:
    secret = workspace.key("external", ["memory.read"])
    with gate_of(workspace) as gate:
        admission = gate.admit(secret)
        assert (admission.key_prefix, admission.scopes) == (secret[:12], ("memory.read",))
        assert secret not in repr(admission.brain)


def test_unknown_revoked_and_expired_keys_are_refused_and_not_counted(workspace: Workspace) -> None:
    revoked, expired = workspace.key(), workspace.key(expires_in=1)
    workspace.revoke(revoked)
    workspace.clock.advance(1)
    with gate_of(workspace) as gate:
        for secret, code in (
            ("ak_test_unknown", "api_key_invalid"),
            ("", "api_key_invalid"),
            (revoked, "api_key_revoked"),
            (expired, "api_key_expired"),
        ):
            for _ in range(130):
                with pytest.raises(BrainError) as refused:
                    gate.admit(secret)
                assert refused.value.code == code


def test_a_caller_who_was_let_in_goes_on_though_the_key_be_revoked(workspace: Workspace) -> None:
    secret = workspace.key()
    with gate_of(workspace) as gate:
        brain = gate.admit(secret).brain
        queued = brain.enqueue(question())
        workspace.revoke(secret)
        eventually(lambda: brain.answer(queued["answer_id"])["status"] == "completed")
        with pytest.raises(BrainError, match="api_key_revoked"):
            gate.admit(secret)


def test_what_is_queued_here_is_begun_at_once(workspace: Workspace) -> None:
    with gate_of(workspace, pace=Pace(look=NEVER)) as gate:
        brain = gate.admit(workspace.key()).brain
        for _ in range(10):
            answer_id = brain.enqueue(question())["answer_id"]
            eventually(lambda: brain.answer(answer_id)["status"] == "completed")  # noqa: B023  # called at once


def test_what_is_queued_elsewhere_is_found_by_looking(workspace: Workspace) -> None:
    secret = workspace.key()
    with gate_of(workspace), gate_of(workspace, workers=0) as elsewhere:
        brain = elsewhere.admit(secret).brain
        queued = brain.enqueue(question())
        eventually(lambda: brain.answer(queued["answer_id"])["status"] == "completed")


def test_workers_run_at_once_and_one_conversation_in_its_order(workspace: Workspace) -> None:
    asked: list[str] = []
    at_once = Flag()

    def speech(task: Any) -> Iterator[Any]:
        asked.append(task.question)
        if task.question == "waits":
            assert at_once.wait(60)
        if task.question == "lets go":
            at_once.set()
        return echoes(task)

    with gate_of(workspace, speech, workers=2) as gate:
        brain = gate.admit(workspace.key()).brain
        for text in ("waits", "second", "third"):
            last = brain.enqueue(question(text, conversation_id="c"))
        brain.enqueue(question("lets go"))
        eventually(lambda: brain.answer(last["answer_id"])["status"] == "completed")
    assert [text for text in asked if text != "lets go"] == ["waits", "second", "third"]


def test_stopping_leaves_the_queue_to_whoever_comes_next(workspace: Workspace) -> None:
    speech = Gate()
    secret = workspace.key()
    with gate_of(workspace, speech, workers=1) as gate:
        brain = gate.admit(secret).brain
        running, waiting = (brain.enqueue(question()) for _ in range(2))
        assert speech.reached.wait(60)
        gate.stop(0)
        assert brain.answer(running["answer_id"])["status"] == "failed"
        assert brain.answer(waiting["answer_id"])["status"] == "queued"
        speech.open.set()
    with gate_of(workspace) as gate:
        brain = gate.admit(secret).brain
        eventually(lambda: brain.answer(waiting["answer_id"])["status"] == "completed")
        assert brain.answer(running["answer_id"])["status"] == "failed", "it is never run twice"


def test_stopping_waits_for_what_is_nearly_done(workspace: Workspace) -> None:
    speech = Gate()
    with gate_of(workspace, speech) as gate:
        brain = gate.admit(workspace.key()).brain
        queued = brain.enqueue(question())
        assert speech.reached.wait(60)
        with ThreadPoolExecutor(1) as pool:
            stopping = pool.submit(gate.stop, 60)
            speech.open.set()
            stopping.result(60)
        assert brain.answer(queued["answer_id"])["status"] == "completed"


def test_figures_are_of_the_whole_brain(workspace: Workspace) -> None:
    workspace.person("cust_1", "Ann")
    workspace.load(fact("x"), fact("y", subject="Ann"), fact("z", kind="roster"))
    with gate_of(workspace, workers=0) as gate:
        brain = gate.admit(workspace.key()).brain
        brain.enqueue(question())
        assert gate.figures() == {"facts": 3, "queue_depth": 1}


def test_it_is_ready_while_its_file_can_be_used(workspace: Workspace) -> None:
    with gate_of(workspace) as gate:
        assert gate.is_ready()


def test_a_file_that_is_no_brain_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(BrainError, match="There is no brain at"):
        ServedGate(str(tmp_path / "none.db"))

"""Workers that an owner configures: what is kept of them, and who answers under which name."""

import sqlite3
from typing import Any

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.store.sqlite.upgrading import STEPS, upgrade
from brainctl.engine.store.workers import WorkerRow
from tests.answers.house import House, names, question

pytestmark = pytest.mark.both_stores

URL = "http://127.0.0.1:9/v1"


def test_workers_are_set_changed_listed_and_removed(house: House) -> None:
    owner = house.owner
    assert owner.workers() == []
    owner.set_worker("sales", model="m", base_url="https://models.example/v1/", key_env="MODEL_KEY")
    owner.set_worker("main", model="small", base_url=URL)
    owner.set_worker("sales", model="m2", base_url="https://models.example/v1", key_env="MODEL_KEY")
    assert owner.workers() == [
        WorkerRow("main", "small", URL, None),
        WorkerRow("sales", "m2", "https://models.example/v1", "MODEL_KEY"),
    ]
    assert owner.remove_worker("sales")
    assert not owner.remove_worker("sales")
    assert [worker.slug for worker in owner.workers()] == ["main"]


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"slug": ""}, "slug"),
        ({"slug": "x" * 201}, "slug"),
        ({"model": " "}, "model"),
        ({"base_url": "models.example/v1"}, "base_url"),
        ({"base_url": "ftp://models.example/v1"}, "base_url"),
        ({"base_url": "http://[::1/v1"}, "base_url"),
        ({"base_url": "http://models.example:port/v1"}, "base_url"),
        ({"base_url": "https://me:secret@models.example/v1"}, "base_url"),
        ({"base_url": "https://models.example/v1?key=x"}, "base_url"),
        ({"base_url": "https://models.exa mple/v1"}, "base_url"),
        ({"base_url": "http://models.example/v1", "key_env": "MODEL_KEY"}, "base_url"),
        ({"base_url": "http://127.999.0.1/v1", "key_env": "MODEL_KEY"}, "base_url"),
        ({"key_env": "sk-verysecret"}, "key_env"),
        ({"key_env": "ak_live_verysecret"}, "key_env"),
        ({"key_env": ""}, "key_env"),
    ],
)
def test_what_cannot_be_a_worker_is_refused_by_field_and_no_key_is_echoed(
    house: House, changed: dict[str, str], field: str
) -> None:
    given: dict[str, Any] = {"slug": "s", "model": "m", "base_url": URL, **changed}
    with pytest.raises(BrainError) as refused:
        house.owner.set_worker(given.pop("slug"), **given)
    assert refused.value.code == "validation_error"
    assert [each["field"] for each in refused.value.details["fields"]] == [field]
    assert "secret" not in str(refused.value.report())
    assert house.owner.workers() == []


def test_an_address_in_ones_own_network_needs_no_tls_where_no_key_is_sent(house: House) -> None:
    assert house.owner.set_worker("s", model="m", base_url="http://10.0.0.7:11434/v1").key_env is None


def test_a_worker_that_was_removed_before_its_turn_fails_the_run(house: House) -> None:
    house.owner.set_worker("sales", model="m", base_url=URL)
    brain = house.brain()
    answer_id = brain.enqueue(question(agent_slug="sales"))["answer_id"]
    house.owner.remove_worker("sales")
    assert brain.work_until(answer_id)["status"] == "failed"
    assert house.log == [f"{answer_id} failed: its worker is no longer configured"]


def test_without_configuration_main_answers_from_the_facts(house: House) -> None:
    brain = house.brain()
    brain.teach({"facts": [{"text": "Tea is at four."}]})
    events = list(brain.ask(question("When is tea?", agent_slug="main")))
    assert events[-2].data["output_text"] == "Tea is at four."


def test_an_unreachable_model_fails_the_run(house: House) -> None:
    house.owner.set_worker("main", model="m", base_url=URL)
    events = list(house.brain().ask(question()))
    assert names(events) == ["answer.created", "answer.failed", "done"]
    assert "could not be asked" in house.log[0]


@pytest.mark.of_a_file
def test_a_brain_of_the_first_format_is_brought_up_to_date(house: House) -> None:
    first = sqlite3.connect(":memory:", isolation_level=None)
    upgrade(first, STEPS[:1])
    known = {name for (name,) in first.execute("SELECT name FROM sqlite_schema")}
    first.close()
    with sqlite3.connect(house.path) as old:
        for kind in ("trigger", "index", "table"):
            made = old.execute("SELECT name FROM sqlite_schema WHERE type = ? AND sql IS NOT NULL", (kind,))
            for name in {name for (name,) in made} - known:
                old.execute(f"DROP {kind} {name}")
        old.execute("PRAGMA user_version = 1")
    old.close()
    brain = house.brain()
    assert names(list(brain.ask(question())))[-1] == "done"

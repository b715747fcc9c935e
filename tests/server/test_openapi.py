"""The API described for machines says what the server does."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brainctl.contract import bounds
from brainctl.contract.errors import API_CODES
from brainctl.server import rest
from brainctl.server.openapi import document
from tests.doors.workspace import Workspace, fact, serving
from tests.server.process import Process

OPENAPI: Any = document()


def operations() -> list[tuple[str, str, Any]]:
    return [
        (path, method, each) for path, methods in OPENAPI["paths"].items() for method, each in methods.items()
    ]


def test_it_has_every_route_and_method_and_no_other() -> None:
    routes = {(path, route.method.lower()) for path, route in rest.ROUTES.items()}
    assert {(path, method) for path, method, _ in operations()} == routes


def test_bounds_are_those_that_bodies_are_checked_by() -> None:
    asking = OPENAPI["paths"]["/v1/answers"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert asking["properties"]["input"] == {
        "type": "string",
        "minLength": 1,
        "maxLength": bounds.INPUT_MAX,
        "pattern": r"\S",
        "description": "The question.",
    }
    assert (asking["required"], asking["additionalProperties"]) == (["input"], False)
    teaching = OPENAPI["paths"]["/v1/memory/facts"]["post"]["requestBody"]["content"]["application/json"]
    facts = teaching["schema"]["properties"]["facts"]
    assert (facts["minItems"], facts["maxItems"]) == (1, bounds.FACTS_PER_CALL)


def test_replies_are_described_by_their_types() -> None:
    found = OPENAPI["paths"]["/v1/memory/search"]["post"]["responses"]["200"]["content"]["application/json"]
    fact = found["schema"]["properties"]["data"]["properties"]["facts"]["items"]
    assert fact["properties"]["subject"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert sorted(fact["properties"]) == fact["required"]
    read = OPENAPI["paths"]["/v1/answers/{answer_id}"]["get"]["responses"]["200"]["content"][
        "application/json"
    ]
    answer = read["schema"]["properties"]["data"]
    assert set(answer["properties"]) - set(answer["required"]) == {"sources", "error"}


def test_every_error_of_the_api_stands_at_the_routes_that_may_give_it() -> None:
    told = {
        code
        for _, _, each in operations()
        for reply in each["responses"].values()
        for code in API_CODES
        if f"`{code}`" in reply["description"]
    }
    assert set(API_CODES) - told == {"method_not_allowed", "run_failed"}


def test_it_is_served_without_a_key(documented: Process) -> None:
    reply = documented.get("/openapi.json")
    assert reply.status == 200
    assert reply.json() == OPENAPI
    assert reply.json()["openapi"] == "3.1.0"


@pytest.mark.fuzz
def test_no_request_that_it_allows_or_forbids_finds_a_fault(workspace: Workspace, tmp_path: Path) -> None:
    workspace.person("0", "Ann")
    workspace.load(fact("Deposits are due."), fact("Ann has paid 0 deposits.", subject="Ann"))
    settings = tmp_path / "schemathesis.toml"
    # That a worker has this slug, no schema can ask for.
    settings.write_text(
        "[[operations]]\n"
        'include-path = "/v1/answers"\n'
        "[operations.checks.positive_data_acceptance]\n"
        'expected-statuses = ["2xx", "409", "422"]\n'
    )
    command = str(Path(sys.executable).with_name("schemathesis"))
    with serving(workspace) as server:
        done = subprocess.run(
            [
                *(command, "--config-file", str(settings), "run", f"{server.base_url}/openapi.json"),
                *("--header", f"Authorization: Bearer {workspace.key()}"),
                *("--max-examples", "40", "--seed", "1", "--no-color"),
            ],
            cwd=tmp_path,
            env={**os.environ, "COLUMNS": "120"},
            capture_output=True,
            timeout=600,
            check=False,
        )
    told = done.stdout.decode()
    assert done.returncode == 0, told[-6000:]
    assert "Tested: 5" in told
    assert "Rate limited" not in told


def test_the_document_is_plain_json() -> None:
    assert json.loads(json.dumps(OPENAPI)) == OPENAPI

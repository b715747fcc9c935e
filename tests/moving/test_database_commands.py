"""Brains in a database, from the shell: made, listed, removed, moved there and back, served, looked at, backed up."""

import json
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from brainctl.engine.owner import create_brain
from tests.cli.hosted import inside
from tests.cli.shell import Result, Shell
from tests.postgres import Server, programs
from tests.server.process import Process


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    """The address of a database that holds nothing yet."""
    return new_database()


@pytest.fixture
def team(shell: Shell, address: str) -> Shell:
    """A shell whose environment `team` is a workspace of the database."""
    done(inside(shell, "brain", "init", "--env", "team", "--store", address, "--sample"))
    return shell


def done(result: Result) -> str:
    assert result.code == 0, result.err
    return result.out


def told(result: Result) -> Any:
    return json.loads(done(result))


def configured(shell: Shell, environment: str) -> dict[str, Any]:
    found = json.loads((shell.home / ".config/brainctl/config.json").read_text())
    entry: dict[str, Any] = found["environments"][environment]
    return entry


def listed(shell: Shell, address: str) -> dict[str, tuple[int, int, int]]:
    rows = told(inside(shell, "brain", "workspaces", "list", "--store", address, "--json"))["workspaces"]
    return {row["workspace"]: (row["facts"], row["keys"], row["answers"]) for row in rows}


def test_init_makes_a_workspace_and_its_profile(shell: Shell, address: str) -> None:
    arguments = ("brain", "init", "--env", "team", "--store", address, "--sample", "--json")
    made = told(inside(shell, *arguments))
    assert (made["store"], made["workspace"], made["environment"]) == (address, "team", "team")
    assert made["loaded"] == made["facts"] > 50
    again = told(inside(shell, *arguments))
    assert again == {**made, "loaded": 0}
    found = told(inside(shell, "search", "refund policy", "--json"))["facts"]
    assert "refund" in found[0]["fact_text"].lower()
    assert done(inside(shell, "whoami")).splitlines()[-1] == f"brain\t{address} (workspace team)"


def test_a_name_that_is_taken_is_told_and_nothing_is_saved(team: Shell, address: str) -> None:
    refused = inside(team, "brain", "init", "--env", "other", "--workspace", "team", "--store", address)
    assert refused.code == 1
    assert "There is a workspace 'team' in the database" in refused.err
    assert "--workspace" in refused.err
    assert "other" not in done(inside(team, "keys", "list"))
    other = told(inside(team, "brain", "init", "--env", "other", "--store", address, "--json"))
    assert (other["workspace"], other["facts"]) == ("other", 0)


def test_an_environment_keeps_the_brain_that_it_is(team: Shell, address: str, tmp_path: Path) -> None:
    for more in (("--store", str(tmp_path / "x.db")), ("--workspace", "other")):
        refused = inside(team, "brain", "init", "--env", "team", *more)
        assert refused.code == 2
        assert f"is the brain in {address} (team): choose another name with --env" in refused.err
    refused = inside(team, "brain", "init", "--env", "file", "--workspace", "other")
    assert (refused.code, "a file holds one brain" in refused.err) == (2, True)


@pytest.mark.parametrize("arguments", [("init",), ("serve",), ("workspaces", "list"), ("move",)])
def test_a_password_in_an_address_is_refused_and_repeated_nowhere(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    done(inside(shell, "brain", "init"))
    option = "--to" if arguments == ("move",) else "--store"
    address = "postgresql://brain:pa55word@127.0.0.1:1/brains"
    environment = ("--env", "team") if arguments == ("init",) else ()
    refused = inside(shell, "brain", *arguments, option, address, *environment)
    assert refused.code == 2
    assert "PGPASSWORD" in refused.err
    assert "pa55word" not in refused.err + refused.out


def test_the_variable_names_the_store_where_no_option_does(shell: Shell, address: str) -> None:
    variable = shell.with_(BRAINCTL_STORE=address)
    assert told(inside(variable, "brain", "init", "--env", "team", "--json"))["store"] == address
    assert done(inside(variable, "brain", "workspaces", "list")).split("\t")[0] == "team"
    # What an option or an environment says goes before it.
    done(inside(variable, "brain", "init", "--env", "file", "--store", str(shell.home / "a.db")))
    alone = inside(variable, "brain", "workspaces", "list", "--env", "file")
    assert done(alone).split("\t")[:2] == ["local", "0"]
    both = inside(variable, "brain", "workspaces", "list", "--env", "file", "--store", address)
    assert (both.code, "give one of them" in both.err) == (2, True)


def test_a_workspace_is_made_and_its_key_saved_in_one_line(team: Shell, address: str) -> None:
    piped = team.sh(
        f"brainctl brain workspaces create support --store {address} -q"
        f" | brainctl keys add owner --env support --store {address} --key-stdin -q"
    )
    assert (piped.code, piped.err) == (0, "")
    assert configured(team, "support")["workspace"] == "support"
    assert told(inside(team, "brain", "stats", "--env", "support", "--json"))["brain"] == "support"
    assert listed(team, address) == {"support": (0, 1, 0), "team": (63, 1, 0)}
    # No key of one sees anything of the other.
    assert told(inside(team, "search", "refund policy", "--env", "support", "--json"))["facts"] == []
    refused = inside(team, "brain", "workspaces", "create", "support", "--store", address)
    assert (refused.code, "already" in refused.err) == (1, True)


def test_a_removed_workspace_is_gone_with_its_keys_and_no_other(team: Shell, address: str) -> None:
    done(inside(team, "brain", "init", "--env", "other", "--store", address, "--sample"))
    done(inside(team, "ask", "When is a deposit refunded?", "--env", "other", "-q"))
    before = listed(team, address)
    assert before == {"team": (63, 1, 0), "other": (63, 1, 1)}
    asked = inside(team, "brain", "workspaces", "remove", "other", "--store", address)
    assert asked.code == 2
    assert "Remove the workspace other with its 63 facts, 1 key and 1 answer, for good?" in asked.err
    assert listed(team, address) == before
    gone = inside(team, "brain", "workspaces", "remove", "other", "--store", address, "--yes", "--json")
    assert told(gone) == {"workspace": "other", "facts": 63, "keys": 1, "answers": 1}
    assert "brainctl keys remove --environment --env other" in gone.err
    assert listed(team, address) == {"team": (63, 1, 0)}
    assert inside(team, "search", "refund", "--env", "other").code == 3
    assert inside(team, "search", "refund", "--env", "team").code == 0
    again = inside(team, "brain", "workspaces", "remove", "other", "--store", address, "--yes")
    assert (again.code, "There is no workspace other" in again.err) == (1, True)


def test_a_file_holds_one_brain(shell: Shell) -> None:
    done(inside(shell, "brain", "init", "--sample"))
    assert done(inside(shell, "brain", "workspaces", "list")).split("\t")[:4] == ["local", "63", "1", "0"]
    for arguments in (("create", "other"), ("remove", "local", "--yes")):
        refused = inside(shell, "brain", "workspaces", *arguments)
        assert (refused.code, "a file holds one brain" in refused.err) == (2, True)
    assert told(inside(shell, "brain", "stats", "--json"))["facts"]["current"] == 63


def test_a_brain_moves_there_and_back_and_its_profile_with_it(shell: Shell, address: str) -> None:
    done(inside(shell, "brain", "init", "--sample"))
    done(inside(shell, "teach", "The tower is closed in winter."))
    old = configured(shell, "local")["store"]
    before = done(inside(shell, "search", "refund policy", "-o", "jsonl"))
    planned = told(inside(shell, "brain", "move", "--to", address, "--dry-run", "--json"))
    assert (planned["there"], configured(shell, "local")["store"]) == ("nothing", old)
    moved = inside(shell, "brain", "move", "--to", address, "--json")
    result = told(moved)
    assert (result["from"], result["to"], result["workspace"]) == (old, address, "local")
    rows = {each["table"]: each["rows"] for each in result["tables"]}
    assert {each["table"]: each["rows"] for each in planned["tables"]}.items() <= rows.items()
    assert rows["facts"] == 64
    assert re.search(f"delete {re.escape(old)} and the files beside it", moved.err)
    assert (configured(shell, "local")["store"], configured(shell, "local")["workspace"]) == (
        address,
        "local",
    )
    assert done(inside(shell, "search", "refund policy", "-o", "jsonl")) == before
    home = str(shell.home / "home.db")
    back = inside(shell, "brain", "move", "--to", home)
    assert re.search(r"^facts\t64\t[0-9a-f]{64}$", done(back), re.MULTILINE)
    assert f"`brainctl brain workspaces remove local --store {address}`" in back.err
    assert "workspace" not in configured(shell, "local")
    assert done(inside(shell, "search", "refund policy", "-o", "jsonl")) == before


def test_a_move_that_cannot_be_leaves_the_profile_as_it_is(team: Shell, address: str) -> None:
    done(inside(team, "brain", "init", "--env", "small"))
    before = configured(team, "small")
    refused = inside(team, "brain", "move", "--env", "small", "--to", address, "--workspace", "team")
    assert (refused.code, "There is another brain" in refused.err) == (1, True)
    elsewhere = "postgresql://brain@127.0.0.1:1/brains"
    unreachable = inside(team, "brain", "move", "--env", "small", "--to", elsewhere)
    assert (unreachable.code, "cannot be reached" in unreachable.err) == (1, True)
    assert configured(team, "small") == before


def test_the_owners_commands_work_in_a_database(team: Shell) -> None:
    made = told(inside(team, "brain", "keys", "create", "bot", "--scope", "memory.read", "--json"))
    assert made["key_name"] == "bot"
    assert "bot" in done(inside(team, "brain", "keys", "list"))
    done(inside(team, "brain", "people", "add", "cust_9", "--name", "Iris"))
    assert "cust_9" in done(inside(team, "brain", "people", "list"))
    newest = done(inside(team, "brain", "facts", "list", "--limit", "1")).split("\t")[0]
    assert newest in done(inside(team, "brain", "facts", "show", newest))
    assert inside(team, "brain", "explain", "refund policy", "--as", "bot").code == 0
    assert inside(team, "brain", "audit").code == 0
    assert told(inside(team, "brain", "stats", "--json"))["bytes"] is None
    whole = done(inside(team, "brain", "export", "-q"))
    assert whole.count('"type":"fact"') == 63
    done(inside(team, "brain", "facts", "forget", newest, "--yes"))
    done(inside(team, "brain", "init", "--env", "other"))
    assert (
        told(inside(team, "brain", "import", "-", "--env", "other", "--json", stdin=whole))["imported"] == 63
    )


def test_an_archive_does_not_rename_a_workspace_that_is_found_by_its_name(team: Shell, address: str) -> None:
    whole = done(inside(team, "brain", "export", "-q"))
    done(inside(team, "brain", "init", "--env", "other", "--store", address))
    done(inside(team, "brain", "import", "-", "--env", "other", stdin=whole))
    assert listed(team, address)["other"][0] == 63


def test_the_doctor_looks_at_the_database(team: Shell, address: str) -> None:
    found = {row["check"]: row for row in told(inside(team, "doctor", "--json"))["findings"]}
    assert re.fullmatch(
        rf"PostgreSQL \d+\.\d+, workspaces: 1; {re.escape(address)}", found["database"]["message"]
    )
    assert found["clock"]["message"].startswith("agrees with the database's")
    assert found["search"]["state"] == "ok"


def test_the_doctor_says_when_the_database_is_gone(team: Shell, address: str) -> None:
    with_nobody = re.sub(r":\d+/", ":1/", address)
    path = team.home / ".config/brainctl/config.json"
    path.write_text(path.read_text().replace(address, with_nobody))
    looked = inside(team, "doctor", "--json")
    found = {row["check"]: row for row in json.loads(looked.out)["findings"]}
    assert found["database"]["state"] == "failure"
    assert "cannot be reached" in found["database"]["message"]
    assert "whoami" not in found


def test_a_backup_is_the_databases_own_and_comes_back(
    team: Shell, address: str, postgres_server: Server, new_database: Callable[[], str], tmp_path: Path
) -> None:
    dump = tmp_path / "a brain.dump"
    refused = inside(team, "brain", "backup", str(dump))
    assert refused.code == 2
    [line] = re.findall(r"`(pg_dump [^`]*)`", refused.err)
    bin_folder = programs()
    assert bin_folder is not None
    path = f"{bin_folder}{os.pathsep}{os.environ['PATH']}"
    elsewhere = new_database()
    for command in (line, f"pg_restore --no-owner --dbname='{elsewhere}' '{dump}'"):
        ran = subprocess.run(
            ["bash", "-c", command], env={"PATH": path}, capture_output=True, text=True, check=False
        )
        assert (ran.returncode, ran.stderr) == (0, "")
    assert listed(team, elsewhere) == listed(team, address)
    before = done(inside(team, "search", "refund policy", "-o", "jsonl"))
    config = team.home / ".config/brainctl/config.json"
    config.write_text(config.read_text().replace(address, elsewhere))
    assert done(inside(team, "search", "refund policy", "-o", "jsonl")) == before
    assert done(inside(team, "teach", "The tower is closed in winter.", "-q")) is not None
    assert listed(team, elsewhere)["team"][0] == 64


def test_a_server_serves_all_workspaces_of_its_store(team: Shell, address: str, tmp_path: Path) -> None:
    secret = told(inside(team, "brain", "workspaces", "create", "other", "--store", address, "--json"))[
        "secret"
    ]
    home = tmp_path / "server"
    home.mkdir()
    with Process(home, create_brain(str(home / "brain.db")), "--store", address) as process:
        assert f"Serving the brains in {address} at" in process.log
        key = told(inside(team, "brain", "keys", "create", "bot", "--scope", "memory.read", "--json"))[
            "secret"
        ]
        found = process.post("/v1/memory/search", key, {"query": "refund policy"})
        empty = process.post("/v1/memory/search", secret, {"query": "refund policy"})
        assert len(json.loads(found.body)["data"]["facts"]) > 1
        assert json.loads(empty.body)["data"]["facts"] == []
        done(inside(team, "brain", "workspaces", "remove", "other", "--store", address, "--yes"))
        assert process.post("/v1/memory/search", secret, {"query": "refund policy"}).status == 401

"""What the recipes leave to other programs, CI and cron, done as those would do it."""

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brainctl.contract.brain import Brain
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import open_owner
from tests.cli.shell import BRAINCTL, Result
from tests.docs.pages import ROOT, blocks
from tests.docs.reader import Reader
from tests.doors.brain_over_http import BrainOverHttp

RECIPES = ROOT / "docs" / "recipes.md"
SECRETS = {"BRAIN_KEY": "internal", "BOT_KEY": "external"}
LEAKED = "A free Friday in winter costs as little as 900 euros."


@pytest.fixture
def reader(home: Path) -> Reader:
    """A reader with the sample brain and all the files of the page."""
    reader = Reader(home)
    for block in blocks(RECIPES):
        if block.word == "file":
            reader.save(block)
    assert reader.run("brain", "init", "--sample").code == 0
    return reader


def steps(workflow: str) -> Iterator[tuple[str, str | None]]:
    """What each step of a job runs, and the secret that it has for its key."""
    for step in workflow.split("\n      - ")[1:]:
        if command := re.search(r"^\s*run: (.+)$", step, re.MULTILINE):
            secret = re.search(r"ALFERA_API_KEY: \$\{\{ secrets\.(\w+) \}\}", step)
            yield command[1], secret[1] if secret else None


@contextmanager
def served(reader: Reader) -> Iterator[tuple[str, dict[str, str]]]:
    """The reader's brain at an address, and the key of each secret."""
    store = str(reader.home / ".local/share/brainctl/local.db")
    with open_owner(store) as owner:
        keys = {
            name: owner.create_key(name, audience, ["memory.read"]).secret
            for name, audience in SECRETS.items()
        }

    def gate(offered: str) -> Brain:
        return open_brain(store, offered)

    with BrainOverHttp(gate) as server:
        yield server.base_url, keys
    assert server.faults == []


def job(reader: Reader) -> list[tuple[str, Result]]:
    """The steps of the job that check something, each in a shell that has nothing but its secret."""
    workflow = (reader.home / ".github/workflows/brain.yml").read_text("utf-8")
    results: list[tuple[str, Result]] = []
    with served(reader) as (base_url, keys):
        for command, secret in steps(workflow):
            if secret is None:
                assert command == "pip install git+https://github.com/alfera/brainctl"
                continue
            ci = Reader(reader.home, {"ALFERA_API_KEY": keys[secret], "BRAINCTL_BASE_URL": base_url})
            results.append((secret, ci.sh(command, cwd=reader.home)))
    return results


def test_the_job_looks_through_both_keys_and_passes(reader: Reader) -> None:
    results = job(reader)
    assert [(secret, result.code) for secret, result in results] == [("BRAIN_KEY", 0), ("BOT_KEY", 0)]
    assert (reader.home / "known.xml").exists()
    assert (reader.home / "hidden.xml").exists()


def test_the_job_fails_where_the_bot_sees_too_much(reader: Reader) -> None:
    assert reader.run("teach", LEAKED).code == 0
    assert {secret: result.code for secret, result in job(reader)}["BOT_KEY"] == 12
    assert '<failure message="fact 1 of ' in (reader.home / "hidden.xml").read_text("utf-8")


def test_without_its_secret_the_job_fails(home: Path) -> None:
    reader = Reader(home)
    for block in blocks(RECIPES):
        if block.word == "file":
            reader.save(block)
    for command in ("brainctl expect --file known.jsonl", "brainctl expect --file hidden.jsonl"):
        assert reader.with_(ALFERA_API_KEY="").sh(command, cwd=home).code == 3


def test_what_is_hidden_from_the_bot_is_there_for_the_team(reader: Reader) -> None:
    """Else the checks would pass of an empty brain too."""
    for line in (reader.home / "hidden.jsonl").read_text("utf-8").splitlines():
        check = json.loads(line)
        person = ("--end-user", "cust_419") if check["query"] == "lilies" else ()
        found = reader.run("expect", check["query"], "--contains", check["contains"], *person)
        assert found.code == 0, line


def run_by_cron(reader: Reader) -> Result:
    (line,) = [each for each in (reader.home / "brain.cron").read_text("utf-8").splitlines() if "$" in each]
    minute, hour, day, month, weekday, command = line.split(maxsplit=5)
    assert (minute.isdigit(), hour.isdigit(), day, month, weekday) == (True, True, "*", "*", "*")
    assert "%" not in command, "cron takes it for the end of the line"
    done = subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=reader.home,
        env={"HOME": str(reader.home), "PATH": "/usr/bin:/bin", "SHELL": "/bin/sh", "LOGNAME": "you"},
        capture_output=True,
        text=True,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def test_cron_mails_only_where_something_does_not_hold(reader: Reader) -> None:
    program = reader.home / ".local/bin/brainctl"
    program.parent.mkdir(parents=True)
    program.symlink_to(BRAINCTL)
    assert run_by_cron(reader) == Result(0, "", "")
    checks = reader.home / "known.jsonl"
    checks.write_text(checks.read_text("utf-8") + '{"query": "wine", "contains": "champagne"}\n', "utf-8")
    mailed = run_by_cron(reader)
    assert "failed\twine\t" in mailed.out
    assert "1 of 4 expectations does not hold." in mailed.out


def test_what_pre_commit_runs_passes(reader: Reader) -> None:
    settings = (reader.home / ".pre-commit-config.yaml").read_text("utf-8")
    (entry,) = re.findall(r"^\s*entry: (.+)$", settings, re.MULTILINE)
    assert reader.sh(entry, cwd=reader.home).code == 0


def test_the_packet_reaches_the_model_whole(reader: Reader) -> None:
    """Another program stands in for the model's, and gives back what it was given."""
    (block,) = [block for block in blocks(RECIPES) if block.word == "not run"]
    (command,) = block.commands()
    folder = reader.home / "stand-ins"
    folder.mkdir()
    model = folder / "llm"
    model.write_text('#!/bin/sh\ntest "$1" = --system && echo "$2" && exec cat\n')
    model.chmod(0o755)
    answered = reader.with_(PATH=f"{folder}:{reader.environ['PATH']}").sh(command.text)
    assert (answered.code, answered.err) == (0, "")
    system, packet = answered.out.split("\n", 1)
    assert system == "Answer the question from these notes alone."
    assert packet.startswith("<workspace_memory ")
    assert packet.rstrip().endswith("</workspace_memory>")
    assert "22 May 2027" in packet


def test_pre_commit_itself_takes_the_settings(reader: Reader) -> None:
    program = shutil.which("pre-commit")
    if program is None:
        pytest.skip("pre-commit is not installed here")
    done = reader.sh(f"git init -q . && {program} validate-config .pre-commit-config.yaml", cwd=reader.home)
    assert done.code == 0, done.err

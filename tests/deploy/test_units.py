"""The units for systemd: systemd takes them, and what they start serves, stops and copies as they say."""

import os
import re
import shutil
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from brainctl.engine.local_brain import open_brain
from brainctl.server.listening import GRACE_SECONDS
from tests.cli.shell import BRAINCTL, eventually, posix
from tests.deploy.conftest import Running
from tests.deploy.streams import DEADLINE_SECONDS, NAME, Dictated, Listener
from tests.deploy.units import DEPLOY, PROGRAM, UNITS, command, environment, service
from tests.server.process import DEPOSITS, Process, company
from tests.server.test_process import children

ANALYZE = shutil.which("systemd-analyze")
EXPOSURE_MOST = {"brainctl.service": 2.0, "brainctl-backup.service": 1.5}
"""Of 10, with room for what another systemd thinks of. What serving has more is the network."""

systemd = pytest.mark.skipif(ANALYZE is None, reason="systemd-analyze is not installed here")


def analyze(*arguments: str, cwd: Path) -> "subprocess.CompletedProcess[str]":
    assert ANALYZE is not None
    return subprocess.run(
        [ANALYZE, *arguments], cwd=cwd, capture_output=True, text=True, timeout=60, check=False
    )


@systemd
def test_systemd_finds_nothing_wrong_with_them(tmp_path: Path) -> None:
    for name in UNITS:
        # It wants the program to be there.
        text = (DEPLOY / name).read_text("utf-8").replace(PROGRAM, BRAINCTL)
        (tmp_path / name).write_text(text, "utf-8")
    units = [f"./{name}" for name in UNITS]
    done = analyze("verify", "--man=no", "--recursive-errors=no", *units, cwd=tmp_path)
    # What it thinks of other units of this machine is not asked.
    said = [line for line in (done.stdout + done.stderr).splitlines() if "brainctl" in line]
    assert (done.returncode, said) == (0, [])


@systemd
@pytest.mark.parametrize("name", EXPOSURE_MOST)
def test_systemd_finds_them_little_exposed(name: str) -> None:
    done = analyze("security", "--offline=yes", "--no-pager", f"./{name}", cwd=DEPLOY)
    found = re.search(rf"Overall exposure level for {re.escape(name)}: ([\d.]+)", done.stdout)
    if found is None:
        pytest.skip(f"this systemd does not look at files: {done.stderr.strip()}")
    print(found[0])
    assert float(found[1]) <= EXPOSURE_MOST[name]


def started(running: Running, tmp_path: Path) -> Process:
    """What the unit starts, on any free port."""
    settings = service("brainctl.service")
    assert environment(settings, tmp_path) == {"BRAINCTL_HOME": str(tmp_path / "brainctl")}
    program, *words = command(settings, tmp_path)
    assert (program, words[:2]) == (PROGRAM, ["brain", "serve"])
    place = words.index("--port")
    return running(*words[2:place], *words[place + 2 :])


def stop(process: Process) -> None:
    """Stop it as the unit has systemd do: the first process alone is told."""
    settings = service("brainctl.service")
    assert settings["KillMode"] == ["mixed"]
    process.popen.send_signal(getattr(signal, settings["KillSignal"][0]))


@posix
def test_it_serves_under_its_name_and_lets_a_stream_end_before_it_stops(
    running: Running, tmp_path: Path, dictated: Dictated
) -> None:
    process = started(running, tmp_path)
    process.owner.set_worker("main", model="dictated", base_url=dictated.base_url)
    eventually(lambda: len(children(process)) == 2)
    assert process.get("/readyz").json() == {"status": "ready"}
    with socket.create_connection(process.address, DEADLINE_SECONDS) as connection:
        listener = Listener(connection, process.key())
        dictated.say("Before. ")
        listener.until(b"Before. ")
        stop(process)
        dictated.say("After.")
        dictated.end()
        heard = listener.to_the_end()
    assert b"After." in heard
    assert b"event: answer.completed" in heard
    assert b"event: done" in heard
    assert process.wait() == 0


@posix
def test_an_answer_that_does_not_end_is_told_to_have_failed(
    running: Running, tmp_path: Path, dictated: Dictated
) -> None:
    process = started(running, tmp_path)
    process.owner.set_worker("main", model="dictated", base_url=dictated.base_url)
    with socket.create_connection(process.address, DEADLINE_SECONDS) as connection:
        listener = Listener(connection, process.key())
        dictated.say("Before. ")
        listener.until(b"Before. ")
        stop(process)
        heard = listener.to_the_end()
    assert b"event: answer.failed" in heard
    assert b"event: done" in heard
    assert process.wait() == 0


def test_systemd_waits_longer_than_a_stop_may_take() -> None:
    (seconds,) = service("brainctl.service")["TimeoutStopSec"]
    assert int(seconds) >= 2 * (GRACE_SECONDS + 10)


def test_no_unit_has_a_secret_in_an_argument() -> None:
    for name in ("brainctl.service", "brainctl-backup.service"):
        (line,) = service(name)["ExecStart"]
        assert not re.search(r"://|ak_|password|secret", line, re.IGNORECASE)
    assert service("brainctl.service")["EnvironmentFile"] == ["-/etc/brainctl/environment"]


def test_the_name_in_the_unit_is_the_name_in_the_proxy() -> None:
    (line,) = service("brainctl.service")["ExecStart"]
    proxy = (DEPLOY / "nginx.conf").read_text("utf-8")
    assert f"--allow-host {NAME}" in line
    assert f"server_name {NAME};" in proxy
    assert f"server 127.0.0.1:{line.split('--port ')[1].split()[0]} " in proxy


@posix
def test_the_copy_of_the_day_is_taken_while_the_brain_is_served_and_brings_it_back(tmp_path: Path) -> None:
    """Stopped, put in its place, started: the brain is as it was, and its keys are those of then."""
    home = tmp_path / "brainctl"
    copies = tmp_path / "brainctl-backups"
    copies.mkdir()
    (home / "data").mkdir(parents=True)
    store = home / "data" / "local.db"
    with Process(home, company(store)) as process:
        secret = process.key()
        for _ in range(2):
            assert backup(tmp_path, process) == ""
        assert (
            process.post("/v1/memory/facts", secret, {"facts": [{"text": "Taught too late."}]}).status == 202
        )
        assert "Taught too late." in found(process, secret, "taught too late")
        later = process.key()
    (copy,) = copies.iterdir()
    assert re.fullmatch(r"brain-[1-7]\.db", copy.name)
    shutil.copyfile(copy, store)
    for side in ("-wal", "-shm"):
        Path(f"{store}{side}").unlink(missing_ok=True)
    with Process.again(home, process) as process:
        assert DEPOSITS in found(process, secret, "deposits")
        assert "Taught too late." not in found(process, secret, "taught too late")
        assert process.post("/v1/memory/search", later, {"query": "x"}).code() == "api_key_invalid"
    with open_brain(str(store), secret) as brain:
        assert brain.whoami()["key_name"] == "key 1"


def found(process: Process, secret: str, query: str) -> list[str]:
    reply = process.post("/v1/memory/search", secret, {"query": query})
    return [each["fact_text"] for each in reply.json()["data"]["facts"]]


def backup(state: Path, process: Process) -> str:
    """Run the line of the unit; what it prints."""
    settings = service("brainctl-backup.service")
    words = [word.replace(PROGRAM, BRAINCTL) for word in command(settings, state)]
    environ = {**process.shell.environ, **environment(settings, state), "PATH": os.defpath}
    done = subprocess.run(
        words, env=environ, capture_output=True, text=True, timeout=DEADLINE_SECONDS, check=True
    )
    return done.stderr

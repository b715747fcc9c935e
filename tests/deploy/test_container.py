"""The container file: what it leaves out and takes no rights for, and the brain that an image of it serves."""

import json
import os
import re
import signal
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.shell import eventually
from tests.deploy.machine import CERTIFICATES, PIP_HERE, debian, needs, run
from tests.deploy.units import DEPLOY
from tests.docs.pages import ROOT

TEXT: Final = (DEPLOY / "Containerfile").read_text("utf-8")
STATE: Final = "/var/lib/brainctl"
UID: Final = 10001


def instructions(name: str) -> list[str]:
    """What stands after each of these instructions, a line each."""
    whole = TEXT.replace("\\\n", " ")
    return re.findall(rf"^{name} +(.+)$", whole, re.MULTILINE)


def test_its_base_is_one_version() -> None:
    assert [
        re.fullmatch(r"BASE=[\w./]+:\d+\.\d+\.\d+-slim-\w+", each) is not None for each in instructions("ARG")
    ] == [True]
    assert {each.split()[0] for each in instructions("FROM")} == {"${BASE}"}


def test_it_takes_in_what_the_program_is_made_of_and_nothing_else() -> None:
    taken = [each for line in instructions("COPY") if "--from" not in line for each in line.split()[:-1]]
    assert taken == ["pyproject.toml", "README.md", "LICENSE", "NOTICE", "brainctl", "scripts"]
    assert all((ROOT / each).exists() for each in taken)


def test_no_secret_stands_in_a_layer() -> None:
    named = [pair.split("=")[0] for line in instructions("(?:ENV|ARG)") for pair in line.split()]
    assert named == ["BASE", "PATH", "BRAINCTL_HOME"]


class Storage:
    """Images and containers that are gone with the test."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        (folder / "policy.json").write_text('{"default": [{"type": "insecureAcceptAnything"}]}', "utf-8")
        (folder / "pip.conf").write_text(PIP_HERE, "utf-8")

    def words(self, command: str, *arguments: str) -> list[str]:
        places = ("--root", str(self._folder / "root"), "--runroot", str(self._folder / "run"))
        signed = ("--signature-policy", str(self._folder / "policy.json"))
        known = signed if command in {"from", "commit", "build"} else ()
        return ["buildah", *places, "--storage-driver", "vfs", command, *known, *arguments]

    def do(self, command: str, *arguments: str) -> str:
        return run(*self.words(command, *arguments)).strip()

    def built(self) -> str:
        """The image of the container file, on Debian's own Python."""
        base = self.do("from", "scratch")
        self.do("add", "--quiet", base, f"{debian()}/", "/")
        self.do("commit", "--quiet", base, "localhost/base")
        self.do(
            *("build", "--quiet", "--isolation", "chroot", "--format", "docker", "--pull-never"),
            *("--build-arg", "BASE=localhost/base", "--volume", f"{CERTIFICATES}:{CERTIFICATES}:ro"),
            *("--volume", f"{self._folder}/pip.conf:/etc/pip.conf:ro"),
            *("--tag", "localhost/brainctl", "--file", str(DEPLOY / "Containerfile"), str(ROOT)),
        )
        return "localhost/brainctl"

    def settings(self, image: str) -> Any:
        return json.loads(self.do("inspect", "--type", "image", image))["Docker"]["config"]

    def inside(self, container: str, state: Path, *command: str) -> list[str]:
        """The words that run this in a container, with the brain in this folder."""
        volume = ("--volume", f"{state}:{STATE}")
        return self.words("run", "--isolation", "chroot", *volume, container, "--", *command)


def with_its_own_network(words: list[str]) -> list[str]:
    """There, every port is free."""
    return ["unshare", "--net", "sh", "-c", 'ip link set lo up; exec "$@"', "sh", *words]


def serving(below: int) -> int | None:
    """The process that serves, of those that this one has started."""
    listed = run("ps", "-e", "-o", "pid=,ppid=,args=")
    rows = [line.split(maxsplit=2) for line in listed.splitlines()]
    family = {str(below)}
    for _ in rows:
        family |= {pid for pid, parent, _ in rows if parent in family}
    found = [pid for pid, _, words in rows if pid in family and "bin/python" in words.split()[0]]
    return int(found[-1]) if found else None


@pytest.mark.machine
def test_its_image_serves_a_brain_without_rights_and_stops_when_told(tmp_path: Path) -> None:
    """By its own settings: what it is to be called with, who it runs as, its health check and its stop signal."""
    needs("debootstrap", "buildah", "unshare", "nsenter")
    storage = Storage(tmp_path)
    image = storage.built()
    settings = storage.settings(image)
    assert list(settings["Volumes"]) == [STATE]
    assert list(settings["ExposedPorts"]) == ["8787/tcp"]
    container = storage.do("from", "--pull-never", image)
    state = tmp_path / "state"
    state.mkdir(mode=0o700)
    os.chown(state, UID, UID)
    assert run(*storage.inside(container, state, "id", "-u")).strip() == str(UID)
    program = settings["Entrypoint"]
    made = run(*storage.inside(container, state, *program, "brain", "init", "--sample"))
    assert f"brain\t{STATE}/data/local.db" in made
    served = with_its_own_network(storage.inside(container, state, *program, *settings["Cmd"]))
    with subprocess.Popen(served, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            assert "Serving the brain local at http://0.0.0.0:8787" in process.stderr.readline()
            kind, *check = settings["Healthcheck"]["Test"]
            assert kind == "CMD"
            looking = [
                "nsenter",
                "--net",
                f"--target={process.pid}",
                *storage.inside(container, state, *check),
            ]
            eventually(lambda: subprocess.run(looking, capture_output=True, check=False).returncode == 0)
        finally:
            pid = serving(process.pid)
            assert pid is not None
            os.kill(pid, getattr(signal, settings["StopSignal"]))
        assert process.wait(60) == 0
    stopped = subprocess.run(
        with_its_own_network(storage.inside(container, state, *check)), capture_output=True, check=False
    )
    assert stopped.returncode != 0

"""A small Debian of one's own, from Debian's packages: to boot with systemd, or to build a container on."""

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import pytest

from tests.docs.pages import ROOT, Command
from tests.mcp.sdks import CACHE

SUITE: Final = "bookworm"
PACKAGES: Final = "ca-certificates,curl,dbus,python3,python3-venv,sudo,systemd,systemd-sysv"
SOURCES: Final = ("pyproject.toml", "README.md", "LICENSE", "NOTICE", "brainctl", "scripts", "deploy")
CERTIFICATES: Final = Path("/etc/ssl/certs/ca-certificates.crt")
PIP_HERE: Final = f"[global]\ncert = {CERTIFICATES}\n"
"""The registry is reached as from this machine."""


class Told(NamedTuple):
    """A command's end: `code` is None where it was never reached."""

    code: int | None
    out: str
    err: str


def needs(*programs: str) -> None:
    """Skip the test where one is missing, or where we may not do what they do."""
    if os.name == "nt" or os.geteuid() != 0:
        pytest.skip("a machine is made and booted by root alone")
    for program in programs:
        if shutil.which(program) is None:
            pytest.skip(f"{program} is not installed here (Debian: debootstrap, systemd-container, buildah)")


def debian() -> Path:
    """The files of a Debian, made once and kept. Not to be changed."""
    made = CACHE / f"{SUITE}-1"
    if not made.exists():
        half = CACHE / f"{SUITE}-{os.getpid()}"
        CACHE.mkdir(parents=True, exist_ok=True)
        run("debootstrap", "--variant=minbase", f"--include={PACKAGES}", SUITE, str(half))
        shutil.copyfile(CERTIFICATES, half / CERTIFICATES.relative_to("/"))
        if not made.exists():
            half.rename(made)
    return made


def run(*command: str, seconds: float = 600) -> str:
    """What it prints. Fails with all of it where the command does."""
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    return done.stdout


class Machine:
    """A Debian with a clone of the repository in its root's home, and every package that brainctl needs."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "machine"
        run("cp", "-a", "--reflink=auto", str(debian()), str(self.root))
        self.clone = self.root / "root" / "brainctl"
        self.clone.mkdir()
        for name in SOURCES:
            run("cp", "-a", str(ROOT / name), str(self.clone / name))
        (self.root / "etc/pip.conf").write_text(PIP_HERE, "utf-8")
        wheels = "python3 -m venv /tmp/v && /tmp/v/bin/pip wheel --quiet -w /wheels '/root/brainctl[serve]'"
        self._nspawn("/bin/sh", "-c", wheels)
        # From now on it needs no network, and has none.
        (self.root / "etc/pip.conf").write_text("[global]\nno-index = true\nfind-links = /wheels\n", "utf-8")

    def _nspawn(self, *arguments: str) -> str:
        return run(
            "systemd-nspawn", "--quiet", "--register=no", "--keep-unit", "-D", str(self.root), *arguments
        )

    def follow(self, commands: Sequence[Command]) -> list[Told]:
        """Boot it, run these in one shell of root's until one fails, and shut it down."""
        tour = self.root / "root" / "tour"
        tour.mkdir()
        lines = ["cd /root", "export HOME=/root"]
        for number, command in enumerate(commands):
            (tour / f"{number}").write_text(command.text, "utf-8")
            at = f"/root/tour/{number}"
            lines += [
                f'{{ eval "$(cat {at})"; }} >{at}.out 2>{at}.err </dev/null',
                f"echo $? >{at}.code; test $(cat {at}.code) = 0 || exit",
            ]
        script = self.root / "root" / "tour.sh"
        script.write_text("trap 'systemctl --no-block poweroff' EXIT\n" + "\n".join(lines) + "\n", "utf-8")
        unit = self.root / "etc/systemd/system/tour.service"
        unit.write_text("[Service]\nType=idle\nExecStart=/bin/bash /root/tour.sh\n", "utf-8")
        wanted = unit.with_name("multi-user.target.wants")
        wanted.mkdir(exist_ok=True)
        (wanted / unit.name).symlink_to(unit.relative_to(self.root))
        self._nspawn("--private-network", "--boot")
        return [self._told(tour / f"{number}") for number in range(len(commands))]

    def _told(self, at: Path) -> Told:
        code = at.with_suffix(".code")
        if not code.exists():
            return Told(None, "", "")
        out, err = (at.with_suffix(suffix).read_text("utf-8") for suffix in (".out", ".err"))
        return Told(int(code.read_text()), out, err)

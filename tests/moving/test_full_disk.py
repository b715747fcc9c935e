"""A disk that fills up while a brain is made on it or moved to it: what is called done is whole."""

import os
import shutil
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Final

import pytest

from tests.cli.shell import Shell

DISK_KB: Final = 4096
LEFT_KB: Final = range(200, 460, 30)
"""The sample brain takes about 350, and its log as much again."""


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A small disk of its own."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = shutil.which("mount")
    if mount is None or not hasattr(os, "geteuid") or os.geteuid() != 0:
        pytest.skip("only root may mount a small disk")
    command = [mount, "-t", "tmpfs", "-o", f"size={DISK_KB}k", "tmpfs", str(folder)]
    if subprocess.run(command, stderr=subprocess.DEVNULL, check=False).returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


def leave(disk: Path, kilobytes: int) -> Path:
    """Empty the disk, and fill it but for so much."""
    for each in disk.iterdir():
        shutil.rmtree(each) if each.is_dir() else each.unlink()
    filling = disk / "filling"
    filling.write_bytes(bytes((DISK_KB - kilobytes) * 1024))
    return filling


def is_whole(file: Path, copy: Path) -> bool:
    """Whether the file alone, without what lies beside it, is a sound brain."""
    shutil.copyfile(file, copy)
    with closing(sqlite3.connect(copy)) as connection:
        told = connection.execute("PRAGMA integrity_check").fetchone()
        (facts,) = connection.execute("SELECT count(*) FROM facts").fetchone()
        return bool(told == ("ok",) and facts)


def test_a_move_that_is_called_done_left_a_whole_file(shell: Shell, disk: Path, tmp_path: Path) -> None:
    made = shell.run("brain", "init", "--sample")
    assert made.code == 0, made.err
    seen: set[int] = set()
    for kilobytes in LEFT_KB:
        filling = leave(disk, kilobytes)
        name = f"moved {kilobytes}"
        target = disk / "moved.db"
        done = shell.run("brain", "move", "--to", str(target), "--env", "local")
        seen.add(done.code)
        if done.code:
            assert "full" in done.err, done.err
            assert shell.run("search", "dogs").code == 0
            filling.unlink()
            again = shell.run("brain", "move", "--to", str(target), "--env", "local")
            assert again.code == 0, again.err
        assert is_whole(target, tmp_path / f"{name}.db")
        assert "Dogs" in shell.run("search", "dogs").out
        back = shell.run("brain", "move", "--to", str(tmp_path / f"back {kilobytes}.db"))
        assert back.code == 0, back.err
    assert seen == {0, 1}


def test_a_brain_made_on_a_full_disk_is_there_whole_or_not_at_all(shell: Shell, disk: Path) -> None:
    seen: set[int] = set()
    for kilobytes in LEFT_KB:
        filling = leave(disk, kilobytes)
        there = shell.with_(BRAINCTL_HOME=str(disk / "home"))
        done = there.run("brain", "init", "--sample")
        seen.add(done.code)
        if done.code:
            assert "damaged" not in done.err
            filling.unlink()
            again = there.run("brain", "init", "--sample")
            assert again.code == 0, again.err
        filling.unlink(missing_ok=True)
        assert there.run("doctor").code == 0
        assert "Dogs" in there.run("search", "dogs").out
    assert seen == {0, 1}

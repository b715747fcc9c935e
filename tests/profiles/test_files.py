"""Files that are changed by many at once."""

import os
import stat
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from brainctl.contract.errors import BrainError
from brainctl.profiles.files import (
    DamagedFileError,
    keep_aside,
    locked,
    read_json,
    write_atomically,
    write_json,
)
from tests.cli.shell import unmeasured


def take_lock(path: str) -> None:
    with locked(path):
        pass


posix = pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")


@posix
def test_what_is_written_is_for_this_user_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "file.json"
    before = os.umask(0)
    try:
        write_json(str(path), {"x": 1})
    finally:
        os.umask(before)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [stat.S_IMODE(folder.stat().st_mode) for folder in (path.parent, path.parent.parent)] == [
        0o700,
        0o700,
    ]
    assert [each.name for each in path.parent.iterdir()] == ["file.json"]


@posix
def test_a_file_that_others_could_read_is_replaced_by_one_they_cannot(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_text("{}")
    path.chmod(0o644)
    write_json(str(path), {"x": 1})
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@posix
def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path: Path) -> None:
    real, link = tmp_path / "dotfiles" / "real.json", tmp_path / "link.json"
    real.parent.mkdir()
    real.write_text("{}")
    link.symlink_to(real)
    write_json(str(link), {"x": 1})
    assert link.is_symlink()
    assert read_json(str(real)) == {"x": 1}


@posix
def test_a_link_to_nothing_yet_makes_its_target(tmp_path: Path) -> None:
    link = tmp_path / "link.json"
    link.symlink_to(tmp_path / "new" / "real.json")
    write_json(str(link), {"x": 1})
    assert (tmp_path / "new" / "real.json").is_file()


def test_a_byte_order_mark_is_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(b'\xef\xbb\xbf{"x": 1}')
    assert read_json(str(path)) == {"x": 1}


def test_no_file_is_none(tmp_path: Path) -> None:
    assert read_json(str(tmp_path / "none" / "file.json")) is None


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[]", b"null", b'"x"', b"{}{}", b"\xff\xfe{}", b"[" * 200_000],
    ids=lambda raw: repr(raw[:9]),
)
def test_a_damaged_file_is_reported_and_left_alone(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(raw)
    with pytest.raises(DamagedFileError, match=r"file\.json is damaged") as caught:
        read_json(str(path))
    assert caught.value.code == "usage"
    assert path.read_bytes() == raw


def test_the_error_for_a_damaged_file_carries_nothing_of_it(tmp_path: Path) -> None:
    path = tmp_path / "secrets.json"
    path.write_text('{"secrets": {"a": "ak_live_x7f4secret"}')
    with pytest.raises(DamagedFileError) as caught:
        read_json(str(path))
    assert "x7f4" not in str(caught.value)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


def test_files_kept_aside_never_overwrite_each_other(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    for number in (1, 2, 3):
        path.write_text(f"damage {number}")
        assert keep_aside(str(path)) == f"{path}.corrupt-{number}"
    assert [(tmp_path / f"file.json.corrupt-{n}").read_text() for n in (1, 2, 3)] == [
        "damage 1",
        "damage 2",
        "damage 3",
    ]


def test_a_folder_or_a_file_in_the_wrong_place_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").write_text("")
    actions: list[Callable[[], object]] = [
        lambda: read_json(str(tmp_path / "folder")),
        lambda: write_atomically(str(tmp_path / "folder"), b""),
        # To Windows there is just no such file.
        *([] if os.name == "nt" else [lambda: read_json(str(tmp_path / "file" / "below.json"))]),
        lambda: write_atomically(str(tmp_path / "file" / "below.json"), b""),
        lambda: take_lock(str(tmp_path / "file" / "below.json")),
    ]
    for action in actions:
        with pytest.raises(BrainError, match="cannot be") as caught:
            action()
        assert caught.value.code == "usage"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["file", "folder"]


WRITE_TOO_MUCH = """
import resource, sys
from brainctl.contract.errors import BrainError
from brainctl.profiles.files import write_json
soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
try:
    write_json(sys.argv[1], {"x": "y" * 100_000})
except BrainError as error:
    print(error.code, "cannot be written: file too large" in error.message)
resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
"""


@posix
def test_a_write_that_fails_half_way_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    write_json(str(path), {"x": 1})
    done = subprocess.run(
        [sys.executable, "-c", WRITE_TOO_MUCH, str(path)], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("fault True\n", "")
    assert read_json(str(path)) == {"x": 1}
    assert [each.name for each in tmp_path.iterdir()] == ["file.json"]


def test_a_lock_that_does_not_come_free_is_given_up_with_a_sentence(tmp_path: Path) -> None:
    path = str(tmp_path / "file.json")
    now = [0.0]

    def sleep(seconds: float) -> None:
        now[0] += seconds

    with (
        locked(path),
        pytest.raises(BrainError, match="another brainctl") as caught,
        locked(path, timeout=5.0, sleep=sleep, clock=lambda: now[0]),
    ):
        pytest.fail("the lock was taken twice")
    assert caught.value.code == "fault"
    assert 5.0 <= now[0] < 6.0
    with locked(path):
        pass


def test_the_lock_goes_with_a_killed_process(tmp_path: Path) -> None:
    path = str(tmp_path / "file.json")
    script = (
        "import sys\nfrom brainctl.profiles.files import locked\n"
        "with locked(sys.argv[1]):\n    print('held', flush=True)\n    sys.stdin.read()\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=unmeasured()
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline().strip() == b"held"
        with pytest.raises(BrainError), locked(path, timeout=0.0):
            pytest.fail("the lock was taken twice")
        holder.kill()
        holder.wait()
    with locked(path, timeout=0.0):
        pass


def test_threads_do_not_lose_each_other_s_changes(tmp_path: Path) -> None:
    path = str(tmp_path / "file.json")

    def add(name: str) -> None:
        for _ in range(10):
            with locked(path):
                content = read_json(path) or {}
                content[name] = content.get(name, 0) + 1
                write_json(path, content)

    threads = [threading.Thread(target=add, args=(f"t{number}",)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert read_json(path) == {f"t{number}": 10 for number in range(4)}

"""Machines are not alike: no home, a home that cannot be written to, a damaged file, variables that point nowhere."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.hosted import SECRET, Hosting, facts, identity, inside
from tests.cli.shell import BRAINCTL, Result, Shell, posix

USER = os.geteuid() if hasattr(os, "geteuid") else None
"""None on Windows, which has neither such users nor such modes."""

as_root = pytest.mark.skipif(USER != 0, reason="only root may take another user's place")
not_for_root = pytest.mark.skipif(USER in {0, None}, reason="root and Windows may read what has no modes")
NOBODY_KNOWN = 54321
"""A user id that no machine has an entry for."""


def config(shell: Shell) -> Path:
    return shell.home / ".config/brainctl/config.json"


def bare(environ: dict[str, str], *arguments: str) -> Result:
    """Run the command with these variables and no other."""
    done = subprocess.run(
        [BRAINCTL, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=environ,
        timeout=60,
        check=False,
    )
    return Result(done.returncode, done.stdout.decode(), done.stderr.decode())


@pytest.mark.parametrize(
    "variables", [{}, {"HOME": "/nonexistent"}, {"HOME": ""}, {"HOME": "relative"}, {"HOME": "/dev/null"}]
)
def test_a_key_in_the_environment_needs_no_home(hosting: Hosting, variables: dict[str, str]) -> None:
    hosted = hosting(facts("found"), identity(), facts(), facts())
    key = {name: hosted.shell.environ[name] for name in ("ALFERA_API_KEY", "BRAINCTL_BASE_URL")}
    for arguments in (("search", "x"), ("whoami", "--json")):
        done = bare({**key, **variables}, *arguments)
        assert (done.code, done.err) == (0, "")


@as_root
def test_a_user_that_the_machine_does_not_know(hosting: Hosting) -> None:
    hosted = hosting(facts("found"), facts("found"))
    key = {name: hosted.shell.environ[name] for name in ("ALFERA_API_KEY", "BRAINCTL_BASE_URL")}
    # The real user id is the one that is looked up; the effective one keeps the right to read the interpreter.
    drop = (
        f"import os, sys; os.setresuid({NOBODY_KNOWN}, 0, 0);"
        "from brainctl.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    python = str(Path(BRAINCTL).with_name("python"))

    def run(environ: dict[str, str], *arguments: str) -> Result:
        done = subprocess.run(
            [python, "-c", drop, *arguments], capture_output=True, env=environ, timeout=60, check=False
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    assert run(key, "search", "x", "--json").code == 0
    without_key = run({}, "search", "x")
    assert (without_key.code, "HOME" in without_key.err) == (3, True), without_key.err
    for arguments in (("keys", "list"), ("brain", "init")):
        failed = run({}, *arguments)
        assert (failed.code, "HOME" in failed.err) == (2, True), failed.err


def test_a_home_that_cannot_be_written_to_still_reads_and_asks(hosting: Hosting, shell: Shell) -> None:
    """A file where the folder would be: nothing can be written below it, whoever we are."""
    blocked = shell.home / "blocked"
    blocked.write_text("")
    hosted = hosting(facts("found"), identity(), BRAINCTL_HOME=str(blocked))
    assert inside(hosted.shell, "search", "x").code == 0
    assert inside(hosted.shell, "whoami").code == 0
    saved = inside(hosted.shell, "keys", "add", "x", "--no-check", "--key-stdin", stdin=SECRET)
    assert (saved.code, "BRAINCTL_HOME" in saved.err) == (2, True), saved.err
    made = inside(hosted.shell, "brain", "init")
    assert made.code in {1, 2}
    assert "failed unexpectedly" not in made.err


def test_brainctl_home_moves_everything(shell: Shell) -> None:
    moved = shell.with_(BRAINCTL_HOME=str(shell.home / "elsewhere"))
    assert inside(moved, "brain", "init").code == 0
    assert inside(moved, "search", "x").code == 0
    assert [path.name for path in shell.home.iterdir()] == ["elsewhere"]
    assert inside(shell, "search", "x").code == 3


def test_the_xdg_folders_are_used(shell: Shell) -> None:
    xdg = shell.with_(
        XDG_CONFIG_HOME=str(shell.home / "c"), XDG_DATA_HOME=str(shell.home / "d"), XDG_STATE_HOME="relative"
    )
    assert inside(xdg, "brain", "init").code == 0
    assert sorted(path.name for path in shell.home.iterdir()) == ["c", "d"]


DAMAGED = {
    "empty": b"",
    "half": b'{"environments": {',
    "a list": b"[]",
    "not text": b"\xff\xfe\x00",
    "zeros": b"\x00" * 100,
    "deep": b"[" * 100_000,
}


@pytest.mark.parametrize("name", sorted(DAMAGED))
def test_a_damaged_configuration_is_told_of_and_kept_aside(shell: Shell, name: str) -> None:
    config(shell).parent.mkdir(parents=True)
    config(shell).write_bytes(DAMAGED[name])
    for arguments in (("search", "x"), ("keys", "list"), ("keys", "use", "x"), ("brain", "people", "list")):
        failed = inside(shell, *arguments)
        assert failed.code == 2, failed.err
        assert str(config(shell)) in failed.err
        assert config(shell).read_bytes() == DAMAGED[name]
    added = inside(shell, "keys", "add", "new", "--no-check", "--key-stdin", stdin=SECRET)
    assert (added.code, "warning: " in added.err) == (0, True)
    kept = [path for path in config(shell).parent.iterdir() if ".corrupt" in path.name]
    assert [path.read_bytes() for path in kept] == [DAMAGED[name]]
    assert "new" in inside(shell, "keys", "list").out


def test_a_damaged_configuration_does_not_matter_to_a_key_in_the_environment(hosting: Hosting) -> None:
    hosted = hosting(facts("found"))
    config(hosted.shell).parent.mkdir(parents=True)
    config(hosted.shell).write_bytes(b"{")
    assert inside(hosted.shell, "search", "x")[::2] == (0, "")


def test_a_brain_of_ones_own_is_made_beside_a_damaged_configuration(shell: Shell) -> None:
    config(shell).parent.mkdir(parents=True)
    config(shell).write_bytes(b"{")
    assert inside(shell, "brain", "init").code == 0
    assert inside(shell, "search", "x").code == 0
    assert len(list(config(shell).parent.glob("*.corrupt-*"))) == 1


@pytest.mark.parametrize(
    "content",
    [
        {"environments": []},
        {"environments": {"local": 3}},
        {"environments": {"local": {"profiles": []}}},
        {"environments": {"local": {"profiles": {"a": {"place": "moon"}}}}},
        {"environments": {"a.b": {}}, "current": 3},
        {"environments": {"dev": {"base_url": 3, "profiles": {}}}},
        {"version": 99, "environments": {}},
        {"version": "x"},
    ],
)
def test_a_configuration_of_another_shape_is_a_sentence(shell: Shell, content: object) -> None:
    config(shell).parent.mkdir(parents=True)
    config(shell).write_text(json.dumps(content))
    for arguments in (("search", "x"), ("keys", "list"), ("keys", "show"), ("whoami", "-e", "dev")):
        done = inside(shell, *arguments)
        assert done.code in {0, 2, 3}, done.err
        assert "failed unexpectedly" not in done.err


def test_a_configuration_edited_by_hand_may_have_a_byte_order_mark(shell: Shell) -> None:
    inside(shell, "keys", "add", "x", "--no-check", "--key-stdin", stdin=SECRET)
    config(shell).write_bytes(b"\xef\xbb\xbf" + config(shell).read_bytes().replace(b"\n", b"\r\n"))
    assert "x" in inside(shell, "keys", "list").out


def test_a_folder_in_the_place_of_the_configuration_is_a_sentence(shell: Shell) -> None:
    config(shell).mkdir(parents=True)
    for arguments in (("search", "x"), ("keys", "list"), ("brain", "init")):
        failed = inside(shell, *arguments)
        assert (failed.code, "failed unexpectedly" in failed.err) == (2, False), failed.err


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        ({"HTTPS_PROXY": "http://127.0.0.1:1"}, "HTTPS_PROXY"),
        ({"https_proxy": "nonsense://x"}, "https_proxy"),
        ({"ALL_PROXY": "socks5://127.0.0.1:1"}, "ALL_PROXY"),
        ({"HTTPS_PROXY": "http://user:p4ssword@127.0.0.1:1"}, "HTTPS_PROXY"),
        ({"HTTPS_PROXY": "http://[::1"}, "HTTPS_PROXY"),
        ({"HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": "fd00::/8,[::1],10.0.0.0/8,,*.x"}, "HTTPS_PROXY"),
        ({"SSL_CERT_FILE": "/nonexistent"}, "SSL_CERT_FILE"),
        ({"SSL_CERT_FILE": "/"}, "SSL_CERT_FILE"),
        ({"SSL_CERT_FILE": "/dev/null"}, "SSL_CERT_FILE"),
        ({"SSL_CERT_DIR": "/nonexistent"}, "SSL_CERT_DIR"),
    ],
)
def test_a_variable_that_points_nowhere_is_named(shell: Shell, variables: dict[str, str], said: str) -> None:
    # The address is one that no proxy or certificate of these lets through, so nothing leaves this machine.
    astray = shell.with_(ALFERA_API_KEY=SECRET, BRAINCTL_BASE_URL="https://brain.invalid", **variables)
    failed = inside(astray, "search", "x", "--retries", "0", "--json")
    error = json.loads(failed.err)["error"]
    assert (failed.code, error["code"]) == (11, "unreachable"), failed.err
    assert said in error["message"]
    assert "p4ssword" not in failed.err


def test_a_proxy_is_not_for_this_machine(hosting: Hosting) -> None:
    hosted = hosting(
        facts("x"), HTTPS_PROXY="http://127.0.0.1:1", HTTP_PROXY="http://127.0.0.1:1", ALL_PROXY="nonsense"
    )
    assert inside(hosted.shell, "search", "x").code == 0


@pytest.mark.parametrize("name", ["PYTHONWARNINGS", "PYTHONDEVMODE", "PYTHONASYNCIODEBUG"])
def test_pythons_own_variables_put_nothing_into_the_output(hosting: Hosting, name: str) -> None:
    hosted = hosting(facts("x"), **{name: "default" if name == "PYTHONWARNINGS" else "1"})
    done = hosted.shell.run("search", "x", "--json")
    assert (done.code, done.err) == (0, "")


def test_any_working_directory_will_do(hosting: Hosting, tmp_path: Path) -> None:
    hosted = hosting(facts("x"))
    for name in ("json.py", "typer.py", "brainctl.py", "httpx.py"):
        (tmp_path / name).write_text("raise SystemExit('the wrong module')")
    assert hosted.shell.run("search", "x", "--json", cwd=tmp_path).code == 0
    gone = tmp_path / "gone"
    gone.mkdir()
    done = hosted.shell.sh("rmdir ../gone; brainctl keys list", cwd=gone)
    assert (done.code, "Traceback" in done.err) == (0, False)


@not_for_root
def test_a_secret_file_that_may_not_be_read_is_told_of(shell: Shell) -> None:
    inside(shell, "keys", "add", "x", "--no-check", "--key-stdin", stdin=SECRET)
    secrets = shell.home / ".local/share/brainctl/secrets.json"
    secrets.chmod(0)
    failed = inside(shell, "search", "x")
    assert (failed.code, str(secrets) in failed.err) == (2, True)


@posix
def test_a_secret_file_open_to_others_is_warned_of(shell: Shell) -> None:
    inside(shell, "keys", "add", "x", "--no-check", "--key-stdin", stdin=SECRET)
    secrets = shell.home / ".local/share/brainctl/secrets.json"
    secrets.chmod(0o644)
    told = inside(shell.with_(HTTPS_PROXY="http://127.0.0.1:1"), "search", "x", "--retries", "0")
    assert "warning: " in told.err
    assert str(secrets) in told.err

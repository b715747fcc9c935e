"""Secrets that come from variables, commands and keyrings, and secrets as they are handed over."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainctl.contract.errors import BrainError
from brainctl.profiles.entries import SecretPlace
from brainctl.profiles.key_command import parse_command, run_key_command
from brainctl.profiles.key_text import clean_secret
from brainctl.profiles.secret_places import kept_in, place_in_command, place_in_variable, read_secret

LIVE = "ak_live_x7f4longsecret"


def python(code: str) -> tuple[str, ...]:
    # -S: no coverage tool comes along, which would be at its files when the command is ended.
    return (sys.executable, "-S", "-c", code)


@pytest.mark.parametrize(
    "raw",
    [
        LIVE,
        f"{LIVE}\n",
        f"{LIVE}\r\n",
        f"\ufeff{LIVE}\r\n",
        f"\ufeff{LIVE}\r\n".encode(),
        LIVE.encode(),
    ],
)
def test_what_shells_and_editors_add_is_taken_off(raw: str | bytes) -> None:
    assert clean_secret(raw) == LIVE


@pytest.mark.parametrize(
    ("raw", "problem"),
    [
        ("", "empty"),
        ("\n", "empty"),
        (b"\xef\xbb\xbf\r\n", "empty"),
        (f"{LIVE}\n\n", "character 23 is white space"),
        (f"{LIVE}\u00a0", "character 23 is white space"),
        (f"ak_live_\u200b{LIVE}", "character 9 "),
        (f"\u201c{LIVE}\u201d", "character 1 "),
        (f"'{LIVE}'", "quotes"),
        (f"Bearer {LIVE}", "Bearer"),
        ("$ALFERA_API_KEY", "variable"),
        (b"ak_live_x7f4\xff", "UTF-8"),
        ("ak_live_x7f4\udcff", "character 13 "),
    ],
)
def test_what_cannot_be_a_key_is_refused_by_place_and_not_by_value(raw: str | bytes, problem: str) -> None:
    with pytest.raises(BrainError, match=problem) as caught:
        clean_secret(raw)
    assert caught.value.code == "usage"
    assert "x7f4" not in str(caught.value)
    assert caught.value.__context__ is None


@given(before=st.binary(max_size=20), after=st.binary(max_size=20))
def test_no_refusal_holds_what_was_given(before: bytes, after: bytes) -> None:
    shown = ""
    for raw in (
        before + LIVE.encode() + after,
        (before + LIVE.encode() + after).decode(errors="surrogateescape"),
    ):
        try:
            clean_secret(raw)
        except BrainError as error:
            shown += f"{error} {error.report()} {error.__context__} {error.__cause__}"
    assert "longsecret" not in shown


def test_a_variable_is_read_at_each_use(environ: dict[str, str]) -> None:
    place = place_in_variable("SUPPORT_KEY")
    assert read_secret({"SUPPORT_KEY": LIVE}, "dev/a", place).secret == LIVE
    assert read_secret({"SUPPORT_KEY": "other-key"}, "dev/a", place).secret == "other-key"
    for environment in ({}, {"SUPPORT_KEY": ""}):
        with pytest.raises(BrainError, match="SUPPORT_KEY") as caught:
            read_secret(environment, "dev/a", place)
        assert caught.value.code == "no_key"
    assert kept_in(environ, place) == "the variable SUPPORT_KEY"


@pytest.mark.parametrize("text", ["", "$KEY", "A-B", "9A", "A B", "K\u00c9Y", LIVE, "ak_test_abcd"])
def test_what_cannot_be_a_variable_s_name_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BrainError) as caught:
        place_in_variable(text)
    assert caught.value.code == "usage"
    assert "x7f4" not in str(caught.value)


def test_on_windows_a_backslash_is_a_part_of_a_path() -> None:
    line = r'"C:\Program Files\op\op.exe" read \\share\keys "brain key" #1'
    assert parse_command(line, has_escapes=False) == (
        r"C:\Program Files\op\op.exe",
        "read",
        r"\\share\keys",
        "brain key",
        "#1",
    )


def test_a_command_line_is_split_without_being_expanded() -> None:
    assert parse_command("op read 'op://Team/brain key' $HOME") == (
        "op",
        "read",
        "op://Team/brain key",
        "$HOME",
    )
    assert place_in_command("pass show x") == SecretPlace("command", command=("pass", "show", "x"))


@pytest.mark.parametrize("text", ["", "  ", "op 'x", "a\0b", "''", LIVE, f"echo {LIVE}"])
def test_a_command_line_that_cannot_work_is_refused_and_not_repeated(text: str) -> None:
    with pytest.raises(BrainError) as caught:
        parse_command(text)
    assert caught.value.code == "usage"
    assert "x7f4" not in str(caught.value)


@pytest.mark.parametrize("printed", [LIVE, f"{LIVE}\\n", f"{LIVE}\\r\\n", f"\\xef\\xbb\\xbf{LIVE}\\n"])
def test_a_command_s_output_is_the_key(printed: str) -> None:
    assert run_key_command(python(f"import sys; sys.stdout.buffer.write(b'{printed}')")) == LIVE


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("import sys; print('x7f4'); sys.exit(3)", "status 3"),
        ("pass", "empty"),
        ("print('x7f4 two')", "character 5"),
        ("print('x7f4' * 100000)", "64 KiB"),
        ("import sys; sys.stdout.buffer.write(b'x7f4' + bytes([255]))", "UTF-8"),
        ("import os; os.close(1); os._exit(0)", "empty"),
        ("import sys; sys.stdin.read(1) and 0; print('')", "empty"),
    ],
)
def test_a_command_that_gives_no_key_says_no_more_than_its_first_word(code: str, problem: str) -> None:
    with pytest.raises(BrainError, match=problem) as caught:
        run_key_command(python(code))
    assert caught.value.code == "no_key"
    assert sys.executable in caught.value.message
    assert "x7f4" not in str(caught.value)
    assert "import" not in str(caught.value)


def test_a_command_that_does_not_end_is_ended() -> None:
    for code in (
        "import time; time.sleep(600)",
        # Closes its output and lives on.
        "import os, time; os.close(1); time.sleep(600)",
    ):
        with pytest.raises(BrainError, match=r"not done after 0.3 s") as caught:
            run_key_command(python(code), limit=0.3)
        assert caught.value.code == "no_key"


@pytest.mark.parametrize("word", ["/nowhere/at-all", "no-such-command-here", os.sep])
def test_a_command_that_cannot_start_is_named(word: str) -> None:
    with pytest.raises(BrainError, match="could not be started") as caught:
        run_key_command((word, "x7f4"))
    assert caught.value.code == "no_key"
    assert "x7f4" not in str(caught.value)


KEYRINGS = {
    "honest": "import json, os\nP = os.environ['FAKE_KEYRING']\n"
    "def _all():\n    if os.path.exists(P + '.locked'):\n        raise RuntimeError('locked')\n"
    "    return json.load(open(P)) if os.path.exists(P) else {}\n"
    "def _put(d):\n    open(P, 'w').write(json.dumps(d))\n"
    "def set_password(s, u, p):\n    _put({**_all(), s + ' ' + u: p})\n"
    "def get_password(s, u):\n    return _all().get(s + ' ' + u)\n"
    "def delete_password(s, u):\n    d = _all(); del d[s + ' ' + u]; _put(d)\n",
    "hangs": "import time\ndef set_password(*a):\n    time.sleep(600)\nget_password = delete_password = set_password\n",
    "hangs on import": "import time\ntime.sleep(600)\n",
    "raises": "def set_password(*a):\n    raise RuntimeError(a)\nget_password = delete_password = set_password\n",
    "exits": "def set_password(*a):\n    raise SystemExit(9)\nget_password = delete_password = set_password\n",
    "forgets": "def set_password(*a):\n    pass\nget_password = delete_password = set_password\n",
    "is broken": "raise OSError('no bus')\n",
}

PATIENT = """
import os, sys
from brainctl.profiles import system_keyring
for each in (system_keyring.store_in_keyring, system_keyring.read_from_keyring, system_keyring.drop_from_keyring):
    each.__defaults__ = (float(os.environ.get("FAKE_LIMIT", 60)),)
"""
"""A machine that is busy may keep even an honest keyring waiting for longer than a person would be kept."""

WITH_KEYRING = (
    PATIENT
    + """
from brainctl.profiles import access, changes
import warnings
warnings.simplefilter("ignore", ResourceWarning)
environment = changes.plan_environment(os.environ, "production")
added = changes.add_profile(os.environ, environment, "a", "ak_live_x7f4longsecret", warn=print)
print(added.place.kind)
assert access.choose(os.environ).secret() == "ak_live_x7f4longsecret"
changes.rename_profile(os.environ, "production", "a", "b", warn=print)
assert access.choose(os.environ).secret() == "ak_live_x7f4longsecret"
"""
)


@pytest.fixture
def keyring_environ(tmp_path: Path) -> dict[str, str]:
    return {
        **{name: value for name, value in os.environ.items() if name.startswith("COVERAGE")},
        "BRAINCTL_HOME": str(tmp_path / "home"),
        "FAKE_KEYRING": str(tmp_path / "kept.json"),
        "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path[1:]]),
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.parametrize(
    ("behaviour", "kind"),
    [(name, "keyring" if name == "honest" else "file") for name in KEYRINGS],
)
def test_the_keyring_is_used_if_it_answers_and_else_the_file(
    tmp_path: Path, keyring_environ: dict[str, str], behaviour: str, kind: str
) -> None:
    (tmp_path / "keyring.py").write_text(KEYRINGS[behaviour])
    done = subprocess.run(
        [sys.executable, "-c", WITH_KEYRING],
        env={**keyring_environ, **({"FAKE_LIMIT": "0.3"} if behaviour.startswith("hangs") else {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert (done.stdout, done.stderr) == (f"{kind}\n", "")
    kept = json.loads((tmp_path / "home" / "data" / "secrets.json").read_text())
    assert kept["secrets"] == ({"production/b": LIVE} if kind == "file" else {})
    # Of one that has answered it is known that it has nothing of it.
    assert ("in_doubt" in kept) == behaviour.startswith("hangs")
    if kind == "keyring":
        assert (tmp_path / "kept.json").read_text() == f'{{"brainctl production/b": "{LIVE}"}}'


IN_DOUBT_FOR_LONG = (
    PATIENT
    + """
import json
from brainctl.profiles import changes, secret_file
environment = changes.plan_environment(os.environ, "production")
changes.add_profile(os.environ, environment, "a", "ak_live_x7f4longsecret", warn=print)
path = secret_file.secret_file(os.environ)
content = json.load(open(path))
content["in_doubt"] = {"keyring production/b": 0.0}
open(path, "w").write(json.dumps(content))
changes.use(os.environ, "production", "a", warn=print)
print(json.load(open(path)).get("in_doubt"))
"""
)


@pytest.mark.parametrize(
    ("environ", "left"),
    [
        # It never had the key, and says so by an error.
        ({}, None),
        # There is none here now, and there may have been one when the key was stored.
        ({"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}, {"keyring production/b": 0.0}),
        ({"BRAINCTL_KEYRING": "off"}, {"keyring production/b": 0.0}),
    ],
    ids=["without such a key", "none", "off"],
)
def test_nobody_is_sent_to_a_keyring_that_has_nothing(
    tmp_path: Path, keyring_environ: dict[str, str], environ: dict[str, str], left: object
) -> None:
    if "PYTHON_KEYRING_BACKEND" not in environ:
        (tmp_path / "keyring.py").write_text(KEYRINGS["honest"])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", IN_DOUBT_FOR_LONG],
        env={**keyring_environ, **environ},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == (f"{left}\n", "")


LOCKED_LATER = (
    PATIENT
    + """
from brainctl.contract.errors import BrainError
from brainctl.profiles import access, changes
def say(call):
    try:
        print(call())
    except BrainError as error:
        print(error.code, error.message)
environment = changes.plan_environment(os.environ, "production")
for name in ("a", "b"):
    changes.add_profile(os.environ, environment, name, "ak_live_x7f4longsecret", warn=print)
changes.remove_profile(os.environ, "production", "b", warn=print)
lock = os.environ["FAKE_KEYRING"] + ".locked"
open(lock, "w").close()
say(lambda: access.choose(os.environ).secret())
say(lambda: changes.rename_profile(os.environ, "production", "a", "c", warn=print))
os.unlink(lock)
say(lambda: access.choose(os.environ).profile.slot)
open(lock, "w").close()
say(lambda: changes.remove_profile(os.environ, "production", "a", warn=print).slot)
"""
)


def test_a_keyring_that_was_locked_since_is_told_and_nothing_is_half_done(
    tmp_path: Path, keyring_environ: dict[str, str]
) -> None:
    (tmp_path / "keyring.py").write_text(KEYRINGS["honest"])
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", LOCKED_LATER],
        env=keyring_environ,
        capture_output=True,
        text=True,
        check=False,
    )
    read, renamed, still, warning, removed = done.stdout.splitlines()
    assert read.startswith(
        "no_key The key of the profile production/a was not to be had from the system's keyring"
    )
    assert renamed.startswith("usage The key of production/a lies in the system's keyring")
    assert still == "production/a"
    assert "delete its entry there by hand" in warning
    assert removed == "production/a"
    assert (tmp_path / "kept.json").read_text() == f'{{"brainctl production/a": "{LIVE}"}}'
    assert "x7f4" not in done.stdout + done.stderr


def test_where_a_secret_lies_is_said_in_a_phrase(environ: dict[str, str]) -> None:
    assert kept_in(environ, SecretPlace("keyring")) == "the system's keyring"
    assert kept_in(environ, SecretPlace("command", command=("op", "read", "op://x"))) == "the command op"


def test_the_keyring_is_left_alone_when_it_is_switched_off(
    tmp_path: Path, keyring_environ: dict[str, str]
) -> None:
    (tmp_path / "keyring.py").write_text("open(__file__ + '.touched', 'w')\n" + KEYRINGS["honest"])
    environ = {**keyring_environ, "BRAINCTL_KEYRING": "off"}
    done = subprocess.run(
        [sys.executable, "-c", WITH_KEYRING], env=environ, capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.stderr) == ("file\n", "")
    assert not (tmp_path / "keyring.py.touched").exists()
    with pytest.raises(BrainError, match="BRAINCTL_KEYRING=off"):
        read_secret(environ, "production/a", SecretPlace("keyring"))

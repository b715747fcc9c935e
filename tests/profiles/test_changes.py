"""Adding, renaming and removing keys: the book and the secrets stay in step, and nothing is lost."""

import json
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from brainctl.contract.errors import BrainError
from brainctl.profiles.access import choose
from brainctl.profiles.book import read_book
from brainctl.profiles.changes import (
    add_profile,
    move_environment,
    plan_environment,
    refresh_profile,
    remove_environment,
    remove_profile,
    rename_profile,
    use,
)
from brainctl.profiles.entries import Environment, Profile, SecretPlace
from brainctl.profiles.files import DamagedFileError, read_json
from brainctl.profiles.secret_places import kept_in, place_in_command, place_in_variable

LIVE = "ak_live_x7f4longsecret"
TEST = "ak_test_q1w2longsecret"
DEV_URL = "http://127.0.0.1:8787"
WHOAMI = {
    "key_name": "Support widget",
    "key_prefix": "ak_live_x7f4",
    "scopes": ["memory.read"],
    "key_audience": "external",
    "rate_limit": {"requests_per_window": 120, "window_seconds": 60},
}

Environ = dict[str, str]
AddKey = Callable[..., Profile]


def silent(sentence: str) -> None:
    pytest.fail(f"an unexpected warning: {sentence}")


def test_a_saved_key_is_used_from_then_on(environ: Environ, config_path: Path, secrets_path: Path) -> None:
    production = plan_environment(environ, "production")
    add_profile(environ, production, "support", LIVE, whoami=WHOAMI, warn=silent)
    access = choose(environ)
    assert access.secret() == LIVE
    assert access.warnings == ()
    assert access.profile == Profile(
        "production",
        "support",
        SecretPlace("file"),
        "Support widget",
        "ak_live_x7f4",
        ("memory.read",),
        "external",
    )
    assert LIVE not in config_path.read_text()
    assert kept_in(environ, SecretPlace("file")) == f"the file {secrets_path}"
    if os.name == "posix":
        assert [stat.S_IMODE(path.stat().st_mode) for path in (config_path, secrets_path)] == [0o600, 0o600]
        assert stat.S_IMODE(secrets_path.parent.stat().st_mode) == 0o700


@pytest.mark.skipif(os.name != "posix", reason="file modes are POSIX's")
def test_secrets_that_others_can_read_are_used_with_a_warning(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    secrets_path.chmod(0o640)
    access = choose(environ)
    assert access.secret() == LIVE
    assert [f"chmod 600 {secrets_path}" in warning for warning in access.warnings] == [True]


def test_a_server_cannot_have_the_whole_key_written_down_as_its_prefix(
    environ: Environ, config_path: Path
) -> None:
    reply = {**WHOAMI, "key_prefix": LIVE}
    production = plan_environment(environ, "production")
    added = add_profile(environ, production, "a", place_in_variable("K"), whoami=reply, warn=silent)
    assert added.key_prefix == "ak_live_x7f4"
    assert LIVE not in config_path.read_text()


def test_a_reply_of_the_wrong_shape_is_not_kept(environ: Environ) -> None:
    reply = {"key_name": 7, "key_prefix": None, "scopes": ["memory.read", 3], "key_audience": ["x"]}
    added = add_profile(
        environ, plan_environment(environ, "production"), "a", LIVE, whoami=reply, warn=silent
    )
    assert added[3:] == (None, "ak_live_x7f4", ("memory.read",), None)
    assert read_book(environ).profile("production", "a") == added


def test_what_a_brain_now_says_of_a_key_is_noted_and_changes_nothing_else(
    environ: Environ, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    there = add_key("production/b", LIVE)
    remove_profile(environ, "production", "a", warn=silent)
    refresh_profile(environ, there, WHOAMI, warn=silent)
    book = read_book(environ)
    assert book.profile("production", "b").key_name == "Support widget"
    assert book.environment("production").current is None
    refresh_profile(environ, there, {**WHOAMI, "key_name": "Late"}, warn=silent)
    assert read_book(environ).profile("production", "b").key_name == "Support widget"
    rename_profile(environ, "production", "b", "c", warn=silent)
    refresh_profile(environ, there, WHOAMI, warn=silent)
    assert [each.name for each in read_book(environ).profiles()] == ["c"]


def test_a_key_goes_to_the_environment_that_is_in_use_unless_another_is_named(
    environ: Environ, add_key: AddKey
) -> None:
    assert plan_environment(environ, None).name == "production"
    add_key("dev/a", TEST, DEV_URL)
    assert plan_environment(environ, None).name == "dev"
    assert plan_environment({**environ, "BRAINCTL_ENV": "production"}, None).name == "production"


def test_replacing_a_key_lets_go_of_the_old_secret(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    add_key("production/a", "ak_live_another1")
    assert choose(environ).secret() == "ak_live_another1"
    add_key("production/a", place_in_variable("K"))
    assert json.loads(secrets_path.read_text())["secrets"] == {}
    assert choose({**environ, "K": LIVE}).secret() == LIVE


def test_a_renamed_profile_keeps_its_secret_and_stays_current(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("production/old", LIVE)
    add_key("production/other", "ak_live_other123")
    assert rename_profile(environ, "production", "old", "new", warn=silent).slot == "production/new"
    assert choose(environ).secret() == LIVE
    assert sorted(json.loads(secrets_path.read_text())["secrets"]) == ["production/new", "production/other"]
    with pytest.raises(BrainError, match="already"):
        rename_profile(environ, "production", "new", "other", warn=silent)
    with pytest.raises(BrainError, match="already"):
        rename_profile(environ, "production", "new", "new", warn=silent)
    with pytest.raises(BrainError, match="A-Z"):
        rename_profile(environ, "production", "new", "a.b", warn=silent)
    assert choose(environ, profile="new").secret() == LIVE


def test_removing_the_current_profile_makes_no_other_one_current(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    add_key("production/b", LIVE)
    assert remove_profile(environ, "production", "a", warn=silent).name == "a"
    assert list(json.loads(secrets_path.read_text())["secrets"]) == ["production/b"]
    with pytest.raises(BrainError, match=r"\(b\) with `brainctl keys use NAME --env production`") as caught:
        choose(environ)
    assert caught.value.code == "no_key"


def test_an_environment_goes_with_its_keys_and_production_stays(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("dev/a", TEST, DEV_URL)
    add_key("dev/b", TEST)
    assert [each.slot for each in remove_environment(environ, "dev", warn=silent)] == ["dev/a", "dev/b"]
    assert json.loads(secrets_path.read_text())["secrets"] == {}
    assert [each.name for each in read_book(environ).environments()] == ["production"]
    assert read_book(environ).current_environment == "production"
    with pytest.raises(BrainError, match="built in"):
        remove_environment(environ, "production", warn=silent)


def test_what_is_current_changes_only_when_asked_once_a_key_can_be_used(
    environ: Environ, add_key: AddKey
) -> None:
    add_key("dev/first", TEST, DEV_URL)
    assert choose(environ).source == "the profile first of the environment dev"
    add_key("production/p", LIVE)
    add_key("dev/second", TEST)
    assert choose(environ).source == "the profile first of the environment dev"
    use(environ, "dev", "second", warn=silent)
    assert choose(environ).source == "the profile second of the environment dev"
    use(environ, "production", warn=silent)
    assert choose(environ).source == "the profile p of the environment production"
    book = read_book(environ)
    assert [(each.slot, book.is_current(each)) for each in book.profiles()] == [
        ("production/p", True),
        ("dev/first", False),
        ("dev/second", False),
    ]


def test_keys_never_follow_an_environment_to_another_address(environ: Environ, add_key: AddKey) -> None:
    add_key("dev/a", TEST, DEV_URL)
    assert plan_environment(environ, "dev", f"{DEV_URL}/").base_url == DEV_URL
    with pytest.raises(BrainError, match="another address"):
        plan_environment(environ, "dev", "https://elsewhere.example")
    with pytest.raises(BrainError, match="another address"):
        plan_environment(environ, "dev", store="/x/brain.db")
    with pytest.raises(BrainError, match="stays so"):
        plan_environment(environ, "production", "https://elsewhere.example")
    assert plan_environment(environ, "production", "https://api.alfera.ai/").name == "production"
    with pytest.raises(BrainError, match="no environment nowhere"):
        plan_environment(environ, "nowhere")


def test_the_first_key_says_which_keys_an_environment_takes(environ: Environ, add_key: AddKey) -> None:
    add_key("dev/a", TEST, DEV_URL)
    assert read_book(environ).environment("dev").label == "ak_test_"
    with pytest.raises(BrainError, match="not sent"):
        add_key("dev/b", LIVE)
    with pytest.raises(BrainError, match="not sent"):
        add_key("production/b", TEST)
    add_key("dev/b", LIVE, DEV_URL, given=True)
    assert read_book(environ).environment("dev").label is None
    assert choose(environ, profile="dev/b").secret() == LIVE


def test_a_brain_on_this_machine_is_an_environment_too(environ: Environ) -> None:
    local = plan_environment(environ, "local", store="/x/brain.db")
    add_profile(environ, local, "owner", LIVE, warn=silent)
    access = choose(environ)
    assert (access.environment, access.store, access.base_url) == ("local", "/x/brain.db", None)


def test_fields_of_another_version_are_kept(environ: Environ, config_path: Path, add_key: AddKey) -> None:
    add_key("dev/a", TEST, DEV_URL)
    content = json.loads(config_path.read_text())
    content["theme"] = {"x": 1}
    content["environments"]["dev"]["note"] = "ours"
    content["environments"]["dev"]["profiles"]["a"]["tint"] = "red"
    config_path.write_text(json.dumps(content))
    add_key("dev/a", place_in_variable("K"))
    add_key("dev/b", TEST)
    after = json.loads(config_path.read_text())
    assert after["theme"] == {"x": 1}
    assert after["environments"]["dev"]["note"] == "ours"
    assert after["environments"]["dev"]["profiles"]["a"]["tint"] == "red"


def test_a_byte_order_mark_in_the_configuration_is_passed_over(
    environ: Environ, config_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    config_path.write_bytes(b"\xef\xbb\xbf" + config_path.read_bytes())
    assert choose(environ).secret() == LIVE


def test_a_newer_configuration_is_neither_read_nor_written(
    environ: Environ, config_path: Path, add_key: AddKey
) -> None:
    config_path.parent.mkdir(parents=True)
    config_path.write_text('{"version": 2, "environments": []}')
    for action in (lambda: choose(environ), lambda: add_key("production/a", LIVE)):
        with pytest.raises(BrainError, match="newer brainctl"):
            action()
    assert config_path.read_text() == '{"version": 2, "environments": []}'


@pytest.mark.parametrize(
    ("content", "place"),
    [
        ({"version": "1"}, "version"),
        ({"current": 3}, "current"),
        ({"environments": []}, "environments"),
        ({"environments": {"a.b": {}}}, "environments holds a name"),
        ({"environments": {"dev": []}}, "environments.dev"),
        ({"environments": {"dev": {}}}, "base_url or a store"),
        ({"environments": {"dev": {"base_url": 1}}}, "dev.base_url"),
        ({"environments": {"dev": {"store": "x", "label": "sk_"}}}, "dev.label"),
        ({"environments": {"production": {"profiles": []}}}, "production.profiles"),
        ({"environments": {"production": {"profiles": {"a": 1}}}}, "profiles.a"),
        ({"environments": {"production": {"profiles": {"a": {}}}}}, "profiles.a.secret"),
        (
            {"environments": {"production": {"profiles": {"a": {"secret": {"kind": "env"}}}}}},
            "secret.variable",
        ),
        (
            {"environments": {"production": {"profiles": {"a": {"secret": {"kind": "command"}}}}}},
            "secret.command",
        ),
        (
            {
                "environments": {
                    "production": {"profiles": {"a": {"secret": {"kind": "file"}, "scopes": "x"}}}
                }
            },
            "scopes",
        ),
    ],
)
def test_a_slip_in_a_hand_edited_file_is_named_and_left_to_be_mended(
    environ: Environ, config_path: Path, add_key: AddKey, content: dict[str, object], place: str
) -> None:
    config_path.parent.mkdir(parents=True)
    raw = json.dumps(content)
    config_path.write_text(raw)
    for action in (lambda: choose(environ), lambda: add_key("production/a", LIVE)):
        with pytest.raises(BrainError, match=place) as caught:
            action()
        assert caught.value.code == "usage"
    assert config_path.read_text() == raw


def test_a_hand_edited_address_is_checked_before_a_key_goes_there(
    environ: Environ, config_path: Path, add_key: AddKey
) -> None:
    add_key("dev/a", TEST, DEV_URL)
    config_path.write_text(config_path.read_text().replace(DEV_URL, "http://evil.example"))
    with pytest.raises(BrainError, match="plain http"):
        choose(environ)


def test_a_damaged_configuration_is_reported_by_reads_and_kept_aside_by_the_next_key(
    environ: Environ, config_path: Path, add_key: AddKey, warned: list[str]
) -> None:
    add_key("production/a", LIVE)
    damaged = config_path.read_bytes()[:-20]
    config_path.write_bytes(damaged)
    with pytest.raises(DamagedFileError):
        choose(environ)
    with pytest.raises(DamagedFileError):
        use(environ, "production", "a", warn=silent)
    assert config_path.read_bytes() == damaged
    add_key("production/b", LIVE)
    kept = config_path.with_name("config.json.corrupt-1")
    assert kept.read_bytes() == damaged
    assert [str(kept) in sentence for sentence in warned] == [True]
    assert choose(environ, profile="b").secret() == LIVE


def test_damaged_secrets_are_kept_aside_by_the_next_key(
    environ: Environ, secrets_path: Path, add_key: AddKey, warned: list[str]
) -> None:
    add_key("production/a", LIVE)
    damaged = secrets_path.read_bytes()[:-5]
    secrets_path.write_bytes(damaged)
    with pytest.raises(DamagedFileError) as caught:
        choose(environ).secret()
    assert "x7f4" not in str(caught.value)
    remove_profile(environ, "production", "a", warn=warned.append)
    assert secrets_path.read_bytes() == damaged
    add_key("production/b", LIVE)
    assert secrets_path.with_name("secrets.json.corrupt-1").read_bytes() == damaged
    assert ["left as it is" in warned[0], "corrupt-1" in warned[1]] == [True, True]
    assert choose(environ, profile="b").secret() == LIVE


def test_a_secret_that_is_gone_from_the_file_says_how_to_put_it_back(
    environ: Environ, secrets_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", LIVE)
    secrets_path.unlink()
    with pytest.raises(BrainError, match="`brainctl keys add a --env production`") as caught:
        choose(environ).secret()
    assert caught.value.code == "no_key"


@pytest.mark.skipif(os.name != "posix", reason="symbolic links need no rights on POSIX")
def test_a_linked_configuration_stays_linked(
    environ: Environ, config_path: Path, tmp_path: Path, add_key: AddKey
) -> None:
    shared = tmp_path / "dotfiles" / "brainctl.json"
    shared.parent.mkdir()
    shared.write_text("{}")
    config_path.parent.mkdir(parents=True)
    config_path.symlink_to(shared)
    add_key("production/a", LIVE)
    assert config_path.is_symlink()
    assert "production" in json.loads(shared.read_text())["environments"]
    assert LIVE not in shared.read_text()


def test_a_home_that_cannot_be_written_is_a_sentence_and_an_environment_key_still_works(
    tmp_path: Path,
) -> None:
    (tmp_path / "file").write_text("")
    environ = {"BRAINCTL_HOME": str(tmp_path / "file" / "home"), "BRAINCTL_KEYRING": "off"}
    with pytest.raises(BrainError, match="BRAINCTL_HOME") as caught:
        add_profile(environ, Environment("production"), "a", LIVE, warn=silent)
    assert caught.value.code == "usage"
    assert choose({**environ, "ALFERA_API_KEY": LIVE}).secret() == LIVE


READ_ONLY = """
import os, sys, fcntl, json
from brainctl.contract.errors import BrainError
from brainctl.profiles import access, changes
environ = {"BRAINCTL_HOME": sys.argv[1] + "/home", "BRAINCTL_KEYRING": "off"}
production = changes.plan_environment(environ, "production")
os.chmod(sys.argv[1], 0o555)
if os.geteuid() == 0:
    os.setuid(65534)
try:
    changes.add_profile(environ, production, "a", "ak_live_abcdefgh", warn=print)
except BrainError as error:
    print(error.code, "permission denied" in error.message)
try:
    access.choose(environ)
except BrainError as error:
    print(error.code)
print(access.choose({**environ, "ALFERA_API_KEY": "ak_live_abcdefgh"}).source)
# Leave at once: what a coverage tool would do at exit, this user may not.
sys.stdout.flush()
os._exit(0)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions are POSIX's")
def test_a_read_only_home_is_a_sentence() -> None:
    # Not below tmp_path, whose own parents are closed to the user that root becomes here.
    folder = Path(tempfile.mkdtemp())
    done = subprocess.run(
        [sys.executable, "-c", READ_ONLY, str(folder)], capture_output=True, text=True, check=False
    )
    folder.rmdir()
    assert (done.stdout.splitlines(), done.stderr) == (
        ["usage True", "no_key", "the variable ALFERA_API_KEY"],
        "",
    )


ADD_ONE = """
import os, sys
from brainctl.profiles.changes import add_profile, plan_environment
environ = {"BRAINCTL_HOME": sys.argv[1], "BRAINCTL_KEYRING": "off"}
name = sys.argv[2]
add_profile(environ, plan_environment(environ, "production"), name, f"ak_live_secret-of-{name}", warn=print)
"""


def test_twenty_processes_at_once_lose_nothing_and_no_reader_sees_half_a_file(
    environ: Environ, config_path: Path, secrets_path: Path
) -> None:
    names = [f"p{number}" for number in range(20)]
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", ADD_ONE, environ["BRAINCTL_HOME"], name],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        for name in names
    ]
    while any(writer.poll() is None for writer in writers):
        for path in (config_path, secrets_path):
            read_json(str(path))
        # Whatever the book names, the secrets hold.
        for profile in read_book(environ).profiles():
            assert choose(environ, profile=profile.slot).secret() == f"ak_live_secret-of-{profile.name}"
    assert [writer.communicate()[0] for writer in writers] == [b""] * 20
    assert sorted(each.name for each in read_book(environ).profiles()) == sorted(names)
    assert {choose(environ, profile=name).secret() for name in names} == {
        f"ak_live_secret-of-{name}" for name in names
    }
    leftovers = [
        each.name for folder in (config_path.parent, secrets_path.parent) for each in folder.iterdir()
    ]
    assert sorted(leftovers) == ["config.json", "config.json.lock", "secrets.json"]


def test_a_profile_may_get_its_key_from_a_command(
    environ: Environ, config_path: Path, add_key: AddKey
) -> None:
    add_key("production/a", place_in_command(f'{sys.executable} -c \'print("{LIVE[:4]}" + "{LIVE[4:]}")\''))
    assert choose(environ).secret() == LIVE
    assert LIVE not in config_path.read_text()


DATABASE = "postgresql://brain@127.0.0.1/brains"


def test_a_brain_that_moves_keeps_its_profiles_and_what_is_current(environ: Environ) -> None:
    own = plan_environment(environ, "local", store="/srv/brain.db")
    add_profile(environ, own, "owner", TEST, warn=silent)
    before = read_book(environ).environment("local")
    move_environment(environ, before, DATABASE, "team", warn=silent)
    assert read_book(environ).environment("local") == before._replace(store=DATABASE, workspace="team")
    access = choose(environ, environment="local")
    assert (access.secret(), access.store, access.workspace) == (TEST, DATABASE, "team")
    move_environment(environ, read_book(environ).environment("local"), "/srv/brain.db", None, warn=silent)
    assert read_book(environ).environment("local") == before


def test_a_brain_that_moved_meanwhile_is_not_moved_back(environ: Environ) -> None:
    own = plan_environment(environ, "local", store="/srv/brain.db")
    add_profile(environ, own, "owner", TEST, warn=silent)
    before = read_book(environ).environment("local")
    move_environment(environ, before, DATABASE, "team", warn=silent)
    with pytest.raises(BrainError, match="changed by another brainctl"):
        move_environment(environ, before, "/srv/other.db", None, warn=silent)
    assert read_book(environ).environment("local").store == DATABASE


def test_two_workspaces_of_one_database_are_two_brains(environ: Environ) -> None:
    team = plan_environment(environ, "team", store=DATABASE, workspace="team")
    add_profile(environ, team, "owner", TEST, warn=silent)
    assert plan_environment(environ, "team", store=DATABASE, workspace="team").current == "owner"
    with pytest.raises(BrainError, match="has another address"):
        plan_environment(environ, "team", store=DATABASE, workspace="other")

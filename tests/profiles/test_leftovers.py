"""What a killed change has left is taken away by the next one, and nothing else is."""

import json
import os
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from brainctl.contract.errors import BrainError
from brainctl.profiles.changes import use
from brainctl.profiles.entries import Profile
from brainctl.profiles.leftovers import sweep_leftovers

LIVE = "ak_live_x7f4longsecret"
OLD = "ak_live_q1w2longsecret"
NAME = "0123456789ab.tmp"

Environ = dict[str, str]
AddKey = Callable[..., Profile]


def silent(sentence: str) -> None:
    pytest.fail(f"an unexpected warning: {sentence}")


@pytest.fixture
def left(add_key: AddKey, secrets_path: Path) -> Callable[..., None]:
    """A key `production/a`, and beside it what a change that was killed has written into the file of secrets."""
    add_key("production/a", LIVE)

    def leave(*doubts: str, **more: object) -> None:
        content = json.loads(secrets_path.read_text())
        content["secrets"]["production/old"] = OLD
        content["in_doubt"] = dict.fromkeys(doubts, time.time())
        secrets_path.write_text(json.dumps({**content, **more}))

    return leave


def secrets_of(path: Path) -> dict[str, str]:
    found: dict[str, str] = json.loads(path.read_text())["secrets"]
    return found


def test_only_what_a_killed_change_had_in_hand_is_taken_away(
    environ: Environ, secrets_path: Path, left: Callable[..., None]
) -> None:
    # A key that nobody named, and that no change had in hand, may belong to a configuration that was moved away.
    left()
    use(environ, "production", "a", warn=silent)
    assert secrets_of(secrets_path) == {"production/a": LIVE, "production/old": OLD}
    left("file production/old", "file production/a")
    use(environ, "production", "a", warn=silent)
    assert json.loads(secrets_path.read_text()) == {"version": 1, "secrets": {"production/a": LIVE}}


def test_a_damaged_configuration_costs_no_key(
    environ: Environ, config_path: Path, secrets_path: Path, left: Callable[..., None], add_key: AddKey
) -> None:
    left("file production/old", "file production/a")
    config_path.write_text("{")
    before = secrets_path.read_bytes()
    with pytest.raises(BrainError, match="is damaged"):
        use(environ, "production", "a", warn=silent)
    assert secrets_path.read_bytes() == before
    # The next key begins a new one, which knows nothing of the keys of the old one; and so it stays.
    for name in ("b", "c"):
        add_key(f"production/{name}", LIVE)
        assert secrets_of(secrets_path).items() >= {"production/a": LIVE, "production/old": OLD}.items()


def test_a_configuration_of_another_version_costs_no_key(
    environ: Environ, config_path: Path, secrets_path: Path, left: Callable[..., None]
) -> None:
    left("file production/old", "file production/a")
    config_path.write_text(json.dumps({**json.loads(config_path.read_text()), "version": 2}))
    before = secrets_path.read_bytes()
    with pytest.raises(BrainError, match="newer brainctl"):
        use(environ, "production", "a", warn=silent)
    assert secrets_path.read_bytes() == before


@pytest.mark.parametrize("doubts", [[], "x", {"file": 1}, {"file production/old": "x"}, {"a b c": 0}, None])
def test_doubts_that_cannot_be_read_are_none(
    environ: Environ, secrets_path: Path, left: Callable[..., None], doubts: object
) -> None:
    left(in_doubt=doubts)
    use(environ, "production", "a", warn=silent)
    assert secrets_of(secrets_path) == {"production/a": LIVE, "production/old": OLD}


def test_secrets_of_another_version_are_left_alone_and_keys_can_be_used(
    environ: Environ, secrets_path: Path, left: Callable[..., None], warned: list[str]
) -> None:
    left("file production/old", version=2)
    before = secrets_path.read_bytes()
    use(environ, "production", "a", warn=warned.append)
    assert secrets_path.read_bytes() == before
    assert len(warned) == 1


def test_whoever_asks_the_keyring_just_now_is_left_to_it(
    environ: Environ, secrets_path: Path, left: Callable[..., None]
) -> None:
    left("keyring production/b")
    use(environ, "production", "a", warn=silent)
    assert list(json.loads(secrets_path.read_text())["in_doubt"]) == ["keyring production/b"]


def test_half_written_copies_go_when_nobody_can_be_writing_them(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    ours = tmp_path / f"config.json.{NAME}"
    others = [
        tmp_path / name
        for name in (
            f"secrets.json.{NAME}",
            f"xconfig.json.{NAME}",
            "config.json.tmp",
            "config.json.0123456789zz.tmp",
            f"config.json.{NAME}.kept",
            "config.json.corrupt-1",
            "config.json",
        )
    ]
    for each in (ours, *others):
        each.write_text("x")
    written = ours.stat().st_mtime
    sweep_leftovers(str(path), clock=lambda: written + 3599)
    assert ours.exists()
    sweep_leftovers(str(path), clock=lambda: written + 3601)
    assert not ours.exists()
    assert all(each.exists() for each in others)
    sweep_leftovers(str(tmp_path / "nowhere" / "config.json"))


@pytest.mark.skipif(os.name != "posix", reason="links need a right that users of Windows seldom have")
def test_the_folder_that_a_link_leads_to_is_not_ours_to_clean(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    left_there = elsewhere / f"config.json.{NAME}"
    left_there.write_text("x")
    path = tmp_path / "config.json"
    path.symlink_to(elsewhere / "config.json")
    sweep_leftovers(str(path), clock=lambda: time.time() + 10_000)
    assert left_there.exists()

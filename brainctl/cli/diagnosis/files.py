"""Our files on this machine: whether they can be read, and by whom else."""

import os
import stat
from typing import Final

from brainctl.cli.diagnosis.finding import Finding, ok, warning
from brainctl.cli.session import Session
from brainctl.contract.errors import BrainError

OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO
OTHERS_WRITE: Final = stat.S_IWGRP | stat.S_IWOTH


def configuration(session: Session) -> Finding:
    """Whether the configuration can be read. Raises `BrainError` where it cannot."""
    from brainctl.profiles.book import read_book
    from brainctl.profiles.paths import config_file

    path = config_file(session.environ)
    profiles = read_book(session.environ).profiles()
    if not os.path.exists(path):
        return ok(f"none yet: {path}")
    environments = {profile.environment for profile in profiles}
    return ok(f"profiles: {len(profiles)}, environments with one: {len(environments)}; {path}")


def modes(session: Session) -> Finding:
    """Whether other users of this machine can get at what is ours."""
    from brainctl.profiles.paths import config_file
    from brainctl.profiles.secret_file import secret_file

    if os.name != "posix":
        return ok("left to this system's own rules")
    private = [secret_file(session.environ), *_stores(session)]
    exposed = [path for path in private if _mode(path) & OTHERS]
    written = [path for path in [config_file(session.environ)] if _mode(path) & OTHERS_WRITE]
    if exposed:
        shown = " ".join(exposed)
        return warning(f"other users may get at {shown}", f"Run `chmod 600 {shown}`.")
    if written:
        return warning(
            f"other users may change {written[0]}, and with it where your keys go",
            f"Run `chmod 600 {written[0]}`.",
        )
    return ok("what is private can be read by you alone")


def folders(session: Session) -> Finding:
    """Whether what is to be remembered can be written down."""
    from brainctl.profiles.paths import places

    there = places(session.environ)
    closed = [path for path in (there.config, there.state, there.data) if not _can_be_written(path)]
    if closed:
        return warning(
            f"cannot be written to: {', '.join(closed)}",
            "Check the permissions, or let BRAINCTL_HOME name another folder: keys, brains and what an "
            "interrupted command needs to go on are kept there.",
        )
    return ok(f"can be written to: {there.data}")


def _stores(session: Session) -> list[str]:
    """The files of the brains on this machine, as far as the configuration can be read."""
    from brainctl.engine.store.opening import is_database
    from brainctl.profiles.book import read_book

    try:
        environments = read_book(session.environ).environments()
    except BrainError:
        return []
    return [each.store for each in environments if each.store is not None and not is_database(each.store)]


def _mode(path: str) -> int:
    try:
        return os.stat(path).st_mode
    except OSError:
        return 0


def _can_be_written(folder: str) -> bool:
    """Whether the folder, or the nearest one above it that is there, takes new files."""
    while not os.path.exists(folder) and os.path.dirname(folder) != folder:
        folder = os.path.dirname(folder)
    return os.path.isdir(folder) and os.access(folder, os.W_OK | os.X_OK)

"""Where brainctl's files belong on this machine.

Shell completion passes through here, so nothing is imported that the common case does not need.
"""

import os
import sys
from collections.abc import Mapping

APP = "brainctl"


class Places:
    """This user's folders: `config`, `state` and `data`, absolute paths. None of them need exist."""

    __slots__ = ("config", "data", "state")

    def __init__(self, config: str, state: str, data: str) -> None:
        self.config = config
        self.state = state
        self.data = data

    def __repr__(self) -> str:
        return f"Places(config={self.config!r}, state={self.state!r}, data={self.data!r})"


def places(environ: Mapping[str, str]) -> Places:
    """The folders that these variables, and else this system, give. Creates nothing.

    Raises `BrainError` (`usage`) where no home folder is known.
    """
    home = environ.get("BRAINCTL_HOME")
    if home:
        home = os.path.abspath(home)
        return Places(*(os.path.join(home, name) for name in ("config", "state", "data")))
    return _plain_linux(environ) or _as_the_system_says()


def config_file(environ: Mapping[str, str]) -> str:
    """The path of the file of environments and profiles. Raises `BrainError` as `places` does."""
    return os.path.join(places(environ).config, "config.json")


def _plain_linux(environ: Mapping[str, str]) -> Places | None:
    """What platformdirs answers on Linux where HOME or the XDG variables say it all, without its 15 ms of import."""
    if sys.platform != "linux" or "ANDROID_DATA" in environ:
        return None
    home = environ.get("HOME", "")
    found = []
    for variable, below_home in (
        ("XDG_CONFIG_HOME", ".config"),
        ("XDG_STATE_HOME", ".local/state"),
        ("XDG_DATA_HOME", ".local/share"),
    ):
        folder = environ.get(variable, "")
        if not os.path.isabs(folder):
            if not os.path.isabs(home):
                return None
            folder = os.path.join(home.rstrip("/") or "/", below_home)
        found.append(os.path.join(folder, APP))
    return Places(*found)


def _as_the_system_says() -> Places:
    import platformdirs

    try:
        dirs = platformdirs.PlatformDirs(APP, appauthor=False)
        return Places(dirs.user_config_dir, dirs.user_state_dir, dirs.user_data_dir)
    except (RuntimeError, KeyError, OSError):
        pass
    from brainctl.profiles.no_home import NoHomeError

    raise NoHomeError

"""The program itself: which one runs, what it was installed with, and whether the shell completes it."""

import os
import re
import sys
from collections.abc import Iterator, Mapping
from typing import Final

from brainctl import __version__
from brainctl.cli.diagnosis.finding import Finding, ok, warning
from brainctl.cli.session import Session

DISTRIBUTION: Final = "alfera-brainctl"
_EXTRA: Final = re.compile(r"""([A-Za-z0-9._-]+).*;.*extra\s*==\s*["']([A-Za-z0-9._-]+)["']""")
_FOR_DEVELOPERS: Final = "dev"


def program(session: Session) -> Finding:
    """Which brainctl this is, and whether typing its name runs this one."""
    return on_path(session.environ, _ours())


def on_path(environ: Mapping[str, str], ours: str | None) -> Finding:
    """Whether the first brainctl on PATH is `ours`, a path; None where it was not started by its name."""
    import platform

    this = f"brainctl {__version__} on Python {platform.python_version()}"
    found = list(_all_on(environ.get("PATH", "")))
    if ours is None:
        return ok(f"{this}, run as a module")
    if not found:
        return warning(f"{this} is not on PATH: {ours}", f"Add {os.path.dirname(ours)} to PATH.")
    if os.path.realpath(found[0]) != os.path.realpath(ours):
        return warning(
            f"{this} is {ours}, and typing brainctl runs another: {found[0]}",
            f"Remove the other one, or put {os.path.dirname(ours)} first on PATH.",
        )
    return ok(f"{this}, {found[0]}")


def extras(session: Session) -> Finding:
    """Which of the optional parts are installed."""
    from importlib import metadata

    try:
        required = metadata.requires(DISTRIBUTION) or []
    except metadata.PackageNotFoundError:
        return ok("not known: brainctl runs from its source")
    present: dict[str, bool] = {}
    for found in filter(None, map(_EXTRA.match, required)):
        if found[2] != _FOR_DEVELOPERS:
            present[found[2]] = present.get(found[2], True) and _is_installed(found[1])
    told = {
        "installed": sorted(name for name in present if present[name]),
        "optional, and not installed": sorted(name for name in present if not present[name]),
    }
    return ok("; ".join(f"{what}: {', '.join(names)}" for what, names in told.items() if names) or "none")


def completions(session: Session) -> Finding:
    """Whether the user's shell completes brainctl, and with a script that fits this version."""
    shell = os.path.basename(session.environ.get("SHELL", ""))
    home = session.environ.get("HOME") or os.path.expanduser("~")
    places = _places(shell, home)
    if places is None:
        return ok("not looked for, since SHELL names none that brainctl has a script for")
    scripts, settings = places
    again = f"`brainctl completion {shell}`"
    for path in scripts:
        held = _text(path)
        if held is None:
            continue
        if held != _script(shell):
            return warning(
                f"{path} is not the script of this version", f"Write it anew: {again[:-1]} > {path}`."
            )
        return ok(f"{shell}: {path}")
    for path in settings:
        if "brainctl completion" in (_text(path) or ""):
            return ok(f"{shell}: made anew by {path}")
    return ok(f"none found for {shell}", "`brainctl completion --help` says how to have it.")


def _ours() -> str | None:
    started = os.path.abspath(sys.argv[0])
    if os.path.splitext(os.path.basename(started))[0].lower() == "brainctl" and os.path.isfile(started):
        return started
    return None


def _all_on(path: str) -> Iterator[str]:
    import shutil

    for folder in path.split(os.pathsep):
        if folder and (found := shutil.which("brainctl", path=folder)):
            yield os.path.abspath(found)


def _is_installed(distribution: str) -> bool:
    from importlib import metadata

    try:
        metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return False
    return True


def _places(shell: str, home: str) -> tuple[list[str], list[str]] | None:
    """Where a shell's script of completions may lie, and the settings that may make it at each start."""
    at_home = {
        "bash": (
            [".local/share/bash-completion/completions/brainctl"],
            [".bashrc", ".bash_profile", ".profile"],
        ),
        "zsh": ([".zfunc/_brainctl", ".zsh/completions/_brainctl"], [".zshrc"]),
        "fish": ([".config/fish/completions/brainctl.fish"], [".config/fish/config.fish"]),
    }
    for_all = {
        "bash": ["/usr/local/share/bash-completion/completions/brainctl", "/etc/bash_completion.d/brainctl"],
        "zsh": ["/usr/local/share/zsh/site-functions/_brainctl"],
        "fish": ["/usr/local/share/fish/vendor_completions.d/brainctl.fish"],
    }
    if shell not in at_home:
        return None
    scripts, settings = ([os.path.join(home, each) for each in names] for names in at_home[shell])
    return [*scripts, *for_all[shell]], settings


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return None


def _script(shell: str) -> str:
    from brainctl.cli.completion.shells import SHELLS
    from brainctl.cli.grammar import live_tree

    return SHELLS[shell].script(live_tree())

"""The shells that have a completion script, and the file that holds each one's."""

from collections.abc import Callable
from typing import Final, NamedTuple

from brainctl.cli.completion import bash, fish, powershell, zsh
from brainctl.cli.grammar import Node


class Shell(NamedTuple):
    """How a shell's script is made from the command tree, and its file's name in the folder `completions`."""

    script: Callable[[Node], str]
    file: str


SHELLS: Final = {
    "bash": Shell(bash.script, "brainctl.bash"),
    "zsh": Shell(zsh.script, "_brainctl"),
    "fish": Shell(fish.script, "brainctl.fish"),
    "powershell": Shell(powershell.script, "brainctl.ps1"),
}

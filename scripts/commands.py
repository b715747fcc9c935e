"""Which commands an installation makes: run by the build, which pyproject.toml tells of it."""

import sys
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface


class Commands(MetadataHookInterface):
    """On Windows a program is started by other programs only where it is an .exe, and that is made for these alone.

    Elsewhere the script beside this file is the command, since it starts faster than the one that would be made.
    """

    def update(self, metadata: dict[str, Any]) -> None:
        if sys.platform == "win32":
            metadata["scripts"] = {"brainctl": "brainctl.cli.main:main"}

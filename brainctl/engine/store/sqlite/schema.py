"""What a brain's file says of itself: its `user_version` counts the steps of the format that it has seen, and its
`application_id` says that it is a brain at all.
"""

import sqlite3
from typing import Final

from brainctl.contract.errors import BrainError

APPLICATION_ID: Final = 0x42524E31
VERSION: Final = 7
"""How many steps there are; they are loaded only for a file that has not seen them all."""


def version_of(connection: sqlite3.Connection) -> int:
    """How many steps a file has seen. Raises `store_error` where it is no brain, or a newer one than this program."""
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if application != APPLICATION_ID:
        raise BrainError(
            "store_error",
            "This file is not a brain: it belongs to another program, or is empty; "
            "make one elsewhere with `brainctl brain init`",
        )
    if version > VERSION:
        raise BrainError(
            "store_error",
            f"This brain was written by a newer brainctl (its format is {version}, this one knows {VERSION}); "
            "upgrade brainctl to open it",
        )
    return int(version)

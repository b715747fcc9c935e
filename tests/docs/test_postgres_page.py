"""The page on databases, followed with a real one."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Final

from tests.docs.pages import ROOT, blocks
from tests.docs.reader import Reader
from tests.postgres import programs

PAGE: Final = ROOT / "docs" / "postgres.md"
ADDRESS: Final = "postgresql://brain@db.example.com/brains"
AGAIN: Final = f"{ADDRESS}_again"


def test_every_command_about_a_database_prints_what_the_page_shows(
    home: Path, new_database: Callable[[], str]
) -> None:
    reader = Reader(home)
    reader.environ["PATH"] = f"{programs()}{os.pathsep}{reader.environ['PATH']}"
    first, second = new_database(), new_database()
    followed = 0
    for block in blocks(PAGE):
        if block.word == "database":
            lines = [line.replace(AGAIN, second).replace(ADDRESS, first) for line in block.lines]
            reader.follow(block._replace(lines=lines))
            followed += 1
    assert followed > 5

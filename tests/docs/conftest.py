import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest


@pytest.fixture
def home() -> Iterator[Path]:
    """An empty home. Its path is short: the tour shows paths, and a long one would wrap at the terminal's edge."""
    with tempfile.TemporaryDirectory(prefix="brain-", dir="/tmp") as folder:
        yield Path(folder)

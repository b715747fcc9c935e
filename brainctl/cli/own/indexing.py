"""A process of its own that gives facts their vectors, and ends when all have theirs."""

import os
import sys
from typing import Any

from brainctl.contract.errors import BrainError


def start_indexing(address: str, workspace: int) -> bool:
    """Begin it for one workspace of a store, and leave it to itself; False where no process can be started. Another one that is at it goes on alone."""
    import subprocess

    if not sys.executable:
        return False
    apart: dict[str, Any] = {"start_new_session": True}
    if sys.platform == "win32":
        apart = {"creationflags": subprocess.DETACHED_PROCESS | subprocess.CREATE_NEW_PROCESS_GROUP}
    try:
        process = subprocess.Popen(  # noqa: S603 - this interpreter and this file
            # -P: what lies in the current folder is nobody's module.
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            **apart,
        )
        assert process.stdin is not None
        # Not as an argument: an address may hold a password, and all can read the arguments of a process.
        with process.stdin:
            process.stdin.write(f"{workspace} {address}".encode())
    except OSError:
        return False
    # Nobody waits for it, so it is not missed either.
    process.returncode = 0
    return True


def main() -> int:
    from brainctl.engine.semantic.indexer import index
    from brainctl.engine.store.opening import open_store

    workspace, _, address = sys.stdin.buffer.read().decode().partition(" ")
    if hasattr(os, "nice"):
        os.nice(10)
    try:
        store = open_store(address)
        try:
            index(store, int(workspace))
        finally:
            store.close()
    except BrainError:
        # Nobody listens; `semantic status` tells how far it is, and why it cannot go on.
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())

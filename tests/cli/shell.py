"""Runs the real command, in a home of its own: in a pipe, or at a terminal of a given size."""

import os
import select
import signal
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyte
import pytest

BRAINCTL = str(Path(sys.executable).with_name("brainctl.exe" if os.name == "nt" else "brainctl"))
PASSED_ON = ("PATH", "LANG", "COVERAGE_PROCESS_CONFIG", "COVERAGE_FILE", "PYTHONPATH", "TMPDIR", "SYSTEMROOT")
DEADLINE_SECONDS = 60.0

IS_WINDOWS = os.name == "nt"
posix = pytest.mark.skipif(
    IS_WINDOWS, reason="sends signals, forks or asks for file modes, as Windows does not"
)


class Result(NamedTuple):
    """What a command came to. `out` and `err` are the exact bytes as text."""

    code: int
    out: str
    err: str


class Screen(NamedTuple):
    """What a terminal held when the command was done: every line that was ever shown, and the exit code."""

    code: int
    lines: list[str]
    raw: bytes

    @property
    def text(self) -> str:
        return "\n".join(self.lines).strip("\n")


class Shell:
    """A user's shell: a home folder, variables, and the command."""

    def __init__(self, home: Path, environ: Mapping[str, str] | None = None) -> None:
        self.home = home
        self.environ = {name: os.environ[name] for name in PASSED_ON if name in os.environ}
        self.environ.update({"HOME": str(home), **(environ or {})})

    def with_(self, **environ: str) -> "Shell":
        """The same home with further variables."""
        other = Shell(self.home)
        other.environ = {**self.environ, **environ}
        return other

    @property
    def unmeasured(self) -> "Shell":
        """The same home, for commands that will be killed: see `unmeasured`."""
        other = Shell(self.home)
        other.environ = unmeasured(self.environ)
        return other

    def run(self, *arguments: str, stdin: str | bytes | None = None, **options: Any) -> Result:
        """Run the command with its streams in pipes. Without `stdin` there is nothing to read."""
        given = stdin.encode() if isinstance(stdin, str) else stdin
        done = subprocess.run(
            [BRAINCTL, *arguments],
            input=given,
            stdin=subprocess.DEVNULL if given is None else None,
            capture_output=True,
            env=self.environ,
            timeout=DEADLINE_SECONDS,
            check=False,
            **options,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def start(self, *arguments: str, **options: Any) -> "subprocess.Popen[bytes]":
        """Start the command and leave it running; its streams are pipes."""
        return subprocess.Popen(
            [BRAINCTL, *arguments],
            stdin=options.pop("stdin", subprocess.DEVNULL),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=self.environ,
            **options,
        )

    def sh(self, line: str, **options: Any) -> Result:
        """Run a line of bash in which `brainctl` is the command."""
        if IS_WINDOWS:
            pytest.skip("the bash of a Windows machine, where there is one, has files and paths of its own")
        environ = {**self.environ, "PATH": f"{Path(BRAINCTL).parent}{os.pathsep}{self.environ['PATH']}"}
        done = subprocess.run(
            ["bash", "-c", line],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environ,
            timeout=DEADLINE_SECONDS,
            check=False,
            **options,
        )
        return Result(done.returncode, done.stdout.decode(), done.stderr.decode())

    def terminal(
        self,
        *arguments: str,
        columns: int = 80,
        rows: int = 24,
        keys: Sequence[tuple[str, str]] = (),
        resize: tuple[int, int] | None = None,
        interrupt_after: str | None = None,
        interrupt_with: signal.Signals = signal.SIGINT,
    ) -> Screen:
        """Run the command at a terminal, and read its screen and scrollback when it is done.

        `keys` are pairs: what must have been shown, and what is then typed. `resize` changes the size once the
        first output has come; `interrupt_after` sends a signal once that text was shown.
        """
        return self._at_terminal(
            [BRAINCTL, *arguments], columns, rows, keys, resize, interrupt_after, interrupt_with
        )

    def _at_terminal(
        self,
        command: Sequence[str],
        columns: int,
        rows: int,
        keys: Sequence[tuple[str, str]],
        resize: tuple[int, int] | None,
        interrupt_after: str | None,
        interrupt_with: signal.Signals,
    ) -> Screen:
        process, master = _spawned(command, {"TERM": "xterm-256color", **self.environ}, columns, rows)
        screen = pyte.HistoryScreen(columns, rows, history=100_000, ratio=0.5)
        stream = pyte.ByteStream(screen)
        raw = b""
        waiting = list(keys)
        deadline = time.monotonic() + DEADLINE_SECONDS
        try:
            while time.monotonic() < deadline:
                chunk = _read(master)
                if chunk is None:
                    break
                raw += chunk
                stream.feed(chunk)
                shown = raw.decode("utf-8", "replace")
                if chunk and resize is not None:
                    columns, rows = resize
                    resize = None
                    _set_size(master, columns, rows)
                    screen.resize(rows, columns)
                if interrupt_after is not None and interrupt_after in shown:
                    interrupt_after = None
                    process.send_signal(interrupt_with)
                if waiting and waiting[0][0] in shown:
                    os.write(master, waiting.pop(0)[1].encode())
            code = process.wait(timeout=DEADLINE_SECONDS)
        finally:
            if process.poll() is None:
                process.kill()
                process.wait()
            os.close(master)
        return Screen(code, _everything(screen), raw)


def unmeasured(environ: Mapping[str, str] = os.environ) -> dict[str, str]:
    """The variables without those of a coverage tool, for a process that will be killed.

    Such a process may be writing down what it has covered at that moment, and half a file is no file to whoever
    gathers them.
    """
    return {name: value for name, value in environ.items() if not name.startswith("COVERAGE")}


def _spawned(
    command: Sequence[str], environ: Mapping[str, str], columns: int, rows: int
) -> tuple["subprocess.Popen[bytes]", int]:
    if IS_WINDOWS:
        pytest.skip("the terminals of Windows cannot be opened from here")
    # Imported here, since a module that Windows does not have would keep all tests from being found there.
    import pty

    master, slave = pty.openpty()
    _set_size(slave, columns, rows)
    process = subprocess.Popen(
        command, stdin=slave, stdout=slave, stderr=slave, env=dict(environ), start_new_session=True
    )
    os.close(slave)
    return process, master


def _set_size(descriptor: int, columns: int, rows: int) -> None:
    import fcntl
    import termios

    fcntl.ioctl(descriptor, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))


def _read(master: int) -> bytes | None:
    """What has come; empty where nothing has, None where nothing more will."""
    ready, _, _ = select.select([master], [], [], 0.2)
    if not ready:
        return b""
    try:
        return os.read(master, 65536) or None
    except OSError:
        return None


def _everything(screen: "pyte.HistoryScreen") -> list[str]:
    """The scrollback and the screen, each line without the blanks at its end."""
    lines = [
        "".join(row[column].data for column in range(screen.columns)).rstrip() for row in screen.history.top
    ]
    lines.extend(line.rstrip() for line in screen.display)
    return lines


def eventually(holds: Callable[[], bool], seconds: float = DEADLINE_SECONDS) -> None:
    """Wait until something holds; fails where it never does."""
    deadline = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < deadline, "it never came to hold"
        time.sleep(0.02)

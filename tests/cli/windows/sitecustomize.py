"""Python as it is on Windows, as far as that can be had here: put in front by PYTHONPATH.

What only POSIX has is not there, and locks are taken as they are there, through a module that stands in for its own.
"""

import os
import signal
import sys
import time
import types
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder

MODULES = (
    *("_curses", "_posixshmem", "curses", "fcntl", "grp", "pty", "pwd", "readline", "resource", "spwd"),
    *("syslog", "termios", "tty", "uvloop"),
)
OF_OS = (
    *("chown", "chroot", "fchdir", "fchmod", "fchown", "fork", "forkpty", "getegid", "geteuid", "getgid"),
    *(
        "getgroups",
        "getloadavg",
        "getpgid",
        "getpgrp",
        "getpriority",
        "getresuid",
        "getsid",
        "getuid",
        "killpg",
    ),
    *(
        "lchown",
        "lockf",
        "mkfifo",
        "mknod",
        "nice",
        "openpty",
        "pathconf",
        "pread",
        "pwrite",
        "readv",
    ),
    *("register_at_fork", "sched_getaffinity", "sched_yield", "sendfile", "setpgid", "setsid", "setuid"),
    *("statvfs", "sync", "sysconf", "uname", "wait", "writev"),
    *("O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_SYNC"),
)
OF_SIGNAL = (
    *("SIGALRM", "SIGCHLD", "SIGCONT", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGSTOP", "SIGTSTP"),
    *(
        "SIGUSR1",
        "SIGUSR2",
        "SIGWINCH",
        "alarm",
        "pthread_kill",
        "pthread_sigmask",
        "setitimer",
        "siginterrupt",
    ),
)
LOCKS = "brainctl.profiles.files"


class OnWindows(MetaPathFinder):
    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: types.ModuleType | None = None
    ) -> ModuleSpec | None:
        if name in MODULES:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        if name != LOCKS:
            return None
        spec = PathFinder.find_spec(name, path, target)
        assert spec is not None
        assert spec.loader is not None
        run = spec.loader.exec_module

        def run_on_windows(module: types.ModuleType) -> None:
            run(module)
            vars(module)["sys"] = types.SimpleNamespace(platform="win32")
            # Only now: where it finds this module, it takes itself to be on Windows.
            import_module("subprocess")
            sys.modules["msvcrt"] = msvcrt

        spec.loader.exec_module = run_on_windows  # type: ignore[method-assign]  # this one module's alone
        return spec


def locking(descriptor: int, mode: int, count: int) -> None:
    """Nobody else is there to hold a lock; that it is a file which is locked is checked all the same."""
    assert (mode, count) == (2, 1)
    os.fstat(descriptor)


for each in MODULES:
    sys.modules.pop(each, None)
for each in OF_OS:
    vars(os).pop(each, None)
for each in OF_SIGNAL:
    vars(signal).pop(each, None)
vars(time).pop("tzset", None)
sys.meta_path.insert(0, OnWindows())
msvcrt = types.ModuleType("msvcrt")
vars(msvcrt).update(locking=locking, LK_NBLCK=2, LK_LOCK=1, LK_UNLCK=0)

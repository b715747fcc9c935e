"""Real shells that are asked what they would offer."""

import contextlib
import os
import re
import shlex
import subprocess
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "completions"
NOT_THERE = "/nonexistent"
"""A PATH that holds no program at all."""

PATIENCE = 20.0
"""Seconds after which a shell at a terminal is taken for dead."""


class Shell(ABC):
    """A shell with the script loaded, run in `folder`; `path` is its PATH."""

    def __init__(self, program: str, folder: Path) -> None:
        self.program = program
        self.folder = folder
        self.path = NOT_THERE
        self.variables: dict[str, str] = {}

    def environ(self) -> dict[str, str]:
        return {
            "PATH": self.path,
            "HOME": str(self.folder),
            "TERM": "xterm",
            "LC_ALL": "C.UTF-8",
            **self.variables,
        }

    @abstractmethod
    def candidates(self, line: str) -> list[str]:
        """What is offered at the end of a line, in the order of the shell."""

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [self.program, *arguments],
            env=self.environ(),
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        assert not done.stderr
        return done.stdout


class Bash(Shell):
    breaks = "\"'><=;|&(:"
    """What parts words besides blanks, as bash has it unless told otherwise."""

    def candidates(self, line: str) -> list[str]:
        words = self._words(line)
        typed = words[-1].lstrip("\"'=")
        script = (
            f"COMP_WORDBREAKS=$' \\t\\n'{shlex.quote(self.breaks)}\n"
            f"source {shlex.quote(str(SCRIPTS / 'brainctl.bash'))}\n"
            f"COMP_LINE={shlex.quote(line)} COMP_POINT={len(line)}\n"
            f"COMP_WORDS=({' '.join(map(shlex.quote, words))}) COMP_CWORD={len(words) - 1}\n"
            f'_brainctl {shlex.quote(words[0])} {shlex.quote(typed)} ""\n'
            'for found in "${COMPREPLY[@]}"; do echo "$found"; done\n'
        )
        return self.run("--norc", "--noprofile", "-c", script).splitlines()

    def _words(self, line: str) -> list[str]:
        """The line as bash cuts it: at blanks outside quotes, and around = and : where those part words."""
        apart = "".join(mark for mark in self.breaks if mark in "=:")
        pieces = rf"""(?:"[^"]*"?|'[^']*'?|[^\s"'{apart}])+"""
        words = re.findall(rf"{pieces}|[{apart}]+" if apart else pieces, line)
        return [*words, ""] if line.endswith(" ") else words


class Fish(Shell):
    def candidates(self, line: str) -> list[str]:
        script = (
            f"source {shlex.quote(str(SCRIPTS / 'brainctl.fish'))}; complete -C {shlex.quote(line)}; true"
        )
        offered = self.run("--no-config", "-c", script).splitlines()
        # After an option's name and = fish repeats what was typed.
        start = line.rpartition(" ")[2].partition("=")[0] + "="
        return [each.partition("\t")[0].removeprefix(start) for each in offered]


class Zsh(Shell):
    dump: Path
    """What `remember` made; to look through every function there is takes zsh half a second."""

    _SETUP = r"""
        PS1='READY>' LISTMAX=0 hits=()
        setopt no_beep no_list_beep
        fpath=(%(scripts)s $fpath)
        autoload -Uz compinit && compinit -C -d %(dump)s
        compadd() {
            # With these it fills a variable, and offers nothing.
            if [[ ${@[1,(i)(-|--)]} == *-(O|A|D)\ * ]]; then builtin compadd "$@"; return; fi
            local -a offered
            builtin compadd -O offered "$@"
            hits+=("${offered[@]}")
            builtin compadd "$@"
        }
        offered() { print -rl -- "${hits[@]}" END > %(answer)s }
        look() { comppostfuncs=(offered); zle list-choices }
        zle -N look
        bindkey '^G' look
    """

    def candidates(self, line: str) -> list[str]:
        answer = self.folder / "offered"
        answer.unlink(missing_ok=True)
        setup = self.folder / "setup.zsh"
        names = {"scripts": SCRIPTS, "dump": self.dump, "answer": answer}
        setup.write_text(self._SETUP % {name: shlex.quote(str(path)) for name, path in names.items()})
        with self._at_a_terminal(line, setup) as terminal:
            give_up = time.monotonic() + PATIENCE
            while not (answer.exists() and answer.read_text().endswith("END\n")):
                assert time.monotonic() < give_up, terminal
                time.sleep(0.01)
        return [each for each in answer.read_text().splitlines()[:-1] if each]

    @staticmethod
    def remember(program: str, dump: Path) -> None:
        """Let zsh write down which function completes what, with ours among them."""
        script = f"fpath=({shlex.quote(str(SCRIPTS))} $fpath); autoload -Uz compinit; compinit -u -d {shlex.quote(str(dump))}"
        subprocess.run([program, "-f", "-c", script], check=True)

    @contextlib.contextmanager
    def _at_a_terminal(self, line: str, setup: Path) -> Iterator[int]:
        import pty

        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [self.program, "-f", "-i"],
            env=self.environ(),
            cwd=self.folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        try:
            os.write(ours, f"source {shlex.quote(str(setup))}\n".encode())
            shown = b""
            while b"READY>" not in shown:
                shown += os.read(ours, 4096)
            os.write(ours, line.encode() + b"\x07")
            yield ours
        finally:
            process.kill()
            process.wait()
            os.close(ours)

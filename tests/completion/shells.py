"""Real shells that are asked what they would offer."""

import os
import re
import select
import shlex
import subprocess
import time
from abc import ABC, abstractmethod
from pathlib import Path

SCRIPTS = Path(__file__).parents[2] / "completions"
NOT_THERE = "/nonexistent"
"""A PATH that holds no program at all."""

PATIENCE = 60.0
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

    def at_a_terminal(self, arguments: list[str], first: str, then: str, answer: Path) -> str:
        """Start the shell at a terminal, type `first`, and `then` once its prompt READY> stands.

        What it writes into the file `answer`, up to a last line END, is what is returned.
        """
        import pty

        answer.unlink(missing_ok=True)
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [self.program, *arguments],
            env=self.environ(),
            cwd=self.folder,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            start_new_session=True,
        )
        os.close(theirs)
        give_up = time.monotonic() + PATIENCE
        shown = b""
        try:
            os.write(ours, first.encode())
            while not (answer.exists() and answer.read_text().endswith("END\n")):
                assert time.monotonic() < give_up, shown
                if select.select([ours], [], [], 0.01)[0]:
                    shown += os.read(ours, 4096)
                if then and b"READY>" in shown:
                    os.write(ours, then.encode())
                    then = ""
        finally:
            process.kill()
            process.wait()
            os.close(ours)
        return answer.read_text().removesuffix("END\n")


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

    def completed(self, typed: str) -> str:
        """The line at a terminal, after Tab."""
        answer = self.folder / "line"
        setup = self.folder / "setup.bash"
        setup.write_text(
            f"source {shlex.quote(str(SCRIPTS / 'brainctl.bash'))}\n"
            f"""look() {{ printf '%s\\nEND\\n' "$READLINE_LINE" > {shlex.quote(str(answer))}; }}\n"""
            "bind 'set bell-style none'; bind -x '\"\\C-g\": look'; PS1='READY>'\n"
        )
        arguments = ["--noprofile", "--rcfile", str(setup), "-i"]
        return self.at_a_terminal(arguments, "", f"{typed}\t\a", answer).removesuffix("\n")

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
        setup = self.folder / "setup.zsh"
        names = {"scripts": SCRIPTS, "dump": self.dump, "answer": answer}
        setup.write_text(self._SETUP % {name: shlex.quote(str(path)) for name, path in names.items()})
        said = self.at_a_terminal(["-f", "-i"], f"source {shlex.quote(str(setup))}\n", f"{line}\a", answer)
        return [each for each in said.splitlines() if each]

    @staticmethod
    def remember(program: str, dump: Path) -> None:
        """Let zsh write down which function completes what, with ours among them."""
        script = f"fpath=({shlex.quote(str(SCRIPTS))} $fpath); autoload -Uz compinit; compinit -u -d {shlex.quote(str(dump))}"
        subprocess.run([program, "-f", "-c", script], check=True)

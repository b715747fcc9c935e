from typing import Annotated

import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def completion(
    context: typer.Context,
    shell: Annotated[
        str, typer.Argument(metavar="bash|zsh|fish|powershell", help="The shell to print the script for.")
    ],
) -> None:
    """Print a completion script for your shell.

    \b
    bash: add to ~/.bashrc
      eval "$(brainctl completion bash)"
    or, to start faster, with the package bash-completion
      cd ~/.local/share/bash-completion/completions
      brainctl completion bash > brainctl

    \b
    zsh: put it into a folder of $fpath, and start a new shell
      mkdir -p ~/.zfunc
      brainctl completion zsh > ~/.zfunc/_brainctl
    and have in ~/.zshrc
      fpath=(~/.zfunc $fpath)
      autoload -Uz compinit && compinit

    \b
    fish:
      mkdir -p ~/.config/fish/completions
      brainctl completion fish > ~/.config/fish/completions/brainctl.fish

    \b
    PowerShell: add to the file that $PROFILE names
      brainctl completion powershell | Out-String | Invoke-Expression

    Commands and options complete without starting brainctl; profiles, environments and answer ids ask it.
    """
    from brainctl.cli.completion.shells import SHELLS
    from brainctl.cli.grammar import live_tree

    session = Session.of(context)
    output = session.checked_output()
    if shell not in SHELLS:
        raise BrainError("usage", f"SHELL is one of {', '.join(SHELLS)}; got {shell!r}.")
    script = SHELLS[shell].script(live_tree())
    if session.shared.output is None:
        # Whoever exports BRAINCTL_OUTPUT means results, and not what a shell evaluates as it starts.
        output.text(script)
    else:
        output.result({"shell": shell, "script": script}, plain=lambda: script)


app = app_of(completion)

import os
from typing import TYPE_CHECKING, Annotated, Any

import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import mcp as view
from brainctl.cli.views import rows
from brainctl.contract.errors import BrainError
from brainctl.contract.keys import mask_secrets

if TYPE_CHECKING:
    from brainctl.cli.mcp.clients.clients import Client
    from brainctl.cli.mcp.clients.installing import Wanted

SERVER_DEFAULT: str = "alfera-brain"
PROJECT_FILE_MODE: int = 0o644


def install(
    context: typer.Context,
    client_name: Annotated[
        str,
        typer.Option(
            "--client",
            metavar="claude-code|claude-desktop|cursor|vscode|windsurf|codex|gemini|zed|opencode",
            help="The agent.",
        ),
    ],
    project: Annotated[
        bool, typer.Option("--project", help="In this folder's settings, not the user's.")
    ] = False,
    http: Annotated[bool, typer.Option("--http", help="The agent calls the brain's address itself.")] = False,
    stdio: Annotated[
        bool, typer.Option("--stdio", help="The agent starts brainctl, which calls the brain.")
    ] = False,
    name: Annotated[str, typer.Option("--name", metavar="NAME", help="The server's name.")] = SERVER_DEFAULT,
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show what would change, and change nothing.")
    ] = False,
    uninstall: Annotated[bool, typer.Option("--uninstall", help="Take the server out again.")] = False,
    inline_key: Annotated[
        bool, typer.Option("--inline-key", help="Write the key itself into the file, readable by you alone.")
    ] = False,
) -> None:
    """Add the brain to an agent's settings. All else in them stays as it is, comments too, and a copy is kept.

    \b
    Examples:
      brainctl mcp install --client cursor --dry-run
      brainctl mcp install --client claude-code --project
      brainctl -p production/support mcp install --client codex
      brainctl mcp install --client cursor --uninstall

    A saved key is used by its profile's name, and one from ALFERA_API_KEY by that variable's: neither is written.
    """
    from brainctl.cli.mcp.clients import installing
    from brainctl.cli.mcp.clients.clients import client_named

    session = Session.of(context)
    output = session.checked_output()
    client = client_named(client_name)
    transport = installing.transport_of(http=http, stdio=stdio)
    installing.check_name(name, client)
    path = installing.settings_path(client, installing.place_of(session), project=project)
    want = None
    if not uninstall:
        want = installing.wanted(session, client, name, transport, inline=inline_key)
        if want.holds_secret:
            installing.refuse_work_tree(path)
    done: dict[str, Any] = {
        "client": client.name,
        "server": name,
        "transport": want.transport if want else None,
        "file": path,
    }
    if client.name == "claude-code" and not project:
        done |= _asked_of_claude(session, client, path, name, want, dry_run=dry_run)
    else:
        done |= _written(session, client, path, name, want, project=project, dry_run=dry_run)
    pairs = view.change_pairs(done)
    diff = done.get("diff")
    output.result(
        done,
        plain=lambda: diff or rows.pairs(pairs),
        rich=None if diff else lambda: rows.pairs_table(pairs),
    )
    if want is not None:
        for sentence in installing.cautions(session, client, want, path, project=project):
            output.note(sentence)


def _written(
    session: Session,
    client: "Client",
    path: str,
    name: str,
    want: "Wanted | None",
    *,
    project: bool,
    dry_run: bool,
) -> dict[str, Any]:
    from brainctl.cli.mcp.clients import installing
    from brainctl.cli.mcp.clients.settings_file import PRIVATE, changed, planned

    def change(text: str) -> str:
        if want is None:
            return installing.without_server(client, text, name)
        return installing.with_server(client, text, want)

    if want is None and not os.path.exists(path):
        return {"change": "none", "backup": None}
    if dry_run:
        edit = planned(path, change)
        return {"change": _named(edit.changes, want), "backup": None, "diff": mask_secrets(edit.diff())}
    edit, backup = changed(
        path,
        change,
        state=session.state,
        new_mode=PROJECT_FILE_MODE if project else PRIVATE,
        private=want is not None and want.holds_secret,
    )
    return {"change": _named(edit.changes, want), "backup": backup}


def _asked_of_claude(
    session: Session, client: "Client", path: str, name: str, want: "Wanted | None", *, dry_run: bool
) -> dict[str, Any]:
    import shlex

    from brainctl.cli.mcp.clients import claude_code

    if want is not None and want.holds_secret:
        raise BrainError(
            "usage", "A key would stand in the list of processes for a moment: leave --inline-key out."
        )
    commands = (
        claude_code.commands_to_remove(client, path, name)
        if want is None
        else claude_code.commands_to_add(client, path, want)
    )
    told: dict[str, Any] = {"change": _named(bool(commands), want), "backup": None}
    if dry_run:
        return {**told, "diff": "".join(f"{shlex.join(command)}\n" for command in commands)}
    claude_code.run(commands, session.environ)
    return told


def _named(changes: bool, want: "Wanted | None") -> str:
    return "none" if not changes else "removed" if want is None else "written"


app = app_of(install)

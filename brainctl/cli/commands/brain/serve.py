from typing import Annotated

import typer

from brainctl.cli.own.own_brain import environment_of, store_of
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.addresses import is_loopback
from brainctl.contract.errors import BrainError
from brainctl.contract.paths import MCP_PATH

PROCESSES_MAX: int = 64
WORKERS_MAX: int = 256


def serve(
    context: typer.Context,
    store: Annotated[
        str | None,
        typer.Option(
            "--store", metavar="ADDRESS", help="A file, or postgresql://user@host/database: all brains in it."
        ),
    ] = None,
    host: Annotated[
        str, typer.Option("--host", metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", min=0, max=65535, metavar="N", help="The port; 0 takes any free one.")
    ] = 8787,
    processes: Annotated[
        int,
        typer.Option("--processes", min=1, max=PROCESSES_MAX, metavar="N", help="Processes that serve it."),
    ] = 1,
    workers: Annotated[
        int,
        typer.Option(
            "--workers", min=0, max=WORKERS_MAX, metavar="N", help="Queued answers a process runs at once."
        ),
    ] = 4,
    allow_remote: Annotated[
        bool, typer.Option("--allow-remote", help="Let other machines reach it.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option("--allow-host", metavar="NAME", help="A further name that it is served under."),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option("--allow-origin", metavar="URL", help="A web page's origin that may use it."),
    ] = None,
) -> None:
    """Serve your brain to others: the Brain API and MCP, over HTTP.

    \b
    Examples:
      brainctl brain serve
      brainctl brain serve --port 0 --processes 4
      brainctl brain serve --host 0.0.0.0 --allow-remote --allow-host brain.example.com
      brainctl brain serve --store postgresql://brain@db.example.com/brains

    Without --store it is the store of --env, else the one that BRAINCTL_STORE names, else that of your own brain. Of a
    database all brains are served, and a key opens its own. Any number of hosts may serve the same database.
    It listens on this machine alone unless told otherwise. The log is lines of JSON on standard error.
    """
    from contextlib import closing

    from brainctl.engine.store.opening import open_store

    session = Session.of(context)
    output = session.checked_output()
    if not is_loopback(host) and not allow_remote:
        raise BrainError(
            "usage",
            f"On {host} other machines could reach this brain, and HTTP hides nothing on the way: "
            "add --allow-remote if that is meant, best behind a proxy that speaks HTTPS.",
        )
    address = store_of(session, store)
    # Opened once before anything is begun: what is wrong is told in a sentence.
    with closing(open_store(address)) as opened:
        many = opened.holds_many
    named = store is not None or many or session.environ.get("BRAINCTL_STORE")
    what = f"the brain{'s' if many else ''} in {address}" if named else f"the brain {environment_of(session)}"
    try:
        from brainctl.cli.own.serving import Serving, serve
    except ImportError as error:
        raise BrainError(
            "usage",
            f"Serving needs {error.name}, which is not installed: run `pip install 'alfera-brainctl[serve]'`.",
        ) from error
    serve(
        Serving(
            store=address,
            host=host,
            port=port,
            processes=processes,
            workers=workers,
            hosts=tuple(allow_host or ()),
            origins=tuple(allow_origin or ()),
        ),
        session.environment.stderr,
        lambda url: output.note(f"Serving {what} at {url} (MCP at {url}{MCP_PATH}). Ctrl-C stops it."),
    )


app = app_of(serve)

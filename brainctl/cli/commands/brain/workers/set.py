from typing import Annotated

import typer

from brainctl.cli.own.own_brain import open_own
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.cli.views import rows


def set_worker(
    context: typer.Context,
    slug: Annotated[
        str,
        typer.Argument(metavar="SLUG", help="The worker's name, as --agent gives it; main is the default."),
    ],
    model: Annotated[
        str, typer.Option("--model", metavar="NAME", help="The model, as its endpoint calls it.")
    ],
    base_url: Annotated[
        str, typer.Option("--base-url", metavar="URL", help="An OpenAI-compatible endpoint, up to /v1.")
    ],
    key_env: Annotated[
        str | None,
        typer.Option("--key-env", metavar="VAR", help="The variable that holds the endpoint's key."),
    ] = None,
) -> None:
    """Let a model answer. The key is read from its variable at each use and never stored.

    \b
    Examples:
      brainctl brain workers set main --model llama3.2 --base-url http://127.0.0.1:11434/v1
      brainctl brain workers set legal --model gpt-5-mini --base-url https://api.openai.com/v1 --key-env OPENAI_API_KEY
    """
    session = Session.of(context)
    output = session.checked_output()
    with open_own(session) as owner:
        worker = owner.set_worker(slug, model=model, base_url=base_url, key_env=key_env)
    cells = [value or "" for value in worker]
    output.result(worker._asdict(), plain=lambda: rows.lines([cells]))


app = app_of(set_worker)

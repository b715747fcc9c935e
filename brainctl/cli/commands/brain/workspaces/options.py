"""The option that all commands about workspaces share."""

from typing import Annotated

import typer

Store = Annotated[
    str | None,
    typer.Option("--store", metavar="ADDRESS", help="The store; else that of your own brain."),
]

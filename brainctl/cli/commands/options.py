"""Options that several commands have."""

from typing import Annotated

import typer

EndUser = Annotated[
    str | None,
    typer.Option(
        "--end-user", metavar="ID", help="Your own id for the person asking; adds the facts about them."
    ),
]
EndUserName = Annotated[
    str | None,
    typer.Option("--end-user-name", metavar="NAME", help="Their display name; never chooses facts."),
]

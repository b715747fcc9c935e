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

Batch = Annotated[
    str | None,
    typer.Option(
        "--batch",
        metavar="FILE",
        help="Many at once: one a line, as text or as the request's JSON; - is stdin.",
    ),
]
Resume = Annotated[
    str | None,
    typer.Option(
        "--resume", metavar="OUTPUT", help="Append the batch's rows to OUTPUT, but for those answered there."
    ),
]

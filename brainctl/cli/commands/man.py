import os
from typing import Annotated

import typer

from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError


def man(
    context: typer.Context,
    folder: Annotated[str, typer.Argument(metavar="DIR", help="Where to; it is made if it is not there.")],
) -> None:
    """Write the man pages, one for each command.

    \b
    Examples:
      brainctl man ~/.local/share/man/man1
      brainctl man /tmp/pages && man -l /tmp/pages/brainctl-search.1

    Pages of the same name are replaced. In a pipe the path of each page is printed, one a line.
    """
    from brainctl.cli.manual.pages import man_pages

    session = Session.of(context)
    output = session.checked_output()
    pages = man_pages()
    paths = [os.path.join(folder, name) for name in pages]
    try:
        os.makedirs(folder, exist_ok=True)
        for path, text in zip(paths, pages.values(), strict=True):
            with open(path, "w", encoding="ascii", newline="\n") as file:
                file.write(text)
    except OSError as error:
        raise BrainError(
            "usage", f"The pages cannot be written: {error.filename or folder}: {error.strerror}."
        ) from error
    output.result(
        {"folder": folder, "pages": list(pages)}, plain=lambda: "".join(f"{path}\n" for path in paths)
    )


app = app_of(man)

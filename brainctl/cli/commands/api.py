from typing import Annotated, Any

import typer

from brainctl.cli.connect import connect_http
from brainctl.cli.reading import given_bytes
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")


def api(
    context: typer.Context,
    method: Annotated[
        str, typer.Argument(metavar="GET|POST|PUT|PATCH|DELETE|HEAD|OPTIONS", help="GET, POST and so on.")
    ],
    path: Annotated[str, typer.Argument(metavar="PATH", help="The route, from the slash on.")],
    fields: Annotated[
        list[str] | None,
        typer.Option(
            "--field", "-f", metavar="NAME=VALUE", help="A field of the body; NAME:=JSON for other than text."
        ),
    ] = None,
    source: Annotated[
        str | None, typer.Option("--input", metavar="FILE", help="The whole body; - reads standard input.")
    ] = None,
) -> None:
    """Make one raw request with the profile's key. The reply is printed as it came.

    \b
    Examples:
      brainctl api POST /v1/memory/search -f query="refund policy" -f limit:=3
      brainctl api POST /v1/memory/search -f query=dates -f end_user.id=cust_419
      brainctl api GET "/v1/answers/event_01k9p3zq8w4m1te6h2ndkbx9pf?include=sources"
      brainctl api POST /v1/memory/facts --input body.json
    """
    session = Session.of(context)
    output = session.checked_output()
    if method.upper() not in METHODS:
        raise BrainError("usage", f"METHOD is one of {', '.join(METHODS)}; got {method!r}.")
    if not path.startswith("/"):
        raise BrainError("usage", f"PATH starts with a slash, such as /v1/memory/search; got {path!r}.")
    if fields and source is not None:
        raise BrainError("usage", "--field and --input both give the body: give one.")
    content = given_bytes(session, source) if source is not None else _body(fields or [])
    brain = connect_http(session)
    try:
        reply = brain.raw(method.upper(), path, content)
    finally:
        brain.close()
    if output.at_terminal:
        output.text(reply.body.decode("utf-8", "replace"))
    else:
        output.raw(reply.body)


def _body(fields: list[str]) -> bytes | None:
    """The JSON body that `name=text`, `name:=json` and dotted names make; None where there are none."""
    import json

    if not fields:
        return None
    body: dict[str, Any] = {}
    for field in fields:
        name, mark, text = field.partition("=")
        if not mark or not name.rstrip(":"):
            raise BrainError("usage", f"--field is NAME=VALUE or NAME:=JSON; got {field!r}.")
        value: Any = text
        if name.endswith(":"):
            name = name[:-1]
            try:
                value = json.loads(text)
            except (ValueError, RecursionError) as error:
                raise BrainError("usage", f"The value of --field {name}:= is not JSON.") from error
        *parents, last = name.split(".")
        place = body
        for parent in parents:
            inner = place.setdefault(parent, {})
            if not isinstance(inner, dict):
                raise BrainError("usage", f"--field {name} contradicts an earlier --field {parent}.")
            place = inner
        place[last] = value
    return json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")


app = app_of(api)

"""The command tree: which command lives in which module, loaded only when it is called, and the options all share."""

from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Annotated, Any, ClassVar, Final, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from brainctl.cli.output import FORMATS
from brainctl.contract.errors import BrainError

TIMEOUT_MAX_SECONDS: Final = 86_400


class Entry(NamedTuple):
    """A command of a group: the module that holds it as `app`, and the line that the group's help shows."""

    module: str
    summary: str


class Shared(NamedTuple):
    """The options that stand before or after any command's name; None where one was not given."""

    output: str | None = None
    profile: str | None = None
    environment: str | None = None
    quiet: bool | None = None
    verbose: bool | None = None
    color: str | None = None
    retries: int | None = None
    timeout: float | None = None

    def over(self, outer: "Shared") -> "Shared":
        """These options where they were given, else the outer ones."""
        given: dict[str, Any] = {name: value for name, value in self._asdict().items() if value is not None}
        return outer._replace(**given)


def _shared(
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="human|json|jsonl", help="How results are printed."),
    ] = None,
    json: Annotated[bool | None, typer.Option("--json", help="The same as -o json.")] = None,
    profile: Annotated[
        str | None, typer.Option("--profile", "-p", metavar="NAME", help="The key profile to use.")
    ] = None,
    environment: Annotated[
        str | None,
        typer.Option("--env", "-e", metavar="NAME", help="The environment whose current profile to use."),
    ] = None,
    quiet: Annotated[
        bool | None, typer.Option("--quiet", "-q", help="Only errors on standard error.")
    ] = None,
    verbose: Annotated[
        bool | None, typer.Option("--verbose", "-v", help="Show each request and reply, secrets masked.")
    ] = None,
    color: Annotated[
        str | None, typer.Option("--color", metavar="auto|always|never", help="When to colour.")
    ] = None,
    retries: Annotated[
        int | None,
        typer.Option("--retries", min=0, metavar="N", help="Tries after the first (default 3; 0 off)."),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option("--timeout", min=0.001, metavar="SECONDS", help="For one HTTP exchange (default 30)."),
    ] = None,
) -> None:
    """Never called: Typer reads the options off it."""


def _build_shared_options() -> list[Any]:
    app = typer.Typer(add_completion=False, rich_markup_mode=None)
    app.command()(_shared)
    return _in_digits(get_command(app).params)


def _in_digits(options: Iterable[Any]) -> list[Any]:
    """The options, where a number is its digits and not, as in Python, digits with underscores between them.

    What is none is told of in words.
    """
    found = list(options)
    for option in found:
        if option.type.name.startswith(("int", "float")):
            option.type_cast_value = _strict(option.type_cast_value, _number_of(option.type))
    return found


def _number_of(kind: Any) -> str:
    """What an option takes: "a whole number from 1 to 100"."""
    number = "a whole number" if kind.name.startswith("int") else "a number"
    least, most = getattr(kind, "min", None), getattr(kind, "max", None)
    if least is not None:
        number += f" from {least:g}"
    if most is not None:
        number += f" to {most:g}" if least is not None else f" up to {most:g}"
    return number


def _strict(cast: Callable[[Any, Any], Any], wanted: str) -> Callable[[Any, Any], Any]:
    def strict(context: Any, value: Any) -> Any:
        try:
            if isinstance(value, str) and "_" in value:
                raise typer.BadParameter(value, ctx=context)
            return cast(context, value)
        except typer.BadParameter as error:
            raise typer.BadParameter(
                f"{value!r} is not {wanted}.", ctx=error.ctx, param=error.param
            ) from None

    return strict


_SHARED_OPTIONS: Final = _build_shared_options()
_SHARED_NAMES: Final = [str(option.name) for option in _SHARED_OPTIONS]


def _take_shared(context: Any) -> None:
    """Move the shared options out of a command's own, into what the session was told so far."""
    given = {name: context.params.pop(name, None) for name in _SHARED_NAMES}
    if given.pop("json"):
        if given["output"] not in {None, "json"}:
            raise BrainError(
                "usage", f"--json and --output {given['output']} contradict each other: give one."
            )
        given["output"] = "json"
    _one_of("--output", given["output"], FORMATS)
    _one_of("--color", given["color"], ("auto", "always", "never"))
    # Told apart here, since "not a number" is below no bound and above none.
    if given["timeout"] is not None and not 0 < given["timeout"] <= TIMEOUT_MAX_SECONDS:
        raise BrainError("usage", f"--timeout is a number of seconds up to {TIMEOUT_MAX_SECONDS}.")
    context.obj.shared = Shared(**given).over(context.obj.shared)


def _one_of(option: str, value: str | None, choices: tuple[str, ...]) -> None:
    if value is not None and value not in choices:
        raise BrainError("usage", f"{option} is one of {', '.join(choices)}; got {value!r}.")


def _show_help(context: Any, _: Any, is_asked_for: bool) -> None:
    """Typer prints by itself, and what a full disk then raises could have come from anywhere."""
    if is_asked_for and not context.resilient_parsing:
        context.obj.show_help(context.get_help())
        context.exit()


class _Helped:
    """A command whose help is written as everything else is."""

    def get_help_option(self, ctx: Any) -> Any:
        option = super().get_help_option(ctx)  # type: ignore[misc]  # what it is mixed into has one
        if option is not None:
            option.callback = _show_help
        return option


class Command(_Helped, TyperCommand):
    """A command that takes the shared options too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["params"] = [*_in_digits(kwargs.get("params") or ()), *_SHARED_OPTIONS]
        super().__init__(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        _take_shared(ctx)
        return super().invoke(ctx)


class LazyGroup(_Helped, TyperGroup):
    """A group that imports a command's module when, and only when, that command is called."""

    entries: ClassVar[dict[str, Entry]] = {}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        kwargs["params"] = [*_in_digits(kwargs.get("params") or ()), *_SHARED_OPTIONS]
        super().__init__(*args, **kwargs)
        # What a mistyped name is compared with.
        self.commands = dict.fromkeys(self.entries)  # type: ignore[assignment]  # loaded one by one, when called

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.entries)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        entry = self.entries.get(cmd_name)
        if entry is None:
            return None
        command = get_command(import_module(entry.module).app)
        command.name = cmd_name
        return command

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, entry.summary) for name, entry in self.entries.items()])

    def invoke(self, ctx: Any) -> Any:
        _take_shared(ctx)
        return super().invoke(ctx)


def app_of(function: Callable[..., Any]) -> typer.Typer:
    """The app of a module that holds a single command."""
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(cls=Command)(function)
    return app


def group_of(group: type[LazyGroup], summary: Callable[[], None]) -> typer.Typer:
    """The app of a module that holds a group; `summary`'s docstring is the group's help."""
    app = typer.Typer(
        cls=group,
        add_completion=False,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        no_args_is_help=True,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(summary)
    return app

"""What a command is handed: the options it was called with, its output, and, once it asks, the brain."""

from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from brainctl.cli.environment import Environment
from brainctl.cli.output import FORMATS, Format, Output
from brainctl.cli.tree import Shared
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from brainctl.contract.brain import Brain
    from brainctl.profiles.access import Access
    from brainctl.profiles.book import Book
    from brainctl.profiles.entries import Profile

RETRIES_DEFAULT: Final = 3
TIMEOUT_DEFAULT: Final = 30.0


class Interruption(NamedTuple):
    """What to tell where a command is interrupted now: how to go on, and the details a program would read."""

    sentence: str
    details: dict[str, str] | None


class Session:
    """One command line being run. Everything is made on first use, so that a command pays for what it needs."""

    def __init__(self, environment: Environment) -> None:
        self.environment = environment
        self.shared = Shared()
        self.if_interrupted: Interruption | None = None
        self.wait_seconds: float | None = None
        """How long the command waits for an answer; None is to the end."""
        self._output: Output | None = None
        self._access: Access | None = None
        self._brain: Brain | None = None
        self._warned: dict[str, object] = {}

    @classmethod
    def of(cls, context: Any) -> "Session":
        """The session of a Typer context."""
        return cast("Session", context.obj)

    # Output

    def default_format(self) -> Format:
        """The form where no option names one: BRAINCTL_OUTPUT, else human."""
        named = self.environment.environ.get("BRAINCTL_OUTPUT") or "human"
        return cast("Format", named) if named in FORMATS else "human"

    @property
    def output(self) -> Output:
        """The writer as the options want it; made anew should they change."""
        shared = self.shared
        form = cast("Format", shared.output or self.default_format())
        output = self._output
        if output is None or output.form != form:
            output = self._output = Output(self.environment, form)
        output.colour = shared.color or "auto"
        output.quiet = bool(shared.quiet)
        output.verbose = bool(shared.verbose)
        return output

    def checked_output(self) -> Output:
        """The writer, after refusing a BRAINCTL_OUTPUT that names no form."""
        named = self.environment.environ.get("BRAINCTL_OUTPUT")
        if named and named not in FORMATS:
            raise BrainError("usage", f"BRAINCTL_OUTPUT is one of {', '.join(FORMATS)}; got {named!r}.")
        return self.output

    def warn_once(self, message: str) -> None:
        """Warn, unless this command or a twin of it has said the same before."""
        mine = object()
        # One step, so that of two threads only one says it.
        if self._warned.setdefault(message, mine) is mine:
            self.output.warn(message)

    def show_help(self, text: str) -> None:
        """Help is a result; where standard output is closed it is still told."""
        if self.environment.stdout is None:
            self.output.prompt(f"{text}\n")
        else:
            self.output.text(text)

    # Keys and brains

    @property
    def environ(self) -> "Mapping[str, str]":
        return self.environment.environ

    @property
    def state(self) -> str:
        """The folder for what is remembered between runs; it need not exist."""
        from brainctl.profiles.paths import places

        return places(self.environ).state

    @property
    def access(self) -> "Access":
        """The key in use and the brain it opens. Raises `no_key` where there is none."""
        if self._access is None:
            from brainctl.profiles.access import choose

            self._access = choose(
                self.environ, profile=self.shared.profile, environment=self.shared.environment
            )
        return self._access

    @property
    def address(self) -> str:
        """Where the brain of the key in use is: a URL, or a store."""
        return self.access.base_url or self.access.store or ""

    @property
    def key_name(self) -> str | None:
        """The name of the key in use, where one was found and its name is known."""
        profile = self._access.profile if self._access else None
        return profile.key_name if profile else None

    @property
    def brain(self) -> "Brain":
        """The brain that the chosen key opens."""
        if self._brain is None:
            from brainctl.cli.connect import connect

            self._brain = connect(self)
        return self._brain

    def profile_named(self, name: str | None, book: "Book") -> "Profile":
        """The profile of a command's argument, else the one that --profile, --env or what is current names."""
        environment = self.shared.environment
        wanted = name or self.shared.profile
        if wanted is not None:
            return book.find(wanted, environment)
        chosen = book.environment(environment or self.environ.get("BRAINCTL_ENV") or book.current_environment)
        if chosen.current is None:
            raise BrainError("usage", f"The environment {chosen.name} has no current profile: name one.")
        return book.profile(chosen.name, chosen.current)

    @property
    def retries(self) -> int:
        return RETRIES_DEFAULT if self.shared.retries is None else self.shared.retries

    @property
    def timeout(self) -> float:
        return TIMEOUT_DEFAULT if self.shared.timeout is None else self.shared.timeout

    def twin(self) -> "Session":
        """The same command with the same key, and a brain of its own: for another thread."""
        other = Session(self.environment)
        other.shared = self.shared
        other.wait_seconds = self.wait_seconds
        other._output = self.output
        other._access = self.access
        other._warned = self._warned
        return other

    def close(self) -> None:
        if self._brain is not None:
            self._brain.close()

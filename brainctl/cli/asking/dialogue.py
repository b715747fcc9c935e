"""A conversation at a terminal: one question after the other, each answer typed as it comes."""

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final, cast

from brainctl.cli.asking.asking import Asking, Question
from brainctl.cli.asking.presenting import Presenter
from brainctl.cli.views import answer as view
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from brainctl.cli.session import Session
    from brainctl.contract.requests import AskRequest

PROMPT: Final = "> "
HISTORY_FILE: Final = "questions"
HISTORY_LINES: Final = 1000
HELP: Final = """\
/sources   the facts that the last answer was built from
/new       leave this conversation behind and begin another
/help      this list
Ctrl-C     leave an answer to itself; it goes on
Ctrl-D     end"""


class Dialogue:
    """One conversation with a worker; `body` is what every question is sent with."""

    def __init__(self, session: "Session", body: dict[str, Any]) -> None:
        self._session = session
        self._body = body
        self._asking = Asking(session)
        self._sources: list[dict[str, Any]] = []
        self._body.setdefault("conversation_id", _new_conversation())

    def run(self, first: str | None = None) -> None:
        """Ask `first`, if there is one, then whatever is typed, until the input ends."""
        output = self._session.output
        output.note("Ask away; /help lists what else there is, Ctrl-D ends.")
        if first is not None:
            self._ask(first)
        with _remembered(self._session):
            for line in self._lines():
                match line.strip():
                    case "":
                        continue
                    case "/help":
                        output.text(HELP)
                    case "/new":
                        self._body["conversation_id"] = _new_conversation()
                        self._sources = []
                        output.note("A new conversation.")
                    case "/sources":
                        self._show_sources()
                    case command if command.startswith("/") and " " not in command:
                        output.note(f"There is no {command}; /help lists what there is.")
                    case question:
                        self._ask(question)

    def _lines(self) -> Iterator[str]:
        while True:
            try:
                yield input(PROMPT)
            except EOFError:
                self._session.output.text("")
                return
            except KeyboardInterrupt:
                self._session.output.text("\n")
            except UnicodeDecodeError:
                self._session.output.note("What was typed is not UTF-8, and was not sent.")

    def _ask(self, question: str) -> None:
        session = self._session
        request = cast("AskRequest", {"input": question, **self._body, "include": ["sources"]})
        try:
            answer = Presenter(session.output).stream(self._asking, Question(request), with_sources=False)
            self._sources = view.sources_of(answer)
        except BrainError as error:
            session.output.error(error, key_name=session.key_name)
        except KeyboardInterrupt:
            if session.if_interrupted is not None:
                session.output.note(f"{session.if_interrupted.sentence}.")
        session.if_interrupted = None

    def _show_sources(self) -> None:
        output = self._session.output
        if self._sources:
            output.show(view.sources(self._sources, output.environment.columns()))
        else:
            output.note("The last answer has no sources.")


def _new_conversation() -> str:
    return f"brainctl-{os.urandom(8).hex()}"


@contextlib.contextmanager
def _remembered(session: "Session") -> Iterator[None]:
    """Line editing, and the questions of earlier days with it, where this Python has them."""
    try:
        import readline
    except ImportError:
        yield
        return
    from brainctl.profiles.files import make_folders
    from brainctl.profiles.no_home import NoHomeError

    if not session.environment.is_dumb:
        # Several lines pasted are one question, sent with Enter, and not one each.
        readline.parse_and_bind("set enable-bracketed-paste on")
    try:
        path = os.path.join(session.state, HISTORY_FILE)
    except NoHomeError:
        yield
        return
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(HISTORY_LINES)
    try:
        yield
    finally:
        # A machine that cannot keep them still had its answers.
        with contextlib.suppress(OSError):
            for place in range(readline.get_current_history_length()):
                # The file has a line for each: half a question must not come back as a whole one.
                if "\n" in (question := readline.get_history_item(place + 1) or ""):
                    readline.replace_history_item(place, " ".join(question.split()))
            make_folders(session.state)
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
            readline.write_history_file(path)

"""Runs one command line: parses it, calls the command, and turns whatever comes of it into an exit code."""

import signal
import sys
from collections.abc import Sequence
from types import FrameType
from typing import Any, Final, cast

import typer
from typer.main import get_command

from brainctl.cli import exits
from brainctl.cli.environment import Environment
from brainctl.cli.output import Format, Output, ReaderGone, discard
from brainctl.cli.session import Session
from brainctl.contract.errors import BrainError

PATIENCE_SECONDS: Final = 0.5
"""How long a brain's threads may take to put their things away before there is talk of them."""


class Terminated(BaseException):
    """SIGTERM arrived."""


def run(arguments: Sequence[str]) -> int:
    environment = Environment.of_process()
    session = Session(environment)
    previous = signal.signal(signal.SIGTERM, _on_sigterm)
    try:
        code = _guarded(session, arguments)
    finally:
        signal.signal(signal.SIGTERM, previous)
        session.close()
    _tell_of_what_runs_on(session)
    return code


def _tell_of_what_runs_on(session: Session) -> None:
    """Where a brain on this machine is still at work for us, the process ends only when that is done."""
    workshop = sys.modules.get("brainctl.engine.answers.workshop")
    if workshop is None:
        return
    # From here on an impatient Ctrl-C ends it, without a traceback.
    previous = signal.signal(signal.SIGINT, signal.SIG_DFL)
    if workshop.is_busy(PATIENCE_SECONDS):
        session.output.note(
            "The answer is still being written in this process; Ctrl-C now leaves it unfinished."
        )
    else:
        signal.signal(signal.SIGINT, previous)


def _on_sigterm(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _guarded(session: Session, arguments: Sequence[str]) -> int:
    try:
        return _call(session, arguments)
    except BrainError as error:
        _report(session, arguments, _with_a_way_on(session, error))
        return exits.outcome_of(error).exit_code
    except ReaderGone:
        if session.environment.stdout is not None:
            discard(session.environment.stdout)
        return exits.READER_GONE
    except KeyboardInterrupt:
        # Whoever presses it again is not to wait for our last words.
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        _tell_how_to_go_on(session, arguments)
        return exits.INTERRUPTED
    except Terminated:
        _tell_how_to_go_on(session, arguments)
        return exits.TERMINATED
    except RecursionError:
        _report(
            session, arguments, BrainError("bad_response", "What came back is nested too deeply to be read.")
        )
        return exits.OUTCOMES["bad_response"].exit_code
    except Exception as error:  # noqa: BLE001 - the last boundary: a fault of ours is one sentence, not a traceback
        _report(session, arguments, _fault(session, error))
        return exits.FAULT


def _call(session: Session, arguments: Sequence[str]) -> int:
    from brainctl.cli.root import app

    for argument in arguments:
        try:
            argument.encode()
        except UnicodeEncodeError as error:
            raise BrainError("usage", "An argument is not valid UTF-8: check its encoding.") from error
    try:
        code = get_command(app).main(
            list(arguments),
            prog_name="brainctl",
            standalone_mode=False,
            obj=session,
            windows_expand_args=False,
        )
    except typer.Abort as error:
        raise KeyboardInterrupt from error
    except typer.TyperException as error:
        if isinstance(error, typer.BadParameter.__base__ or ()):
            return _usage(session, arguments, error)
        raise
    except SystemExit as error:
        # Typer's own answer to a closed pipe.
        if session.environment.stdout is not None:
            discard(session.environment.stdout)
        return exits.READER_GONE if error.code == 1 else int(error.code or 0)
    if code == exits.INTERRUPTED:
        raise KeyboardInterrupt
    return code if isinstance(code, int) else exits.DONE


def _tell_how_to_go_on(session: Session, arguments: Sequence[str]) -> None:
    session.output.progress("")
    if session.if_interrupted is not None:
        sentence, details = session.if_interrupted
        _report(
            session, arguments, BrainError("wait_interrupted", f"Interrupted. {sentence}", details=details)
        )


def _with_a_way_on(session: Session, error: BrainError) -> BrainError:
    """The error; where a result could not be written, how to get it again without paying for it again."""
    if error.code != "unwritable" or session.if_interrupted is None:
        return error
    sentence, details = session.if_interrupted
    if details is not None and "answer_id" in details:
        from brainctl.cli.asking.asking import command_to_wait

        sentence = f"`{command_to_wait(details['answer_id'])}` prints the answer"
    return BrainError(error.code, f"{error.message.rstrip('.')}. {sentence}", details=details)


def _usage(session: Session, arguments: Sequence[str], error: Any) -> int:
    message = error.format_message()
    if error.ctx and message == error.ctx.get_help():
        if _asked_format(session, arguments) == "human" and not session.shared.quiet:
            # A group called with nothing: its help is the answer, and was not asked for.
            session.output.note(message)
            return exits.USAGE
        message = "Missing command."
    if message.startswith("No such option"):
        message = f"{message.rstrip('.')}. Text that starts with a dash goes after `--`"
    command = error.ctx.command_path if error.ctx else "brainctl"
    _report(session, arguments, BrainError("usage", f"{_sentence(message)} See `{command} --help`."))
    return exits.USAGE


def _sentence(message: str) -> str:
    return message if message.endswith(("?", ".")) else f"{message}."


def _fault(session: Session, error: Exception) -> BrainError:
    if session.shared.verbose:
        import traceback

        # Frames without their locals: a local may hold a secret.
        for line in traceback.format_exception(error):
            session.output.trace(line.rstrip())
    return BrainError(
        "fault",
        f"brainctl failed unexpectedly: {type(error).__name__}. "
        "Run it again with --verbose and report what it prints.",
    )


def _report(session: Session, arguments: Sequence[str], error: BrainError) -> None:
    output = session.output
    asked = _asked_format(session, arguments)
    if output.form != asked:
        output = Output(session.environment, asked, colour=output.colour, quiet=output.quiet)
    output.progress("")
    output.error(error, key_name=session.key_name)


def _asked_format(session: Session, arguments: Sequence[str]) -> Format:
    """The output form, also where the command line could not be read to its end."""
    if session.shared.output is not None:
        return cast("Format", session.shared.output)
    for place, argument in enumerate(arguments):
        if argument == "--":
            break
        if argument == "--json":
            return "json"
        following = arguments[place + 1] if place + 1 < len(arguments) else ""
        for option in ("--output", "-o"):
            attached = "=" if option.startswith("--") else ""
            value = following if argument == option else argument.removeprefix(option + attached)
            if value in {"json", "jsonl"} and value != argument:
                return cast("Format", value)
    return session.default_format()

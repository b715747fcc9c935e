from typing import Annotated, Any, Final, cast

import typer

from brainctl.cli.asking.asking import Asking, Question
from brainctl.cli.asking.presenting import Presenter
from brainctl.cli.commands.options import Batch, EndUser, EndUserName, Resume
from brainctl.cli.reading import end_user, given_text, is_batch
from brainctl.cli.session import Session
from brainctl.cli.tree import app_of
from brainctl.contract.errors import BrainError
from brainctl.contract.requests import QUESTION, AskRequest

CONCURRENCY_MAX: Final = 32


def ask(
    context: typer.Context,
    question: Annotated[
        str | None, typer.Argument(metavar="[INPUT]", help="The question; - or a pipe reads standard input.")
    ] = None,
    conversation: Annotated[
        str | None,
        typer.Option("--conversation", "-c", metavar="ID", help="Your own thread key, to go on with one."),
    ] = None,
    agent: Annotated[
        str | None, typer.Option("--agent", metavar="SLUG", help="Which worker answers.")
    ] = None,
    sources: Annotated[
        bool | None,
        typer.Option("--sources/--no-sources", help="The facts it was built from (at a terminal: yes)."),
    ] = None,
    stream: Annotated[
        bool | None, typer.Option("--stream/--no-stream", help="Stream the answer, or queue it and poll.")
    ] = None,
    no_wait: Annotated[
        bool, typer.Option("--no-wait", help="Queue the question and print the answer's id.")
    ] = False,
    wait: Annotated[
        float | None,
        typer.Option(
            "--wait", "-w", min=0, metavar="SECONDS", help="The longest wait (60 but at a terminal; 0: none)."
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option("--idempotency-key", metavar="KEY", help="Your own retry key; queues the question."),
    ] = None,
    interactive: Annotated[
        bool, typer.Option("--interactive", "-i", help="Go on asking, in one conversation.")
    ] = False,
    end_user_id: EndUser = None,
    end_user_name: EndUserName = None,
    batch: Batch = None,
    resume: Resume = None,
    concurrency: Annotated[
        int | None,
        typer.Option(
            "--concurrency",
            min=1,
            max=CONCURRENCY_MAX,
            metavar="N",
            help="How many of a batch to ask at once (default 1); a conversation keeps its order.",
        ),
    ] = None,
) -> None:
    """Ask the worker a question. Whatever is interrupted, `brainctl wait` picks it up.

    A brain of your own answers in this process. What that has begun it finishes, also after the longest wait; with
    -w 0 the question is queued, and the next `brainctl wait` has it answered, unless a server does.

    \b
    Examples:
      brainctl ask "Can Maria move her wedding date again?" --end-user cust_419
      brainctl ask "And if it rains?" -c ticket-9931
      id=$(brainctl ask "Summarise our refund policy" --no-wait)
      brainctl ask "What do we know about Friday?" --json | jq -r .output_text
      brainctl ask -i
      brainctl ask --batch questions.jsonl --resume answers.jsonl --concurrency 4
    """
    session = Session.of(context)
    output = session.checked_output()
    common = {
        **({"conversation_id": conversation} if conversation is not None else {}),
        **({"agent_slug": agent} if agent is not None else {}),
        **end_user(end_user_id, end_user_name),
    }
    presenter = Presenter(output)
    if is_batch(batch, resume, question, "INPUT"):
        session.wait_seconds = presenter.longest_wait(wait)
        alone = interactive or bool(stream) or key is not None
        with_sources = {**common, **({"include": ["sources"]} if sources else {})}
        _ask_all(session, str(batch), resume, with_sources, concurrency, waits=not no_wait, alone=alone)
        return
    if concurrency is not None:
        raise BrainError("usage", "--concurrency goes with --batch: one question is asked by itself.")
    if interactive:
        if no_wait or wait is not None or key is not None or stream is False:
            raise BrainError(
                "usage",
                "--interactive streams each answer to its end: leave out --no-wait, --wait, --no-stream and "
                "--idempotency-key.",
            )
        if not presenter.is_watched or not session.environment.is_terminal(session.environment.stdin):
            raise BrainError("usage", "--interactive needs a terminal to read from and to show answers at.")
        from brainctl.cli.asking.dialogue import Dialogue

        # `-` is standard input, from which a conversation reads all of its questions.
        Dialogue(session, common).run(None if question == "-" else question)
        return
    body: dict[str, Any] = {"input": given_text(session, question, "INPUT"), **common}
    if presenter.is_watched if sources is None else sources:
        body["include"] = ["sources"]
    if stream and (no_wait or key is not None):
        raise BrainError(
            "usage", "--stream contradicts --no-wait and --idempotency-key, which queue the question."
        )
    seconds = presenter.longest_wait(wait)
    # Who does not wait cannot read a stream.
    streams = (
        stream if stream is not None else seconds != 0 and (presenter.is_watched or output.form == "jsonl")
    )
    session.wait_seconds = seconds
    asked = Question(cast("AskRequest", body), seconds, key)
    asking = Asking(session)
    if streams and not no_wait and key is None:
        presenter.stream(asking, asked)
    elif no_wait:
        presenter.queued(asking.enqueue(asked))
    else:
        presenter.wait(asking, str(asking.enqueue(asked)["answer_id"]), seconds, sources=asked.wants_sources)


def _ask_all(
    session: Session,
    batch: str,
    resume: str | None,
    common: dict[str, Any],
    concurrency: int | None,
    *,
    waits: bool,
    alone: bool,
) -> None:
    """Answer a batch. `alone`: an option was given that makes sense for one question alone."""
    if alone:
        raise BrainError(
            "usage",
            "--batch queues its questions, each under a key of its own: leave out --interactive, --stream and "
            "--idempotency-key.",
        )
    from brainctl.cli.batch.asking import BatchAsking
    from brainctl.cli.batch.batch import run_batch
    from brainctl.cli.batch.input import Kind

    answering = BatchAsking(session, concurrency=concurrency or 1, waits=waits, resume=resume)
    run_batch(session, Kind(QUESTION, "input"), batch, resume, common, answering)


app = app_of(ask)

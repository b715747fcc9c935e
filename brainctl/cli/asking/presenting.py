"""Puts an answer before whoever asked: typed as it comes, as events, as one document, or as its text."""

import math
import time
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any, Final, NoReturn

import typer

from brainctl.cli import exits
from brainctl.cli.asking.asking import Asking, OutOfTimeError, Question, command_to_wait, outcome
from brainctl.cli.asking.live import LiveText
from brainctl.cli.echo import echo_off
from brainctl.cli.output import Output
from brainctl.cli.views import answer as view
from brainctl.cli.waiting_line import WaitingLine
from brainctl.contract.errors import BrainError
from brainctl.contract.events import COMPLETED, DELTA, FAILED
from brainctl.contract.replies import timed_out

WAIT_DEFAULT: Final = 60.0
"""Seconds to wait where nobody watches; at a terminal the wait has no end."""

STATUSES: Final = {"queued": "Queued,", "in_progress": "Being answered,"}


class Presenter:
    """One answer's way to standard output. Each verb raises the error of an answer that failed."""

    def __init__(self, output: Output) -> None:
        self._output = output
        self._started = time.monotonic()

    @property
    def is_watched(self) -> bool:
        """Whether a person looks on."""
        return self._output.form == "human" and self._output.at_terminal

    def longest_wait(self, given: float | None) -> float | None:
        """The seconds to wait for an answer; None is to its end. Raises `usage` for what is no number of seconds."""
        if given is None:
            return None if self.is_watched else WAIT_DEFAULT
        if not math.isfinite(given):
            raise BrainError(
                "usage", "--wait is a number of seconds; leave it out at a terminal to wait to the end."
            )
        return given

    def queued(self, reply: Mapping[str, Any]) -> None:
        """The id of a question just queued."""
        self._output.result(reply, plain=lambda: str(reply["answer_id"]))

    def stream(self, asking: Asking, question: Question, *, with_sources: bool = True) -> dict[str, Any]:
        """Ask, show the answer as it comes, and return it. At a terminal its sources follow, if they are wanted."""
        try:
            if self._output.form == "jsonl":
                final = self._events(asking, question)
            elif self.is_watched and not self._output.environment.is_dumb:
                final = self._typed(asking, question)
            else:
                final = self._last(asking, question)
        except OutOfTimeError as over:
            self._out_of_time(over)
        self._settle(asking, final, with_sources=with_sources)
        return final

    def wait(self, asking: Asking, answer_id: str, seconds: float | None, *, sources: bool) -> None:
        """Wait for an answer to be finished, and show it."""
        try:
            with self._untyped(), WaitingLine(self._output, STATUSES["queued"]) as line:
                answer = asking.wait(
                    answer_id,
                    seconds,
                    sources=sources,
                    on_status=lambda status: line.say(STATUSES.get(status, "Waiting,")),
                )
        except OutOfTimeError as over:
            self._out_of_time(over)
        else:
            if self._output.form == "jsonl":
                self._output.json_line({"event": FAILED if outcome(answer) else COMPLETED, "data": answer})
            self._settle(asking, answer)

    def _events(self, asking: Asking, question: Question) -> dict[str, Any]:
        final: dict[str, Any] = {}
        for event in asking.stream(question):
            self._output.json_line({"event": event.event, "data": event.data})
            if event.event in {COMPLETED, FAILED}:
                final = _final(event.event, event.data)
        return final

    def _typed(self, asking: Asking, question: Question) -> dict[str, Any]:
        final: dict[str, Any] = {}
        live = LiveText(self._output)
        terminal = self._output.environment.stdout
        with echo_off(terminal, returned=live.forget), WaitingLine(self._output, "Thinking,") as line:
            try:
                for event in asking.stream(question):
                    if event.event == DELTA:
                        line.stop()
                        live.add(str(event.data.get("text", "")))
                    elif event.event in {COMPLETED, FAILED}:
                        final = _final(event.event, event.data)
            except BaseException:
                line.stop()
                live.leave()
                raise
        live.clear()
        return final

    def _last(self, asking: Asking, question: Question) -> dict[str, Any]:
        final: dict[str, Any] = {}
        with self._untyped(), WaitingLine(self._output, "Thinking,"):
            for event in asking.stream(question):
                if event.event in {COMPLETED, FAILED}:
                    final = _final(event.event, event.data)
        return final

    def _untyped(self) -> AbstractContextManager[None]:
        """Nothing that is typed stands in the middle of the waiting line; it is kept for whoever reads next."""
        output = self._output
        return echo_off(output.environment.stderr if output.draws_progress else None, returned=lambda: None)

    def _settle(self, asking: Asking, answer: Mapping[str, Any], *, with_sources: bool = True) -> None:
        """What stays: the document, or the text with its sources and what it took. Only then is the answer seen."""
        failure = outcome({"answer_id": asking.answer_id, **answer})
        if self._output.form == "json" and "answer_id" in answer:
            # A stream tells of a failed run no more than its error.
            self._output.document(answer)
        elif self._output.form == "human" and failure is None:
            self._show(answer, with_sources=with_sources)
        asking.seen()
        if failure is not None:
            raise failure

    def _show(self, answer: Mapping[str, Any], *, with_sources: bool) -> None:
        text = view.text_of(answer)
        if not self.is_watched:
            self._output.raw(text.encode("utf-8", "backslashreplace") + b"\n")
            return
        self._output.show(view.markdown(text))
        if with_sources and (found := view.sources_of(answer)):
            self._output.show("", view.sources(found, self._output.environment.columns()))
        self._output.show("", view.footer(answer, time.monotonic() - self._started))

    def _out_of_time(self, over: OutOfTimeError) -> NoReturn:
        result = timed_out(over.answer_id)
        if self._output.form == "jsonl":
            self._output.json_line(result)
        else:
            self._output.document(result)
        self._output.note(f"The answer goes on: `{command_to_wait(over.answer_id)}` picks it up.")
        raise typer.Exit(exits.WAIT_RAN_OUT)


def _final(event: str, data: Mapping[str, Any]) -> dict[str, Any]:
    """The last event's data as an answer."""
    return {**data} if event == COMPLETED else {"status": "failed", **data}

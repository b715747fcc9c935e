"""The one small interface that everything else is, or is a face of."""

from collections.abc import Iterator
from typing import Protocol

from brainctl.contract.events import Event
from brainctl.contract.replies import (
    AnswerReply,
    ContextReply,
    QueuedReply,
    SearchReply,
    TeachReply,
    WhoamiReply,
)
from brainctl.contract.requests import AskRequest, ContextRequest, SearchRequest, TeachRequest


class Brain(Protocol):
    """A workspace brain seen through one key.

    Each verb takes the API's own body and returns the API's own `data`. All raise `BrainError`: with the
    documents' codes where the brain refused, `unreachable` or `bad_response` where it did not get so far.
    """

    def search(self, request: SearchRequest) -> SearchReply:
        """Facts this key may see, most relevant first. Scope `memory.read`."""

    def context(self, request: ContextRequest) -> ContextReply:
        """A rendered packet and the facts it was rendered from. Scope `memory.read`."""

    def teach(self, request: TeachRequest) -> TeachReply:
        """Hand facts to the capture pipeline; harmless to repeat. Scope `memory.write`."""

    def ask(self, request: AskRequest) -> Iterator[Event]:
        """Run the worker and yield its events, `done` last. Never repeat it by yourself. Scope `answers.write`.

        A stream that breaks off raises `unreachable`; refusals raise before the first event.
        """

    def enqueue(self, request: AskRequest, idempotency_key: str | None = None) -> QueuedReply:
        """Queue the question. The same key with the same question gives the same reply. Scope `answers.write`."""

    def answer(self, answer_id: str, *, sources: bool = False) -> AnswerReply:
        """The answer as it stands now. Raises `not_found`. Scope `answers.write`."""

    def whoami(self) -> WhoamiReply:
        """This key's name, prefix, scopes, audience and rate limit. Needs no scope."""

    def close(self) -> None:
        """Let go of sockets and files."""

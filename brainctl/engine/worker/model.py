"""The worker with a model: any chat endpoint of OpenAI's form, streamed, that may look things up as it goes."""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from typing import Final as Constant

from brainctl.contract.replies import Fact, Source, Usage
from brainctl.engine.packet import plain_line, tokens_of
from brainctl.engine.words.text import terms
from brainctl.engine.worker.chat import SILENCE_SECONDS, ChatEndpoint
from brainctl.engine.worker.prompt import SEARCH_TOOL, TOOLS, messages_for
from brainctl.engine.worker.replying import Reply, ToolCall
from brainctl.engine.worker.worker import Delta, Final, Said, Task, WorkerError, source_of

ROUNDS_MOST: Constant = 5
"""How often a model may look something up for one answer; then it must answer with what it has."""
MISTAKES_MOST: Constant = 3
"""How many malformed tool calls a model is told about before its run fails."""
SPOKEN_MAX: Constant = 256 * 1024
"""The most characters a model may say for one answer."""
FOUND_DEFAULT: Constant = 8
FOUND_MOST: Constant = 20

_SHARED_TERMS: Constant = 2
_SHARED_PART: Constant = 0.3
"""A fact counts as a source where the answer has two of its words, and three in ten of them."""


class _MistakeError(Exception):
    """What is wrong with a tool call, for the model to read."""


class ModelWorker:
    """Answers with a chat model. Its key is read from the environment at each run, and shown nowhere."""

    def __init__(
        self,
        model: str,
        base_url: str,
        key_env: str | None,
        *,
        environ: Mapping[str, str] = os.environ,
        silence_seconds: float = SILENCE_SECONDS,
    ) -> None:
        self._model = model
        self._endpoint = ChatEndpoint(base_url, key_env, environ=environ, silence_seconds=silence_seconds)

    def __repr__(self) -> str:
        return f"ModelWorker({self._model!r}, {self._endpoint!r})"

    def run(self, task: Task) -> Iterator[Said]:
        with self._endpoint.opened() as ask:
            conversation = _Conversation(self._model, task)
            while True:
                reply = Reply()
                yield from conversation.say(reply.spoken(ask(conversation.request())))
                conversation.count(reply)
                if not reply.calls:
                    break
                conversation.look_up(reply)
        yield conversation.last_word(reply)


class _Conversation:
    """The messages so far, the facts that stood in them, and what it all took."""

    def __init__(self, model: str, task: Task) -> None:
        self._model = model
        self._task = task
        self._messages = messages_for(task)
        self._seen = {fact["fact_id"]: fact for fact in task.facts}
        self._usage: Usage = {"input_tokens": 0, "output_tokens": 0}
        self._rounds = self._mistakes = self._spoken = 0

    def request(self) -> dict[str, Any]:
        """The body that asks for the next reply."""
        body = {
            "model": self._model,
            "messages": self._messages,
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if self._task.search is not None:
            body["tools"] = TOOLS
            body["tool_choice"] = "auto" if self._rounds < ROUNDS_MOST else "none"
        return body

    def say(self, pieces: Iterator[str]) -> Iterator[Delta]:
        """A reply's pieces as they come; a note that was said before stands apart from them."""
        gap = "\n\n" if self._spoken else ""
        for piece in pieces:
            text, gap = gap + piece, ""
            self._spoken += len(text)
            if self._spoken > SPOKEN_MAX:
                raise WorkerError("the model does not stop talking")
            yield Delta(text)

    def count(self, reply: Reply) -> None:
        """Add what a reply took, estimated where the model's server does not say."""
        said = reply.text + "".join(call.arguments for call in reply.calls)
        estimated = {
            "prompt_tokens": tokens_of(json.dumps(self._messages, ensure_ascii=False)),
            "completion_tokens": tokens_of(said),
        }
        taken = {name: _count(reply.usage.get(name), otherwise) for name, otherwise in estimated.items()}
        self._usage["input_tokens"] += taken["prompt_tokens"]
        self._usage["output_tokens"] += taken["completion_tokens"]

    def look_up(self, reply: Reply) -> None:
        """Make the calls of a reply. A malformed one is told to the model. Raises `WorkerError` where that is no use."""
        if self._task.search is None or self._rounds == ROUNDS_MOST:
            raise WorkerError("the model called a tool where it has none")
        self._rounds += 1
        self._messages.append(
            {
                "role": "assistant",
                "content": reply.text,
                "tool_calls": [
                    {
                        "id": call.call_id,
                        "type": "function",
                        "function": {"name": call.name, "arguments": call.arguments},
                    }
                    for call in reply.calls
                ],
            }
        )
        for call in reply.calls:
            self._messages.append(
                {"role": "tool", "tool_call_id": call.call_id, "content": self._result_of(call)}
            )

    def _result_of(self, call: ToolCall) -> str:
        try:
            query, limit = _search_wanted(call)
        except _MistakeError as mistake:
            self._mistakes += 1
            if self._mistakes > MISTAKES_MOST:
                raise WorkerError(f"the model keeps calling its tool wrongly: {mistake}") from None
            return json.dumps({"error": str(mistake)})
        assert self._task.search is not None
        found = self._task.search(query, limit)
        self._seen.update((fact["fact_id"], fact) for fact in found)
        # As in the packet, so that what people wrote cannot pose as anything but a note.
        told = [{**fact, "fact_text": plain_line(fact["fact_text"])} for fact in found]
        return json.dumps({"facts": told}, ensure_ascii=False)

    def last_word(self, reply: Reply) -> Final:
        return Final(reply.text, self._usage, _sources(reply.text, list(self._seen.values())))


def _search_wanted(call: ToolCall) -> tuple[str, int]:
    """What a call asks to search for, and how many facts it wants. Raises `_MistakeError` for what is no such call."""
    if call.name != SEARCH_TOOL:
        raise _MistakeError(f"there is no such tool; the only one is {SEARCH_TOOL}")
    try:
        arguments = json.loads(call.arguments)
    except (ValueError, RecursionError):
        raise _MistakeError("the arguments are not JSON") from None
    if not isinstance(arguments, dict) or not isinstance(query := arguments.get("query"), str):
        raise _MistakeError("the arguments must be an object whose query is a string")
    limit = arguments.get("limit", FOUND_DEFAULT)
    if isinstance(limit, bool) or not isinstance(limit, int):
        raise _MistakeError("the limit must be a whole number")
    return query, min(max(limit, 1), FOUND_MOST)


def _count(value: Any, otherwise: int) -> int:
    return (
        value
        if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 1 << 40
        else otherwise
    )


def _sources(output_text: str, seen: Sequence[Fact]) -> list[Source]:
    """Of the facts that the model had before it, those that its answer speaks of."""
    spoken_of = set(terms(output_text))
    sources: list[Source] = []
    for fact in seen:
        told = set(terms(fact["fact_text"]))
        shared = len(told & spoken_of)
        if shared >= min(_SHARED_TERMS, len(told)) and shared >= _SHARED_PART * len(told) and shared:
            sources.append(source_of(fact))
    return sources

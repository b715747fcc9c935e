"""One reply of a chat model, put together from its chunks: what it says, what it calls for, and what it took."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from brainctl.engine.worker.worker import WorkerError

CALLS_MOST: Final = 16
"""How many calls one reply may make: each is a search."""
CALLED_MAX: Final = 256 * 1024
"""The most characters that they may all have together."""
_FEW: Final = 32


class ToolCall(NamedTuple):
    """A call as the model made it: `arguments` is text that ought to be a JSON object."""

    call_id: str
    name: str
    arguments: str


class _Building(NamedTuple):
    """A call, of which pieces come."""

    call_id: list[str]
    name: list[str]
    arguments: list[str]


class Reply:
    """Fills up as `spoken` is read to its end."""

    def __init__(self) -> None:
        self.text = ""
        self.usage: dict[str, Any] = {}
        self._calls: dict[int, _Building] = {}
        self._called = 0
        self._ended = False

    @property
    def calls(self) -> list[ToolCall]:
        return [
            ToolCall("".join(each.call_id) or f"call_{index}", "".join(each.name), "".join(each.arguments))
            for index, each in sorted(self._calls.items())
        ]

    def spoken(self, chunks: Iterable[list[dict[str, Any]]]) -> Iterator[str]:
        """The pieces of text as they come. Raises `WorkerError` where the chunks stop before the reply is over."""
        pieces: list[str] = []
        for together in chunks:
            taken = map(self._take, together)
            # Words that a person waits for come one by one; a flood is not worth the handing on of each.
            for piece in taken if len(together) <= _FEW else ("".join(taken),):
                if piece:
                    pieces.append(piece)
                    yield piece
        if not self._ended:
            raise WorkerError("the model's reply broke off before it was over")
        self.text = "".join(pieces)

    def _take(self, chunk: dict[str, Any]) -> str:
        if chunk.get("error"):
            raise WorkerError(f"the model's server broke off with an error: {str(chunk['error'])[:300]}")
        if isinstance(usage := chunk.get("usage"), dict):
            self.usage = usage
        choices = chunk.get("choices")
        if not choices:
            # The last chunk of many servers: usage alone.
            return ""
        try:
            choice = choices[0]
            delta = choice.get("delta") or {}
            self._ended = self._ended or choice.get("finish_reason") is not None
            for call in delta.get("tool_calls") or ():
                self._take_call(call)
            text = delta.get("content") or ""
        except (AttributeError, KeyError, IndexError, TypeError):
            raise WorkerError("the model's server sent a chunk of an unknown form") from None
        if not isinstance(text, str):
            raise WorkerError("the model's server sent a chunk whose text is no text")
        # JSON can spell half of a character, which can be neither stored nor sent on.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")

    def _take_call(self, call: dict[str, Any]) -> None:
        index = call.get("index", 0)
        if not isinstance(index, int):
            raise TypeError(index)
        building = self._calls.setdefault(index, _Building([], [], []))
        function = call.get("function") or {}
        for pieces, value in zip(
            building, (call.get("id"), function.get("name"), function.get("arguments")), strict=True
        ):
            if value is None:
                continue
            if not isinstance(value, str):
                raise TypeError(value)
            # Arguments come in pieces; ids and names come whole, on some servers more than once.
            if pieces is not building.arguments:
                pieces.clear()
            pieces.append(value)
            self._called += len(value)
        if len(self._calls) > CALLS_MOST or self._called > CALLED_MAX:
            raise WorkerError("the model called for more than any answer needs")

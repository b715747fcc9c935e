"""One reply of a chat model, put together from its chunks: what it says, what it calls for, and what it took."""

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from brainctl.engine.worker.worker import WorkerError


class ToolCall(NamedTuple):
    """A call as the model made it: `arguments` is text that ought to be a JSON object."""

    call_id: str
    name: str
    arguments: str


class Reply:
    """Fills up as `spoken` is read to its end."""

    def __init__(self) -> None:
        self.text = ""
        self.usage: dict[str, Any] = {}
        self._calls: dict[int, list[str]] = {}
        self._ended = False

    @property
    def calls(self) -> list[ToolCall]:
        return [ToolCall(call_id or f"call_{index}", *rest) for index, (call_id, *rest) in self._sorted()]

    def _sorted(self) -> Iterable[tuple[int, list[str]]]:
        return sorted(self._calls.items())

    def spoken(self, chunks: Iterable[dict[str, Any]]) -> Iterator[str]:
        """The pieces of text as they come. Raises `WorkerError` where the chunks stop before the reply is over."""
        pieces: list[str] = []
        for chunk in chunks:
            if chunk.get("error"):
                raise WorkerError(f"the model's server broke off with an error: {str(chunk['error'])[:300]}")
            if isinstance(usage := chunk.get("usage"), dict):
                self.usage = usage
            piece = self._take(chunk)
            if piece:
                pieces.append(piece)
                yield piece
        if not self._ended:
            raise WorkerError("the model's reply broke off before it was over")
        self.text = "".join(pieces)

    def _take(self, chunk: dict[str, Any]) -> str:
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
        parts = self._calls.setdefault(index, ["", "", ""])
        function = call.get("function") or {}
        for place, value in enumerate((call.get("id"), function.get("name"), function.get("arguments"))):
            if value is None:
                continue
            if not isinstance(value, str):
                raise TypeError(value)
            # Arguments come in pieces; ids and names come whole, on some servers more than once.
            parts[place] = parts[place] + value if place == len(parts) - 1 else value

"""What a worker is given for an answer: the packet its asker would get, and the conversation so far."""

from collections.abc import Callable, Sequence
from typing import Final

from brainctl.contract.bounds import TOKEN_BUDGET_DEFAULT
from brainctl.contract.replies import Fact
from brainctl.engine.disclosure import Viewer
from brainctl.engine.facts import as_reply
from brainctl.engine.freshness import freshen
from brainctl.engine.gathering import gather
from brainctl.engine.recall import rank, weights_of
from brainctl.engine.store.answers import AnswerRow, read_turns
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import Stores
from brainctl.engine.worker.worker import Exchange, Task

TURNS_MOST: Final = 20
HISTORY_CHARACTERS_MAX: Final = 16_000
"""A worker remembers the last turns of a conversation, as far back as fits: about 4,000 tokens."""


def brief(store: Store, row: AnswerRow, stores: Stores) -> Task:
    """All that the worker of an answer may know, and the stores it may search in. Its asker's sight is its own."""
    viewer = Viewer(row.workspace, row.audience, row.end_user_id)
    freshen(store, row.workspace)
    with store.view(viewer) as view:
        packet = gather(view, row.input, TOKEN_BUDGET_DEFAULT)
        weights = weights_of(view, row.input)
    return Task(
        question=row.input,
        agent_slug=row.agent_slug,
        end_user_name=row.end_user_name,
        packet=packet.rendered,
        facts=packet.facts,
        weights=weights,
        history=_history(store, row),
        # What customers touch is answered from the packet alone.
        search=_searching(stores, viewer) if viewer.is_internal else None,
    )


def _history(store: Store, row: AnswerRow) -> list[Exchange]:
    if row.conversation_id is None:
        return []
    with store.reading() as connection:
        turns = read_turns(connection, row, TURNS_MOST)
    kept: list[Exchange] = []
    room = HISTORY_CHARACTERS_MAX
    for turn in reversed(turns):
        room -= len(turn.input) + len(turn.output_text)
        if room < 0:
            break
        kept.append(Exchange(turn.input, turn.output_text))
    return kept[::-1]


def _searching(stores: Stores, viewer: Viewer) -> Callable[[str, int], Sequence[Fact]]:
    def search(query: str, limit: int) -> Sequence[Fact]:
        with stores.lent() as store, store.view(viewer) as view:
            return [as_reply(each.fact) for each in rank(view, query, limit)]

    return search

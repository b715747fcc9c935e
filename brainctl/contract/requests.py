"""The bodies a brain is sent, each declared once: as a type for the program, and as a shape that checks it."""

from typing import Any, Final, NotRequired, TypedDict

from brainctl.contract import bounds
from brainctl.contract.errors import unsent
from brainctl.contract.shapes import Array, Boolean, Choice, Integer, Record, Text, problems_of, told


class EndUser(TypedDict):
    id: str
    name: NotRequired[str]


class SearchRequest(TypedDict):
    query: str
    limit: NotRequired[int]
    end_user: NotRequired[EndUser]


class ContextRequest(TypedDict):
    query: str
    token_budget: NotRequired[int]
    end_user: NotRequired[EndUser]


class FactText(TypedDict):
    text: str


class TeachRequest(TypedDict):
    facts: list[FactText]


class AskRequest(TypedDict):
    """Without `stream`: `Brain.ask` streams and `Brain.enqueue` queues, so the verb says it."""

    input: str
    conversation_id: NotRequired[str]
    end_user: NotRequired[EndUser]
    agent_slug: NotRequired[str]
    include: NotRequired[list[str]]


END_USER: Final = Record(
    {
        "id": Text(bounds.ID_MAX, "Your own id for the person asking; compared byte for byte."),
        "name": Text(bounds.ID_MAX, "Display name. Never used to choose facts."),
    },
    required=("id",),
    description="The person asking. Adds the facts about that person to the workspace-general ones.",
)

SEARCH: Final = Record(
    {
        "query": Text(bounds.QUERY_MAX, "What to search for."),
        "limit": Integer(
            bounds.LIMIT_MIN, bounds.LIMIT_MAX, "The most facts to return.", bounds.LIMIT_DEFAULT
        ),
        "end_user": END_USER,
    },
    required=("query",),
)

CONTEXT: Final = Record(
    {
        "query": Text(bounds.QUERY_MAX, "What the packet is to help with."),
        "token_budget": Integer(
            bounds.TOKEN_BUDGET_MIN,
            bounds.TOKEN_BUDGET_MAX,
            "The most tokens the rendered packet may take.",
            bounds.TOKEN_BUDGET_DEFAULT,
        ),
        "end_user": END_USER,
    },
    required=("query",),
)

TEACH: Final = Record(
    {
        "facts": Array(
            Record({"text": Text(bounds.FACT_TEXT_MAX, "One fact, as text.")}, required=("text",)),
            1,
            bounds.FACTS_PER_CALL,
            "The facts to teach.",
        )
    },
    required=("facts",),
)

QUESTION: Final = Record(
    {
        "input": Text(bounds.INPUT_MAX, "The question."),
        "conversation_id": Text(bounds.ID_MAX, "Your own thread key. Reuse it to go on with a conversation."),
        "end_user": END_USER,
        "agent_slug": Text(bounds.ID_MAX, "Which worker answers.", bounds.AGENT_DEFAULT),
        "include": Array(Choice(("sources",)), 0, 1, "`sources` brings the facts the answer was built from."),
    },
    required=("input",),
)

ASK: Final = Record(
    {
        **QUESTION.fields,
        "stream": Boolean("False queues the question instead of streaming the answer.", True),
    },
    required=("input",),
)


def early_check(shape: Record, body: Any) -> None:
    """Refuse at the shell what any brain must refuse. Raises `validation_error`.

    Lengths are left to the brain: it may count characters another way than we do, or allow more tomorrow.
    """
    problems = [problem for problem in problems_of(shape, body) if problem.rule != "max_length"]
    if problems:
        raise unsent(*told(problems))

"""A step of a brain's database: what is looked up without going through all facts, or all answers of a conversation."""

from typing import Final

LOOKING_UP: Final = (
    # What an owner looks at: the current facts, the newest first.
    "CREATE INDEX facts_current ON facts (workspace, recorded_time, row) WHERE superseded_by IS NULL",
    # A conversation's answers that are not over, in their order: which one may run next.
    """
    CREATE INDEX answers_open ON answers (workspace, audience, conversation_id, place)
        WHERE status IN ('queued', 'in_progress')
    """,
)

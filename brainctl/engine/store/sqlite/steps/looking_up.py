"""A step of a brain's file: what is looked up without going through all answers of a conversation."""

from typing import Final

LOOKING_UP: Final = (
    # A conversation's answers that are not over, in their order: which one may run next.
    """
    CREATE INDEX answers_open ON answers (workspace, audience, conversation_id, place)
        WHERE status IN ('queued', 'in_progress')
    """,
)

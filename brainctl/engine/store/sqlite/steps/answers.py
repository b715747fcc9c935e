"""The second step of a brain's file: answers and their queue, the workers that give them, and what they cost."""

from typing import Final

ANSWERS: Final = (
    # place: the order of asking. A key's Idempotency-Key lives as long as the answer it made. Who runs an answer
    # holds a lease on it; a process that dies lets it run out.
    """
    CREATE TABLE answers (
        place INTEGER PRIMARY KEY,
        answer_id TEXT NOT NULL UNIQUE,
        workspace INTEGER NOT NULL REFERENCES workspaces,
        mode TEXT NOT NULL CHECK (mode IN ('streamed', 'queued')),
        key_id TEXT NOT NULL REFERENCES keys,
        audience TEXT NOT NULL CHECK (audience IN ('internal', 'external')),
        input TEXT NOT NULL,
        conversation_id TEXT,
        end_user_id TEXT,
        end_user_name TEXT,
        agent_slug TEXT NOT NULL,
        idempotency_key TEXT,
        status TEXT NOT NULL CHECK (status IN ('queued', 'in_progress', 'completed', 'failed')),
        output_text TEXT NOT NULL DEFAULT '',
        input_tokens INTEGER,
        output_tokens INTEGER,
        sources TEXT NOT NULL DEFAULT '[]',
        created INTEGER NOT NULL,
        started INTEGER,
        finished INTEGER,
        lease TEXT,
        lease_until INTEGER,
        CHECK ((status = 'in_progress') = (lease IS NOT NULL)),
        CHECK ((lease IS NULL) = (lease_until IS NULL)),
        CHECK ((status IN ('completed', 'failed')) = (finished IS NOT NULL))
    )
    """,
    """
    CREATE UNIQUE INDEX answers_by_idempotency_key ON answers (key_id, idempotency_key)
        WHERE idempotency_key IS NOT NULL
    """,
    "CREATE INDEX answers_waiting ON answers (workspace, place) WHERE status = 'queued'",
    "CREATE INDEX answers_running ON answers (workspace, lease_until) WHERE status = 'in_progress'",
    """
    CREATE INDEX answers_by_conversation ON answers (workspace, audience, conversation_id, place)
        WHERE conversation_id IS NOT NULL
    """,
    # The worker called main needs no row: without one it composes its answers from the facts, with no model.
    # key_env: the name of the variable that holds the model's key. The key itself is nowhere in the file.
    """
    CREATE TABLE workers (
        workspace INTEGER NOT NULL REFERENCES workspaces,
        slug TEXT NOT NULL,
        model TEXT NOT NULL,
        base_url TEXT NOT NULL,
        key_env TEXT,
        PRIMARY KEY (workspace, slug)
    ) WITHOUT ROWID
    """,
    # No row: nothing is counted.
    """
    CREATE TABLE credits (
        workspace INTEGER PRIMARY KEY REFERENCES workspaces,
        balance INTEGER NOT NULL CHECK (balance >= 0)
    )
    """,
)

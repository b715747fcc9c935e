"""Answers: rows in, rows out. In which order they may run, and what they cost, is the ledger's."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from typing import Final, NamedTuple

from brainctl.engine.store.connection import Connection, Cursor


class AnswerRow(NamedTuple):
    """An answer as it is kept. Times are milliseconds since 1970; `sources` is JSON; `lease` names the run."""

    place: int
    answer_id: str
    workspace: int
    mode: str
    key_id: str
    audience: str
    input: str
    conversation_id: str | None
    end_user_id: str | None
    end_user_name: str | None
    agent_slug: str
    idempotency_key: str | None
    status: str
    output_text: str
    input_tokens: int | None
    output_tokens: int | None
    sources: str
    created: int
    started: int | None
    finished: int | None
    lease: str | None
    lease_until: int | None


class Turn(NamedTuple):
    """A question of a conversation, and what was answered."""

    input: str
    output_text: str


_COLUMNS: Final = ", ".join(AnswerRow._fields)
_NEW: Final = ", ".join(AnswerRow._fields[1:])


def _first(cursor: Cursor) -> AnswerRow | None:
    row = cursor.fetchone()
    return AnswerRow(*row) if row else None


def write_answer(connection: Connection, row: AnswerRow) -> None:
    """Add an answer behind all others; its `place` is given here."""
    marks = ", ".join("?" * (len(row) - 1))
    connection.execute(f"INSERT INTO answers ({_NEW}) VALUES ({marks})", row[1:])


def read_answer(connection: Connection, workspace: int, answer_id: str) -> AnswerRow | None:
    return _first(
        connection.execute(
            f"SELECT {_COLUMNS} FROM answers WHERE workspace = ? AND answer_id = ?", (workspace, answer_id)
        )
    )


def read_repeated(
    connection: Connection, workspace: int, key_id: str, idempotency_key: str
) -> AnswerRow | None:
    """The answer that a key made with this Idempotency-Key."""
    return _first(
        connection.execute(
            f"SELECT {_COLUMNS} FROM answers WHERE workspace = ? AND key_id = ? AND idempotency_key = ?",
            (workspace, key_id, idempotency_key),
        )
    )


def is_busy(
    connection: Connection,
    workspace: int,
    audience: str,
    conversation_id: str,
    *,
    streams_only: bool,
) -> bool:
    """Whether anything of a conversation runs or waits; with `streams_only`, whether a stream runs in it."""
    mode = "AND mode = 'streamed'" if streams_only else ""
    row = connection.execute(
        "SELECT 1 FROM answers WHERE workspace = ? AND audience = ? AND conversation_id = ? "
        f"AND status IN ('queued', 'in_progress') {mode} LIMIT 1",
        (workspace, audience, conversation_id),
    ).fetchone()
    return row is not None


# Of one conversation the oldest comes first: what blocks it blocks those behind it too. Whoever takes an answer looks
# for earlier ones as well, since one that is being taken this moment still seems to wait. Conversations in which
# something runs are told once, and not for each of the many that may wait there.
_NEXT: Final = (
    "SELECT place FROM answers WHERE workspace = ? AND status = 'queued' AND (conversation_id IS NULL OR "
    "(audience, conversation_id) NOT IN (SELECT audience, conversation_id FROM answers "
    "WHERE workspace = ? AND status = 'in_progress' AND conversation_id IS NOT NULL) AND NOT EXISTS ("
    "SELECT 1 FROM answers AS before WHERE before.workspace = answers.workspace "
    "AND before.audience = answers.audience AND before.conversation_id = answers.conversation_id "
    "AND before.status IN ('queued', 'in_progress') AND before.place < answers.place)) "
    "ORDER BY place LIMIT 1"
)


def read_busy(connection: Connection, *, now_ms: int, last_ms: int) -> list[tuple[int, int]]:
    """The workspaces where an answer waits or a lease has run out or reaches too far, with how many queued answers each runs now."""
    return connection.execute(
        "SELECT workspace, (SELECT count(*) FROM answers WHERE answers.workspace = workspaces.workspace "
        "AND status = 'in_progress' AND mode = 'queued') AS running FROM workspaces WHERE EXISTS ("
        "SELECT 1 FROM answers WHERE answers.workspace = workspaces.workspace AND status = 'queued') OR EXISTS ("
        "SELECT 1 FROM answers WHERE answers.workspace = workspaces.workspace AND status = 'in_progress' "
        "AND (lease_until <= ? OR lease_until > ?))",
        (now_ms, last_ms),
    ).fetchall()


def is_work_waiting(connection: Connection, workspace: int, *, now_ms: int, last_ms: int) -> bool:
    """Whether an answer may run now, or one's lease has run out, or reaches beyond what any lease may."""
    row = connection.execute(_NEXT, (workspace, workspace)).fetchone()
    return row is not None or has_expired(connection, workspace, now_ms=now_ms, last_ms=last_ms)


def take_next(
    connection: Connection, workspace: int, lease: str, *, now_ms: int, until_ms: int
) -> AnswerRow | None:
    """Hold the oldest waiting answer that may run now by a lease; None where there is none."""
    return _first(
        connection.execute(
            "UPDATE answers SET status = 'in_progress', started = ?, lease = ?, lease_until = ? "
            "WHERE workspace = ? AND place = "
            f"({_NEXT} {connection.dialect.unclaimed}) RETURNING {_COLUMNS}",
            (now_ms, lease, until_ms, workspace, workspace, workspace),
        )
    )


def write_lease(connection: Connection, held: AnswerRow, until_ms: int) -> bool:
    """Hold an answer for longer; False where it is no longer held by its lease."""
    return (
        connection.execute(
            "UPDATE answers SET lease_until = ? WHERE workspace = ? AND answer_id = ? AND lease = ?",
            (until_ms, held.workspace, held.answer_id, held.lease),
        ).rowcount
        > 0
    )


def write_completed(
    connection: Connection,
    held: AnswerRow,
    *,
    output_text: str,
    input_tokens: int,
    output_tokens: int,
    sources: str,
    now_ms: int,
) -> bool:
    """End an answer well; False where it is no longer held by its lease, and nothing is changed."""
    return (
        connection.execute(
            "UPDATE answers SET status = 'completed', output_text = ?, input_tokens = ?, output_tokens = ?, "
            "sources = ?, finished = ?, lease = NULL, lease_until = NULL "
            "WHERE workspace = ? AND answer_id = ? AND lease = ?",
            (
                *(output_text, input_tokens, output_tokens, sources, now_ms),
                *(held.workspace, held.answer_id, held.lease),
            ),
        ).rowcount
        > 0
    )


_FAILED: Final = "UPDATE answers SET status = 'failed', finished = ?, lease = NULL, lease_until = NULL WHERE"


def write_failed(connection: Connection, held: AnswerRow, now_ms: int) -> None:
    connection.execute(
        f"{_FAILED} workspace = ? AND answer_id = ? AND lease = ?",
        (now_ms, held.workspace, held.answer_id, held.lease),
    )


# What another transaction is ending or holding on to this moment is left to it: two that end the same answers in
# different orders would wait for each other.
def fail_expired(connection: Connection, workspace: int, now_ms: int) -> list[str]:
    """End what runs under a lease that has run out, since whoever ran it is gone; give the ids of what was ended."""
    rows = connection.execute(
        f"{_FAILED} workspace = ? AND place IN (SELECT place FROM answers WHERE workspace = ? "
        f"AND status = 'in_progress' AND lease_until <= ? {connection.dialect.unclaimed}) RETURNING answer_id",
        (now_ms, workspace, workspace, now_ms),
    ).fetchall()
    return [answer_id for (answer_id,) in rows]


def cut_leases(connection: Connection, workspace: int, *, beyond_ms: int, until_ms: int) -> None:
    """Let leases that reach beyond a time end at another one, unless they are renewed."""
    connection.execute(
        "UPDATE answers SET lease_until = ? WHERE workspace = ? AND place IN (SELECT place FROM answers "
        f"WHERE workspace = ? AND status = 'in_progress' AND lease_until > ? {connection.dialect.unclaimed})",
        (until_ms, workspace, workspace, beyond_ms),
    )


def has_expired(connection: Connection, workspace: int, *, now_ms: int, last_ms: int) -> bool:
    """Whether a lease has run out, or reaches beyond the last time that any may."""
    row = connection.execute(
        "SELECT 1 FROM answers WHERE workspace = ? AND status = 'in_progress' "
        "AND (lease_until <= ? OR lease_until > ?) LIMIT 1",
        (workspace, now_ms, last_ms),
    ).fetchone()
    return row is not None


def read_turns(connection: Connection, of: AnswerRow, most: int) -> list[Turn]:
    """The last completed turns before this one, of the same conversation with the same person, oldest first."""
    rows = connection.execute(
        "SELECT input, output_text FROM answers WHERE workspace = ? AND audience = ? AND conversation_id = ? "
        "AND coalesce(end_user_id, '') = ? AND status = 'completed' AND place < ? ORDER BY place DESC LIMIT ?",
        (of.workspace, of.audience, of.conversation_id, of.end_user_id or "", of.place, most),
    ).fetchall()
    return [Turn(*row) for row in reversed(rows)]

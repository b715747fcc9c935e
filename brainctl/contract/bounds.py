"""The numbers of the Brain API. Lengths are Unicode code points after JSON decoding."""

from typing import Final

QUERY_MAX: Final = 2000
LIMIT_MIN: Final = 1
LIMIT_MAX: Final = 100
LIMIT_DEFAULT: Final = 20
TOKEN_BUDGET_MIN: Final = 100
TOKEN_BUDGET_MAX: Final = 20000
TOKEN_BUDGET_DEFAULT: Final = 1500
FACTS_PER_CALL: Final = 20
FACT_TEXT_MAX: Final = 4000
INPUT_MAX: Final = 8000
ID_MAX: Final = 200
"""Longest end-user id and name, conversation id, agent slug and idempotency key."""
BODY_BYTES_MAX: Final = 2 * 1024 * 1024
"""A larger request body is refused; the largest legal one, all escapes, is about 0.96 MB."""
BODY_DEPTH_MAX: Final = 32

RATE_REQUESTS: Final = 120
RATE_WINDOW_SECONDS: Final = 60

PACKET_VERSION: Final = 1
AGENT_DEFAULT: Final = "main"

WAIT_SECONDS_MAX: Final = 120
WAIT_SECONDS_DEFAULT: Final = 60

SCOPES: Final = ("memory.read", "memory.write", "answers.write")
AUDIENCES: Final = ("internal", "external")
KINDS: Final = (
    "profile_fact",
    "preference",
    "decision",
    "observation",
    "project",
    "role",
    "roster",
    "relationship",
    "incident",
    "routine",
    "channel_digest",
    "workspace_profile",
)
"""The first four are customer-facing; the documents name the rest only in prose. A kind unknown to us is internal."""
CUSTOMER_FACING_KINDS: Final = KINDS[:4]
ORIGINS: Final = ("user_stated", "ingested", "agent_inferred", "agent_action", "system")
STATED_ORIGINS: Final = ORIGINS[:2]
"""The only origins that may leave to an external key: what someone stated or imported."""

"""What a brain is expected to know, or not to show: a check and the facts it found in, a verdict out."""

import unicodedata
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from brainctl.contract.bounds import FACT_TEXT_MAX, ID_MAX, LIMIT_DEFAULT, LIMIT_MAX, LIMIT_MIN, QUERY_MAX
from brainctl.contract.errors import BrainError
from brainctl.contract.shapes import Boolean, Integer, Problem, Record, Text, problems_of

CHECK: Final = Record(
    {
        "name": Text(ID_MAX),
        "query": Text(QUERY_MAX),
        "contains": Text(FACT_TEXT_MAX),
        "fact_id": Text(ID_MAX),
        "min_facts": Integer(LIMIT_MIN, LIMIT_MAX),
        "top": Integer(LIMIT_MIN, LIMIT_MAX),
        "absent": Boolean(),
        "end_user": Text(ID_MAX),
        "profile": Text(2 * ID_MAX),
    },
    required=("query",),
)
"""A check as a file or a command line states it."""

EXPECTATIONS: Final = ("contains", "fact_id", "min_facts")


class Check(NamedTuple):
    """One expectation: exactly one of `contains`, `fact_id` and `min_facts` is set; `absent` turns it round.

    `profile` is the key to look through (None: the one in use), `line` where the check stands in its file.
    """

    name: str
    query: str
    top: int
    contains: str | None = None
    fact_id: str | None = None
    min_facts: int | None = None
    absent: bool = False
    end_user: str | None = None
    profile: str | None = None
    line: int | None = None

    @property
    def request(self) -> dict[str, Any]:
        """The search that the check makes."""
        body: dict[str, Any] = {"query": self.query, "limit": self.top}
        if self.end_user is not None:
            body["end_user"] = {"id": self.end_user}
        return body

    @property
    def expectation(self) -> str:
        """What is expected, as a phrase."""
        if self.min_facts is not None:
            if self.absent:
                return "nothing found" if self.min_facts == 1 else f"fewer than {self.min_facts} found"
            return f"at least {self.min_facts} found"
        wanted = f"“{self.contains}”" if self.contains is not None else self.fact_id
        return f"{'not ' if self.absent else ''}{wanted}"


class Verdict(NamedTuple):
    """How a check came out. `found` counts the facts looked at; `rank` is the place of the first fact that matched,
    from 1, and `fact_id` its id.
    """

    holds: bool
    found: int
    rank: int | None
    fact_id: str | None
    message: str


def problems_in(fields: Any) -> list[Problem]:
    """All that is wrong with a check as it was stated; empty where it can be made."""
    problems = problems_of(CHECK, fields)
    if not isinstance(fields, dict):
        return problems
    given = [name for name in EXPECTATIONS if name in fields]
    if len(given) != 1:
        problems.append(Problem("", f"exactly one of {', '.join(EXPECTATIONS)} is needed", "required"))
    if problems:
        return problems
    top, fewest = fields.get("top"), fields.get("min_facts")
    if top is not None and fewest is not None and fewest > top:
        problems.append(Problem("min_facts", f"must not be more than top, which is {int(top)}", "range"))
    return problems


def check_of(fields: Mapping[str, Any], line: int | None = None) -> Check:
    """The check that these fields state; `problems_in` them there must be none."""
    fewest = fields.get("min_facts")
    absent = fields.get("absent", False)
    # Only the most that a search can give says that something is not there.
    usual = LIMIT_MAX if absent else max(LIMIT_DEFAULT, int(fewest or 0))
    return Check(
        name=fields.get("name", fields["query"]),
        query=fields["query"],
        top=int(fields.get("top", usual)),
        contains=fields.get("contains"),
        fact_id=fields.get("fact_id"),
        min_facts=None if fewest is None else int(fewest),
        absent=absent,
        end_user=fields.get("end_user"),
        profile=fields.get("profile"),
        line=line,
    )


def judge(check: Check, facts: Sequence[Mapping[str, Any]]) -> Verdict:
    """Whether what a search found is as expected. Raises `bad_response` for facts that cannot be compared."""
    looked_at = facts[: check.top]
    if check.min_facts is not None:
        enough = len(looked_at) >= check.min_facts
        return Verdict(enough != check.absent, len(looked_at), None, None, _count(looked_at))
    rank = next(
        (place for place, fact in enumerate(looked_at, start=1) if _matches(check, fact)),
        None,
    )
    holds = (rank is not None) != check.absent
    if rank is None:
        return Verdict(holds, len(looked_at), None, None, _not_in(looked_at))
    fact_id = str(looked_at[rank - 1].get("fact_id"))
    return Verdict(holds, len(looked_at), rank, fact_id, f"fact {rank} of {len(looked_at)}")


def _matches(check: Check, fact: Mapping[str, Any]) -> bool:
    field = "fact_text" if check.contains is not None else "fact_id"
    value = fact.get(field)
    if not isinstance(value, str):
        # An expectation that something is absent must not hold because nothing could be read.
        raise BrainError(
            "bad_response", f"A fact in the brain's reply has no {field}: is this the Brain API?"
        )
    if check.contains is None:
        return value == check.fact_id
    return _folded(check.contains) in _folded(value)


def _folded(text: str) -> str:
    """The text without differences of case, of white space, and of how letters are put together."""
    return " ".join(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold()).split())


def _not_in(facts: Sequence[Any]) -> str:
    return f"not in {_count(facts)}" if facts else _count(facts)


def _count(facts: Sequence[Any]) -> str:
    return f"{len(facts) or 'no'} fact{'' if len(facts) == 1 else 's'}"

"""What says the same in other words, and what says the opposite in a word of its own."""

from typing import Final

from brainctl.engine.capture.lexicon import is_ordinary, listed

PHRASES: Final = (
    ("have to", "must"),
    ("has to", "must"),
    ("need to", "must"),
    ("needs to", "must"),
    ("would like", "want"),
    ("in advance", "ahead"),
    ("up front", "ahead"),
    ("takes place", "is"),
    ("take place", "are"),
    ("next to", "beside"),
    ("two times", "twice"),
    ("free of charge", "free"),
    ("incl.", "including"),
    ("e-mail", "email"),
    ("e-mails", "emails"),
    ("check-out", "checkout"),
    ("check-in", "checkin"),
    ("please note:", ""),
    ("please note that", ""),
    ("fyi,", ""),
    ("fyi:", ""),
    ("reminder:", ""),
    ("note:", ""),
    ("is allowed to", "can"),
    ("are allowed to", "can"),
    ("due date", "due"),
    ("due day", "due"),
    ("o'clock", ""),
)
"""Phrases and what stands for them, as they are in a text's normal form."""

SPELLINGS: Final = {
    "colour": "color",
    "colours": "color",
    "flavour": "flavor",
    "flavours": "flavor",
    "favourite": "favorite",
    "favours": "favor",
    "centre": "center",
    "organise": "organize",
    "organised": "organize",
    "cancelled": "canceled",
    "cancelling": "canceling",
    "grey": "gray",
    "licence": "license",
    "cheque": "check",
    "cheques": "check",
    "mail": "email",
    "mails": "email",
    "photograph": "photo",
    "photographs": "photo",
    "fridge": "refrigerator",
    "neighbour": "neighbor",
    "neighbours": "neighbor",
    "jewellery": "jewelry",
    "children": "child",
    "kids": "child",
    "kid": "child",
    "theatre": "theater",
    "catalogue": "catalog",
    "programme": "program",
    "telephone": "phone",
    "phoned": "phone",
    "called": "phone",
    "may": "can",
    "permitted": "allowed",
    "couldn't": "can",
    "wants": "want",
    "receive": "get",
    "receives": "get",
    "each": "every",
    "upfront": "ahead",
    "due": "deadline",
    "leadership": "lead",
    "leader": "lead",
}
"""Words and the word that stands for them and their like."""

_OPPOSITES: Final = {
    "forbidden": "allowed",
    "prohibited": "allowed",
    "banned": "allowed",
    "optional": "mandatory",
    "unpaid": "paid",
    "unavailable": "available",
    "inaccessible": "accessible",
    "inactive": "active",
    "invalid": "valid",
    "incomplete": "complete",
    "incorrect": "correct",
    "exclude": "include",
    "excludes": "include",
    "excluded": "included",
    "excluding": "including",
    "outdoors": "indoors",
    "outwards": "inwards",
}
_STANDING: Final = listed("is are was were stay stays stayed remain remains remained be been kept")
_STANDS_BETWEEN: Final = listed("now again also still currently always")


def denied_by(token: str, before: list[str]) -> str | None:
    """The word that a token denies by being its opposite; None where it denies none. `before` are the tokens that
    precede it: shops are closed, and doors close.
    """
    if token == "closed":  # noqa: S105 - a word of a text
        last = next((word for word in reversed(before) if word not in _STANDS_BETWEEN), "")
        return "open" if last in _STANDING else None
    if token in _OPPOSITES:
        return _OPPOSITES[token]
    bare = token.removeprefix("un")
    if bare != token and len(bare) > _SHORTEST and bare.endswith(("ed", "able")) and is_ordinary(bare):
        return bare
    return None


_SHORTEST: Final = 4

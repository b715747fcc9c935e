"""Which facts a viewer may see. Whoever reads through a key has no other door.

The rule is told thrice, and tests hold the three together: `shelf_of` when a fact is written, so that what an external
key may see stands in an index of its own with its own statistics; `sight_of` when facts are read; and
`withholding.withheld_by`, which tells the owner why a fact is kept back.
"""

from typing import TYPE_CHECKING, Final, Literal, NamedTuple

from brainctl.contract.bounds import CUSTOMER_FACING_KINDS, STATED_ORIGINS

if TYPE_CHECKING:
    from brainctl.engine.capture.claims import About

Shelf = Literal["open", "inner", "personal", "past"]
"""Where a fact stands: `open` to any key; `inner`, to internal keys only; `personal`, about somebody bound to an
id, for whoever names that id; `past`, superseded and read by nobody.
"""

SEARCHED_SHELVES: Final[tuple[Shelf, ...]] = ("open", "inner")
"""The shelves that have a full-text index. A person's own facts are few, and ranked without one."""


class Viewer(NamedTuple):
    """Who is asking. `end_user_id` is compared byte for byte; a name never chooses facts."""

    workspace: int
    audience: str
    end_user_id: str | None = None

    @property
    def is_internal(self) -> bool:
        return self.audience == "internal"


class Sight(NamedTuple):
    """The part of the store a viewer may see, as SQL: conditions on the columns of `facts`, and their parameters.

    `general` leaves out every fact about somebody bound to an id; `personal` is those of the named person alone,
    and None where nobody is named.
    """

    shelves: tuple[Shelf, ...]
    general: str
    general_parameters: tuple[str | int, ...]
    personal: str | None
    personal_parameters: tuple[str | int, ...]


def shelf_of(*, kind: str, origin: str, about: "About", person_id: str | None, outside: bool) -> Shelf:
    """Where a current fact stands. `outside` says that an external key taught it.

    What comes in through a key that customers can touch is not shown to other customers: nobody of the workspace
    has said it. It waits on the inner shelf until an internal key says the same. What it says of a person who is bound
    to an id is shown where that person is named: so an agent remembers its customers from one talk to the next.
    """
    if person_id is not None:
        return "personal"
    if about == "general" and not outside and kind in CUSTOMER_FACING_KINDS and origin in STATED_ORIGINS:
        return "open"
    return "inner"


def _any_of(column: str, values: tuple[str, ...]) -> str:
    return f"{column} IN ({', '.join('?' * len(values))})"


_CUSTOMER_FACING: Final = (
    f"{_any_of('facts.kind', CUSTOMER_FACING_KINDS)} AND {_any_of('facts.origin', STATED_ORIGINS)}"
)
_CUSTOMER_FACING_VALUES: Final = (*CUSTOMER_FACING_KINDS, *STATED_ORIGINS)
_CURRENT: Final = "facts.workspace = ? AND facts.superseded_by IS NULL"


def sight_of(viewer: Viewer) -> Sight:
    """A viewer's part of the store, decided before anything is ranked, counted or cut."""
    personal = f"{_CURRENT} AND facts.about = 'person' AND facts.person_id = ?"
    named: tuple[str | int, ...] = (viewer.workspace, viewer.end_user_id or "")
    general = f"{_CURRENT} AND facts.person_id IS NULL"
    everyone: tuple[str | int, ...] = (viewer.workspace,)
    if viewer.is_internal:
        shelves: tuple[Shelf, ...] = SEARCHED_SHELVES
    else:
        shelves = ("open",)
        general = f"{general} AND facts.about = 'general' AND facts.outside = 0 AND {_CUSTOMER_FACING}"
        everyone += _CUSTOMER_FACING_VALUES
        personal = f"{personal} AND {_CUSTOMER_FACING}"
        named += _CUSTOMER_FACING_VALUES
    if viewer.end_user_id is None:
        return Sight(shelves, general, everyone, None, ())
    return Sight(shelves, general, everyone, personal, named)

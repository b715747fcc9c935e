"""Facts and people written to the store. A fact, its place in the indexes and the totals change together."""

# ruff: noqa: S608 - the SQL is put together from words of this program; values travel as parameters

from collections.abc import Iterable, Sequence
from typing import Any, Final, NamedTuple

from brainctl.engine.attribution import Attribution, Directory
from brainctl.engine.capture.claims import About, KnownFact
from brainctl.engine.digest import sha256
from brainctl.engine.disclosure import SEARCHED_SHELVES, Shelf, shelf_of
from brainctl.engine.store.connection import Connection
from brainctl.engine.store.decisions import Decision, write_decision
from brainctl.engine.words.text import STOP_WORDS, fold, terms, words

KNOWN_MOST: Final = 200
"""How many facts of one subject a claim is compared with, the newest first."""


class NewFact(NamedTuple):
    """A fact to be written. `judged` is whom it seems to be about with nobody known; `stated` says that the
    subject was given with it; `taught_by` is the id of the key, None for the owner; `outside`, that the key is
    an external one.
    """

    fact_id: str
    text: str
    kind: str
    origin: str
    subject: str | None
    stated: bool
    judged: About
    confidence: float
    recorded_time: int
    normal: str
    pinned: bool = False
    taught_by: str | None = None
    outside: bool = False


_ROWS_READ: Final = 200
"""About how many places in the index the rare words of a taught text may have together."""
_ALIKE_MOST: Final = 5
"""How many facts a shelf that are worded alike a claim is compared with."""
_AT_A_TIME: Final = 500
_NAMES_MOST: Final = 100
"""With more names than these, every fact is looked at: a condition for each would cost more."""


def _holding(names: Sequence[str]) -> tuple[str, list[str]]:
    """The SQL condition of the facts that may hold one of the names, and its parameters."""
    if len(names) > _NAMES_MOST:
        return "TRUE", []
    conditions: list[str] = []
    parameters: list[str] = []
    for name in names:
        # What holds the name holds its words, and so is found by their terms, unless those are not kept.
        kept = [word for word in words(name) if word.isascii() and word not in STOP_WORDS]
        # Terms hold letters and digits only, so none of them is a pattern.
        conditions.append("' ' || terms || ' ' LIKE ?" if kept else "TRUE")
        parameters += [f"% {terms(kept[0])[0]} %"] if kept else []
    return " OR ".join(conditions) or "FALSE", parameters


def _digest(normal: str) -> bytes:
    return sha256(normal.encode())[:16]


class Writing:
    """One workspace inside a write transaction."""

    def __init__(self, connection: Connection, workspace: int) -> None:
        self._connection = connection
        self._workspace = workspace
        self._directory: Directory | None = None

    # People

    def directory(self) -> Directory:
        """Who is known, as of now."""
        if self._directory is None:
            people = self._connection.execute(
                "SELECT person_id, name_key FROM people WHERE workspace = ?", (self._workspace,)
            )
            members = self._connection.execute(
                "SELECT name_key FROM members WHERE workspace = ?", (self._workspace,)
            )
            self._directory = Directory(people.fetchall(), (name for (name,) in members))
        return self._directory

    def put_person(self, person_id: str, name: str) -> None:
        """Bind an id to a name, or to another name."""
        self.put_people([(person_id, name)])

    def put_people(self, people: Iterable[tuple[str, str]]) -> None:
        """Bind ids to names; the facts are looked at once for all of them."""
        changed: list[str] = []
        for person_id, name in people:
            was = self._connection.execute(
                "SELECT name FROM people WHERE workspace = ? AND person_id = ?", (self._workspace, person_id)
            ).fetchone()
            self._connection.execute(
                "INSERT INTO people (workspace, person_id, name, name_key) VALUES (?, ?, ?, ?) "
                "ON CONFLICT (workspace, person_id) DO UPDATE SET name = excluded.name, name_key = excluded.name_key",
                (self._workspace, person_id, name, fold(name)),
            )
            changed += (person_id, name, *(was or ()))
        self._attribute_again(changed)

    def drop_person(self, person_id: str) -> bool:
        """Forget the binding; False where there was none. The facts stay, and are about nobody known."""
        was = self._connection.execute(
            "DELETE FROM people WHERE workspace = ? AND person_id = ? RETURNING name",
            (self._workspace, person_id),
        ).fetchall()
        if was:
            self._attribute_again((person_id, was[0][0]))
        return bool(was)

    def put_member(self, name: str) -> None:
        self.put_members([name])

    def put_members(self, names: Iterable[str]) -> None:
        """Name colleagues; the facts are looked at once for all of them."""
        changed: list[str] = []
        for name in names:
            self._connection.execute(
                "INSERT INTO members (workspace, name_key, name) VALUES (?, ?, ?) "
                "ON CONFLICT (workspace, name_key) DO UPDATE SET name = excluded.name",
                (self._workspace, fold(name), name),
            )
            changed += (name, *self._ids_named(name))
        self._attribute_again(changed)

    def drop_member(self, name: str) -> bool:
        was = self._connection.execute(
            "DELETE FROM members WHERE workspace = ? AND name_key = ? RETURNING name",
            (self._workspace, fold(name)),
        ).fetchall()
        if was:
            self._attribute_again((name, *self._ids_named(name)))
        return bool(was)

    def _ids_named(self, name: str) -> list[str]:
        rows = self._connection.execute(
            "SELECT person_id FROM people WHERE workspace = ? AND name_key = ?", (self._workspace, fold(name))
        )
        return [person_id for (person_id,) in rows]

    def _attribute_again(self, changed: Sequence[str]) -> None:
        """Decide anew whom the facts are about that hold one of the names or ids."""
        self._directory = None
        directory = self.directory()
        condition, parameters = _holding(changed)
        last = 0
        # A few at a time: a common name may stand in very many facts.
        while rows := self._connection.execute(
            "SELECT row, text, kind, origin, subject, stated, judged, about, person_id, outside, shelf, terms "
            f"FROM facts WHERE row > ? AND workspace = ? AND superseded_by IS NULL AND ({condition}) "
            f"ORDER BY row LIMIT {_AT_A_TIME}",
            (last, self._workspace, *parameters),
        ).fetchall():
            for row in rows:
                self._attribute(directory, *row)
            last = rows[-1][0]

    def _attribute(
        self,
        directory: Directory,
        row: int,
        text: str,
        kind: str,
        origin: str,
        subject: str | None,
        stated: int,
        judged: About,
        about: About,
        person_id: str | None,
        outside: int,
        shelf: Shelf,
        found_by: str,
    ) -> None:
        new = directory.attribute(subject, None if stated else text, judged)
        if new != Attribution(about, person_id):
            to = shelf_of(
                kind=kind, origin=origin, about=new.about, person_id=new.person_id, outside=bool(outside)
            )
            self._connection.execute(
                "UPDATE facts SET about = ?, person_id = ?, shelf = ? WHERE workspace = ? AND row = ?",
                (*new, to, self._workspace, row),
            )
            self._move(row, found_by, shelf, to)

    # Facts

    def add(self, fact: NewFact, superseded_by: str | None = None) -> None:
        """Write a fact; one that was superseded before it came here is read by nobody."""
        about, person_id = self.directory().attribute(
            fact.subject, None if fact.stated else fact.text, fact.judged
        )
        shelf = shelf_of(
            kind=fact.kind, origin=fact.origin, about=about, person_id=person_id, outside=fact.outside
        )
        if superseded_by is not None:
            shelf, person_id = "past", None
        found_by = " ".join(terms(fact.subject or "") + terms(fact.text))
        values: dict[str, Any] = {
            **fact._asdict(),
            "workspace": self._workspace,
            "subject_key": fold(fact.subject or ""),
            "about": about,
            "person_id": person_id,
            "shelf": shelf,
            "terms": found_by,
            "normal_digest": _digest(fact.normal),
            "superseded_by": superseded_by,
        }
        row = self._connection.dialect.add_fact(self._connection, values)
        self._move(row, found_by, None, shelf)

    def _move(self, row: int, found_by: str, source: Shelf | None, target: Shelf) -> None:
        self._connection.dialect.move(self._connection, self._workspace, row, found_by, source, target)

    def supersede(self, fact_id: str, by: str) -> None:
        """Take a fact out of every read; it stays in the store, and says what replaced it."""
        row, shelf, found_by = self._connection.execute(
            "SELECT row, shelf, terms FROM facts WHERE workspace = ? AND fact_id = ?",
            (self._workspace, fact_id),
        ).fetchone()
        self._connection.execute(
            "UPDATE facts SET superseded_by = ?, shelf = 'past', person_id = NULL WHERE workspace = ? AND row = ?",
            (by, self._workspace, row),
        )
        self._move(row, found_by, shelf, "past")

    def successor_of(self, fact_id: str) -> str | None:
        """The id of the fact that superseded this one, empty for a current one; None where there is no such fact."""
        found = self._connection.execute(
            "SELECT coalesce(superseded_by, '') FROM facts WHERE workspace = ? AND fact_id = ?",
            (self._workspace, fact_id),
        ).fetchone()
        return None if found is None else str(found[0])

    def restore(self, fact_id: str) -> str | None:
        """Let a superseded fact be current again, and supersede what took its place; the reply is that one's id.

        What lies between the two stays as it is.
        """
        now = self._connection.execute(
            "WITH RECURSIVE later (fact_id, superseded_by) AS ("
            "SELECT fact_id, superseded_by FROM facts WHERE workspace = ? AND fact_id = ? UNION "
            "SELECT facts.fact_id, facts.superseded_by FROM later JOIN facts ON facts.fact_id = later.superseded_by "
            "WHERE facts.workspace = ?"
            ") SELECT fact_id FROM later WHERE superseded_by IS NULL",
            (self._workspace, fact_id, self._workspace),
        ).fetchone()
        row, text, kind, origin, subject, stated, judged, outside, found_by = self._connection.execute(
            "SELECT row, text, kind, origin, subject, stated, judged, outside, terms FROM facts "
            "WHERE workspace = ? AND fact_id = ?",
            (self._workspace, fact_id),
        ).fetchone()
        about, person_id = self.directory().attribute(subject, None if stated else text, judged)
        to = shelf_of(kind=kind, origin=origin, about=about, person_id=person_id, outside=bool(outside))
        self._connection.execute(
            "UPDATE facts SET superseded_by = NULL, about = ?, person_id = ?, shelf = ? "
            "WHERE workspace = ? AND row = ?",
            (about, person_id, to, self._workspace, row),
        )
        self._move(row, found_by, "past", to)
        if now is None:
            return None
        self.supersede(now[0], by=fact_id)
        return str(now[0])

    def decide(self, decision: Decision) -> None:
        """Keep what was decided of a text, for whoever asks why."""
        write_decision(self._connection, self._workspace, decision)

    def is_pinned(self, fact_id: str) -> bool:
        (pinned,) = self._connection.execute(
            "SELECT pinned FROM facts WHERE workspace = ? AND fact_id = ?", (self._workspace, fact_id)
        ).fetchone()
        return bool(pinned)

    # What a claim is compared with

    def known_inside(self, normal: str, subject: str, text: str) -> list[KnownFact]:
        """Current facts that the workspace itself said: those of the subject, and a few that are worded alike.

        An update may call its subject otherwise: "the report deadline" for "the report".
        """
        return self._known("superseded_by IS NULL AND outside = 0", (), normal, subject, self._alike(text))

    def known_outside(self, normal: str, subject: str) -> list[KnownFact]:
        """Current facts that external keys brought in."""
        return self._known("superseded_by IS NULL AND outside = 1", (), normal, subject)

    def known_open(self, normal: str, subject: str) -> list[KnownFact]:
        """Current facts that any key may see with nobody named."""
        return self._known("shelf = 'open'", (), normal, subject)

    def known_taught_by(self, key_id: str, normal: str, subject: str) -> list[KnownFact]:
        """What a key itself taught and did not itself replace.

        Whether others have replaced it since makes no difference: the counters of a key that may not see the
        others' facts must not tell of them.
        """
        standing = (
            "taught_by = ? AND (superseded_by IS NULL OR NOT EXISTS (SELECT 1 FROM facts AS newer "
            "WHERE newer.workspace = facts.workspace AND newer.fact_id = facts.superseded_by AND newer.taught_by = facts.taught_by))"
        )
        return self._known(standing, (key_id,), normal, subject)

    def _alike(self, text: str) -> list[int]:
        """The rows of the few searched facts that share most with a text, by its rare words."""
        dialect = self._connection.dialect
        found = dialect.frequencies(self._connection, self._workspace, SEARCHED_SHELVES, set(terms(text)))
        rows = 0
        rare: list[str] = []
        for term in sorted(filter(found.get, found), key=lambda term: (found[term], term)):
            rows += found[term]
            if rows > _ROWS_READ:
                break
            rare.append(term)
        alike: list[int] = []
        for shelf in SEARCHED_SHELVES if rare else ():
            best = dialect.matching(self._workspace, shelf, rare, _ALIKE_MOST)
            alike += (row for (row,) in self._connection.execute(best.sql, best.parameters))
        return alike

    def _known(
        self,
        condition: str,
        parameters: Sequence[str],
        normal: str,
        subject: str,
        alike: Sequence[int] = (),
    ) -> list[KnownFact]:
        columns = "SELECT row, fact_id, text, normal, kind, coalesce(subject, '') AS subject, recorded_time FROM facts"
        also = (
            f"UNION {columns} {self._connection.dialect.by_row} WHERE workspace = ? AND row IN ({', '.join('?' * len(alike))}) AND {condition} "
            if alike
            else ""
        )
        rows = self._connection.execute(
            f"SELECT * FROM ({columns} WHERE workspace = ? AND normal_digest = ? AND {condition}) AS same UNION "
            f"SELECT * FROM ({columns} WHERE workspace = ? AND subject_key = ? AND {condition} "
            f"ORDER BY recorded_time DESC, row DESC LIMIT {KNOWN_MOST}) AS newest {also}"
            "ORDER BY recorded_time DESC, row DESC",
            (
                *(self._workspace, _digest(normal), *parameters),
                *(self._workspace, fold(subject), *parameters),
                *((self._workspace, *alike, *parameters) if alike else ()),
            ),
        )
        return [
            KnownFact(fact_id, text, known_normal, kind, known_subject, recorded_time)
            for _row, fact_id, text, known_normal, kind, known_subject, recorded_time in rows
        ]

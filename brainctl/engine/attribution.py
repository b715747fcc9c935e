"""Whom a fact is about, given the people a brain knows: customers bound to ids, and colleagues."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from brainctl.engine.capture.claims import About, Names
from brainctl.engine.words.text import STOP_WORDS, fold, words


class Attribution(NamedTuple):
    """`person_id` is None unless the fact is about exactly one person bound to an id."""

    about: About
    person_id: str | None


class Directory:
    """The people and members of one workspace, as a fact's subject and text are compared with them.

    A colleague's name wins over a customer's: facts about the team stay in. A name that two ids share belongs to
    neither of them.
    """

    def __init__(self, people: Iterable[tuple[str, str]], members: Iterable[str]) -> None:
        """`people` are pairs of id and folded name; `members` are folded names."""
        self._members = frozenset(members)
        self._ids_by_name: dict[str, set[str]] = {}
        self._name_of: dict[str, str] = {}
        for person_id, name in people:
            self._ids_by_name.setdefault(name, set()).add(person_id)
            self._name_of[person_id] = name
        known = [*self._ids_by_name, *self._members]
        self._longest = max((name.count(" ") + 1 for name in known), default=0)
        self._unspaced = [name for name in known if not name.isascii() and " " not in name]

    @property
    def names(self) -> Names:
        return Names(people=self._ids_by_name.keys(), members=self._members)

    def attribute(self, subject: str | None, text: str | None, judged: About) -> Attribution:
        """Whom a fact is about, where `judged` is what it seemed to be about with nobody known.

        `text` is read for names too, unless the subject was stated by whoever brought the fact: then it is None.
        """
        named = set(self._mentioned(text)) if text is not None else set()
        ids = set(self._ids_mentioned(text)) if text is not None else set()
        if subject is not None:
            named.add(fold(subject))
            if subject in self._name_of:
                ids.add(subject)
        ids.update(*(self._ids_by_name.get(name, ()) for name in named))
        named.update(self._name_of[person_id] for person_id in ids)
        if named & self._members:
            return Attribution("team", None)
        if judged == "worker" or not ids:
            # Colleagues may leave: what was about one of them does not become public by that.
            return Attribution("person" if judged == "team" else judged, None)
        return Attribution("person", ids.pop() if len(ids) == 1 else None)

    def _mentioned(self, text: str) -> Iterator[str]:
        """The known names in a text, as whole words. One that is a common word, as Will is, counts with a capital."""
        found = words(text)
        for length in range(1, self._longest + 1):
            for place in range(len(found) - length + 1):
                name = " ".join(found[place : place + length])
                known = name in self._ids_by_name or name in self._members
                if known and (name not in STOP_WORDS or name.capitalize() in text):
                    yield name
        if self._unspaced:
            whole = "".join(found)
            yield from (name for name in self._unspaced if name in whole)

    def _ids_mentioned(self, text: str) -> Iterator[str]:
        """The known ids in a text, byte for byte, where they cannot be taken for a plain number or word."""
        for word in text.split():
            bare = word.strip(".,;:!?()[]{}<>\"'").removesuffix("'s")
            if bare in self._name_of and any(c.isdigit() for c in bare) and not bare.isdigit():
                yield bare

"""What becomes of a taught text: normalise, extract, compare. Each step can be replaced by another."""

from collections.abc import Callable, Sequence
from typing import Final

from brainctl.engine.capture.claims import Claim, KnownFact, Names, Verdict
from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.kind import Kind, kind_of
from brainctl.engine.capture.normalise import normalise
from brainctl.engine.capture.subject import Subject, subject_of

Normalise = Callable[[str], str]
"""A text in; out the form in which two tellings are equal."""
ExtractSubject = Callable[[str, Names], Subject]
"""A text as written and the names known; out what it is about."""
ExtractKind = Callable[[str, Subject], Kind]
"""A normal form and what it is about; out one of the kinds."""
Compare = Callable[[Claim, Sequence[KnownFact]], Verdict]

_STATED: Final = 0.9
_HEDGED: Final = 0.5
_HEDGES: Final = (
    " maybe ",
    " perhaps ",
    " probably ",
    " possibly ",
    " i think ",
    " we think ",
    " might ",
    " not sure ",
    " apparently ",
    " seems ",
    " rumour ",
    " rumor ",
)


class Pipeline:
    """The rules by which a brain captures what it is taught. No model runs, and nothing is stored here."""

    def __init__(
        self,
        normalise: Normalise = normalise,
        subject: ExtractSubject = subject_of,
        kind: ExtractKind = kind_of,
        compare: Compare = compare,
    ) -> None:
        self._normalise = normalise
        self._subject = subject
        self._kind = kind
        self._compare = compare

    def read(self, text: str, names: Names) -> Claim:
        """The claim a text makes. Any text has one."""
        normal = self._normalise(text)
        subject = self._subject(text, names)
        kind = self._kind(normal, subject)
        return Claim(
            text=text,
            normal=normal,
            kind=kind.name,
            subject=subject.phrase,
            about=subject.about,
            confidence=_confidence(normal),
            kind_rule=kind.rule,
            subject_rule=subject.rule,
        )

    def compare(self, claim: Claim, known: Sequence[KnownFact]) -> Verdict:
        """Whether the claim repeats one of the known facts, replaces one, or is new; `known` are current facts."""
        return self._compare(claim, known)


def _confidence(normal: str) -> float:
    """Lower where the text itself is unsure."""
    return _HEDGED if any(hedge in f" {normal} " for hedge in _HEDGES) else _STATED

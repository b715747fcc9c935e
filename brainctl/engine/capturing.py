"""How a brain captures: by words, by meaning too where its facts are found so, and with a model where that is wanted."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.store.capturing import read_capturing
from brainctl.engine.store.keys import KeyRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.workers import WorkerRow, read_worker
from brainctl.engine.store.writing import Writing
from brainctl.engine.teaching import Capture, known_to, names_for

if TYPE_CHECKING:
    from brainctl.engine.capture.claims import Claim, KnownFact
    from brainctl.engine.capture.model import ModelReader
    from brainctl.engine.capture.suggestion import Suggestion

NO_MODEL = "Captured by the rules: the worker {slug}, whose model should help, is not configured"


def pipeline_of(store: Store, workspace: int) -> Pipeline:
    """The rules a brain captures by. Loads the model of meanings where it is wanted and installed."""
    if store.keeps_meanings(workspace) and (by_meaning := _by_meaning()):
        return by_meaning
    return _by_words()


@cache
def _by_words() -> Pipeline:
    return Pipeline()


@cache
def _by_meaning() -> Pipeline | None:
    from brainctl.engine.semantic.likeness import likeness_if_installed

    likeness = likeness_if_installed()
    return Pipeline(compare=partial(compare, meaning=likeness)) if likeness else None


def suggestions_for(
    store: Store,
    key: KeyRow,
    capture: Capture,
    texts: Sequence[str],
    log: Callable[[str], None],
    reader: "Callable[[WorkerRow], ModelReader] | None" = None,
) -> "Mapping[str, Suggestion]":
    """What a model would do with texts, where the brain wants one to be asked: by text, those it had an answer for.

    No transaction is open while it is asked. It is shown only facts that the key's texts are compared with anyway, and
    not asked at all about what is known word for word. Whatever fails, the log is told, and the rules decide.
    """
    with store.reading() as connection:
        slug = read_capturing(connection, key.workspace)
        if slug is None:
            return {}
        worker = read_worker(connection, key.workspace, slug)
        if worker is None:
            log(NO_MODEL.format(slug=slug))
            return {}
        # Only its reads are used.
        writing = Writing(connection, key.workspace)
        names = names_for(writing, key)
        asked: list[tuple[Claim, list[KnownFact]]] = []
        for text in dict.fromkeys(texts):
            claim = capture.read(text, names)
            known = known_to(writing, key, claim)
            if all(fact.normal != claim.normal for fact in known):
                asked.append((claim, known))
    return _asked(worker, asked, log, reader)


def _asked(
    worker: WorkerRow,
    asked: "Sequence[tuple[Claim, Sequence[KnownFact]]]",
    log: Callable[[str], None],
    reader: "Callable[[WorkerRow], ModelReader] | None",
) -> "dict[str, Suggestion]":
    from brainctl.engine.capture.model import ModelReader
    from brainctl.engine.capture.suggestion import SuggestionError
    from brainctl.engine.worker.worker import WorkerError

    found: dict[str, Suggestion] = {}
    model = (reader or ModelReader)(worker)
    for place, (claim, known) in enumerate(asked):
        try:
            found[claim.text] = model.suggest(claim, known)
        except SuggestionError as error:
            log(f"Captured by the rules: what the model of {worker.slug} said cannot be used: {error}")
        except WorkerError as error:
            # It would fail for the others too, and each time after as long a wait.
            left = len(asked) - place
            log(f"Captured by the rules, {left} of {len(asked)}: the model of {worker.slug} failed: {error}")
            break
    return found

"""Which capture pipeline a brain's texts go through: by words, or by meaning too where its facts are found so."""

from functools import cache, partial

from brainctl.engine.capture.compare import compare
from brainctl.engine.capture.pipeline import Pipeline
from brainctl.engine.store.store import Store


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

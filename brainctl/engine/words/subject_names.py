"""Under which names a fact's subject is known: `Kubernetes (k8s, kube)` has three."""

from collections.abc import Sequence
from functools import lru_cache

from brainctl.engine.words.text import terms


@lru_cache(maxsize=10_000)
def names_of(subject: str) -> tuple[str, ...]:
    """The subject's name, and what stands behind it in brackets with commas between: each as its terms, with a
    blank before, between and after them.
    """
    name, _, others = subject.partition("(")
    found = [name, *others.removesuffix(")").split(",")]
    return tuple(f" {' '.join(terms(each))} " for each in found if terms(each))


def as_mentioned(asked: Sequence[str]) -> str:
    """The terms of a query in the form in which they hold the names that it mentions."""
    return f" {' '.join(asked)} "

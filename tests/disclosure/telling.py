"""The worst of workers: it says all that it was given, so that whatever reaches a worker reaches the reader."""

import json
from collections.abc import Iterator
from typing import Any

from brainctl.engine.worker.extractive import ExtractiveWorker
from brainctl.engine.worker.worker import Delta, Final, Said, Task, source_of


class Gossip:
    """Speaks every fact of its packet as it goes, and ends with the whole of its task."""

    def run(self, task: Task) -> Iterator[Said]:
        for fact in task.facts:
            yield Delta(f"{fact['fact_text']} ")
        yield everything(task)


class ThinkingAloud:
    """Speaks the very answer of a worker without a model as it goes, and ends with the whole of its task."""

    def run(self, task: Task) -> Iterator[Said]:
        for said in ExtractiveWorker().run(task):
            if isinstance(said, Delta):
                yield said
        yield everything(task)


def everything(task: Task) -> Final:
    whole: dict[str, Any] = {**task._asdict(), "search": task.search is not None}
    return Final(
        json.dumps(whole),
        {"input_tokens": len(task.packet), "output_tokens": len(task.facts)},
        [source_of(fact) for fact in task.facts],
    )

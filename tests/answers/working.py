"""A process that works off the queue of a brain, at a time that stands still: PATH SECONDS RUNS.

Each run is noted in the file RUNS before its worker speaks. A question that begins with `stop` is never answered:
the process says so and hangs. When the queue is empty it says `idle` and ends.
"""

import os
import sys
from collections.abc import Iterator
from threading import Event as Flag

from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Final, Said, Task, Worker


class NotingWorker:
    def __init__(self, runs: str) -> None:
        self._runs = runs

    def run(self, task: Task) -> Iterator[Said]:
        file = os.open(self._runs, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{task.question}\n".encode())
        os.close(file)
        yield Delta("about ")
        if task.question.startswith("stop"):
            print("stopped", flush=True)
            Flag().wait()
        yield Final(f"about {task.question}", {"input_tokens": 1, "output_tokens": 1}, [])


def main() -> None:
    path, now, runs = sys.argv[1], float(sys.argv[2]), sys.argv[3]

    def hire(store: Store, row: AnswerRow) -> Worker:
        return NotingWorker(runs)

    workshop = Workshop(
        open_stores(path), 1, Means(hire, lambda message: print(message, file=sys.stderr), clock=lambda: now)
    )
    while workshop.run_next():
        pass
    print("idle", flush=True)


if __name__ == "__main__":
    main()

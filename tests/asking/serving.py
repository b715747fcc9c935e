"""A process that serves a brain over HTTP and answers what it is asked: PATH RUNS.

It prints its address. Each run is noted in the file RUNS before its worker speaks; the text of an answer is made of
its question alone, so that whoever asked knows what it has to be.
"""

import os
import sys
import threading
from collections.abc import Iterator

from brainctl.engine.answers.runs import Means, Pace
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.local_brain import brain_of
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Final, Said, Task, Worker
from tests.doors.brain_over_http import BrainOverHttp

PIECES = 24


def text_of(question: str) -> str:
    """The one right answer to a question: long enough to be cut anywhere, and full of what is easily cut wrong."""
    return "".join(f"{question} — Grüße {place} 👩‍👩‍👧\n" for place in range(PIECES))


class NotingWorker:
    def __init__(self, runs: str) -> None:
        self._runs = runs

    def run(self, task: Task) -> Iterator[Said]:
        file = os.open(self._runs, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{task.question}\n".encode())
        os.close(file)
        text = text_of(task.question)
        yield Delta("Let me look. ")
        for line in text.splitlines(keepends=True):
            yield Delta(line)
        yield Final(text, {"input_tokens": 1, "output_tokens": 1}, [])


def main() -> None:
    path, runs = sys.argv[1], sys.argv[2]

    def hire(store: Store, row: AnswerRow) -> Worker:
        return NotingWorker(runs)

    means = Means(hire, lambda message: print(message, file=sys.stderr), pace=Pace(look=0.05))
    workshop = Workshop(open_stores(path), 1, means)
    threading.Thread(target=workshop.work, args=(threading.Event(),), daemon=True).start()
    with BrainOverHttp(lambda secret: brain_of(open_store(path), secret, workshop=workshop)) as server:
        print(server.base_url, flush=True)
        # Until whoever started it has closed its end.
        sys.stdin.read()


if __name__ == "__main__":
    main()

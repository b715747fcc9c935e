"""A process that asks in the same conversations as others at the same moment: ADDRESS SECRET RUNS [unlocked].

For each line it is told, the name of a conversation, it asks with several threads at once, streamed and queued, and
says how many were taken. What is queued it runs too. In the file RUNS it notes where each run begins and ends.
With `unlocked`, transactions have nothing to themselves.
"""

import os
import sys
import time
from collections.abc import Iterator
from threading import Barrier, Thread

from brainctl.contract.errors import BrainError
from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.local_brain import LocalBrain, brain_of
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Final, Said, Task, Worker

THREADS = 3
RUN_SECONDS = 0.01


class NotingWorker:
    """Notes each run from its beginning to its end."""

    def __init__(self, runs: str, row: AnswerRow) -> None:
        self._file = runs
        self._row = row

    def run(self, task: Task) -> Iterator[Said]:
        self._note("begins")
        time.sleep(RUN_SECONDS)
        yield Delta("about ")
        self._note("ends")
        yield Final(f"about {task.question}", {"input_tokens": 1, "output_tokens": 1}, [])

    def _note(self, what: str) -> None:
        # One write to a file that is appended to: the lines of all processes stand in their order.
        file = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
        os.write(file, f"{what} {self._row.answer_id} {self._row.conversation_id}\n".encode())
        os.close(file)


def ask_together(brains: list[LocalBrain], conversation: str) -> int:
    """Ask with each brain in a thread of its own, the first one queued; how many were taken."""
    together = Barrier(len(brains))
    taken: list[int] = []

    def ask(place: int, brain: LocalBrain) -> None:
        together.wait()
        try:
            if place == 0:
                brain.enqueue({"input": "queued", "conversation_id": conversation})
            else:
                list(brain.ask({"input": "streamed", "conversation_id": conversation}))
        except BrainError as error:
            if error.code not in {"conversation_busy", "out_of_credits"}:
                raise
        else:
            taken.append(place)

    threads = [Thread(target=ask, args=each) for each in enumerate(brains)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return len(taken)


def main() -> None:
    address, secret, runs = sys.argv[1:4]
    if "unlocked" in sys.argv:
        from brainctl.engine.store.postgres.store import PostgresStore

        PostgresStore._take = lambda *_: None  # type: ignore[method-assign]  # noqa: SLF001  # that is the point

    def hire(store: Store, row: AnswerRow) -> Worker:
        return NotingWorker(runs, row)

    stores = open_stores(address)
    workshop = Workshop(stores, None, Means(hire, lambda message: print(message, file=sys.stderr)))
    brains = [
        brain_of(open_store(address, any_thread=True), secret, workshop=workshop) for _ in range(THREADS)
    ]
    print("ready", flush=True)
    for line in sys.stdin:
        taken = ask_together(brains, line.strip())
        while workshop.run_next():
            pass
        print(taken, flush=True)
    for brain in brains:
        brain.close()
    stores.close()


if __name__ == "__main__":
    main()

"""A process that works off a queue with several threads: ADDRESS RUNS THREADS.

It says `ready`, waits for a line, runs what waits until there is nothing left, and ends.
"""

import sys
from threading import Thread

from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Worker
from tests.answers.racing import NotingWorker


def main() -> None:
    address, runs, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])

    def hire(store: Store, row: AnswerRow) -> Worker:
        return NotingWorker(runs, row)

    stores = open_stores(address)
    workshop = Workshop(stores, None, Means(hire, lambda message: print(message, file=sys.stderr)))

    def work() -> None:
        while workshop.run_next():
            pass

    working = [Thread(target=work) for _ in range(threads)]
    print("ready", flush=True)
    sys.stdin.readline()
    for thread in working:
        thread.start()
    for thread in working:
        thread.join()
    stores.close()


if __name__ == "__main__":
    main()

"""A process that asks and leaves in the middle of the stream: PATH SECRET.

It prints the answer's id. Its worker goes on when a line comes in; the main thread has long ended by then.
"""

import sys
from collections.abc import Iterator

from brainctl.engine.answers.runs import Means
from brainctl.engine.answers.workshop import Workshop
from brainctl.engine.local_brain import brain_of
from brainctl.engine.store.answers import AnswerRow
from brainctl.engine.store.opening import open_store
from brainctl.engine.store.store import Store
from brainctl.engine.store.stores import open_stores
from brainctl.engine.worker.worker import Delta, Final, Said, Task, Worker


class PatientWorker:
    def run(self, task: Task) -> Iterator[Said]:
        yield Delta("first")
        sys.stdin.readline()
        yield Final("first and last", {"input_tokens": 1, "output_tokens": 1}, [])


def hire(store: Store, row: AnswerRow) -> Worker:
    return PatientWorker()


def main() -> None:
    path, secret = sys.argv[1:]
    with brain_of(
        open_store(path), secret, workshop=Workshop(open_stores(path), 1, Means(hire, print))
    ) as brain:
        events = brain.ask({"input": "what?"})
        print(next(events).data["answer_id"], flush=True)
        assert next(events).data == {"text": "first"}
    print("left", flush=True)


if __name__ == "__main__":
    main()

"""A process that queues one question from many threads at once: PATH SECRET THREADS.

It says `ready`, waits for a line, and prints the reply of each thread.
"""

import json
import sys
from threading import Thread

from brainctl.engine.local_brain import open_brain


def main() -> None:
    path, secret, threads = sys.argv[1], sys.argv[2], int(sys.argv[3])
    replies: list[str] = []

    def ask() -> None:
        with open_brain(path, secret) as brain:
            replies.append(json.dumps(brain.enqueue({"input": "once", "conversation_id": "c"}, "the key")))

    asking = [Thread(target=ask) for _ in range(threads)]
    print("ready", flush=True)
    sys.stdin.readline()
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()
    print("\n".join(replies), flush=True)


if __name__ == "__main__":
    main()

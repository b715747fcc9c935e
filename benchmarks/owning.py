"""How much memory an owner's work takes as a brain grows: import, export, backup, stats and forgetting.

    python benchmarks/owning.py                  at 10,000 and at 100,000 facts, with the installed brainctl
    python benchmarks/owning.py 100000 1000000

Each row is one command: its peak resident memory at each size, the ratio of the last to the first, and how long it
took. The facts are of 8 to 25 words, a tenth of them superseded.
"""

import json
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final, NamedTuple

BRAINCTL: Final = str(Path(sys.executable).with_name("brainctl"))
SIZES: Final = (10_000, 100_000)
_WORDS: Final = 5000


class Cost(NamedTuple):
    """Peak resident memory in MB, and seconds."""

    megabytes: float
    seconds: float


def archive(count: int) -> Iterator[str]:
    """The lines of an archive of so many facts."""
    chance = random.Random(20)
    words = [
        "".join(chance.choice(letters) for letters in ("bdfgklmnprst", "aeiou") * 3) for _ in range(_WORDS)
    ]
    weights = [1 / (place + 1) for place in range(_WORDS)]
    yield json.dumps({"type": "brain", "format": 1, "workspace": "local"})
    for place in range(count):
        fact = {
            "type": "fact",
            "fact_id": f"fact_{place:026}",
            "text": " ".join(chance.choices(words, weights, k=chance.randint(8, 25))),
            "kind": chance.choice(("decision", "observation", "project")),
            "origin": "user_stated",
            "subject": f"thing {place % 500}",
            "confidence": 0.9,
            "recorded_time": f"2026-0{place % 9 + 1}-14T09:12:{place % 60:02}.318Z",
            "judged": "general",
        }
        if place % 10 == 0 and place + 1 < count:
            fact["superseded_by"] = f"fact_{place + 1:026}"
        yield json.dumps(fact)
    yield json.dumps({"type": "end"})


def run(home: Path, *arguments: str) -> Cost:
    """Run the command in a home of its own."""
    environ = {**os.environ, "BRAINCTL_HOME": str(home), "BRAINCTL_KEYRING": "off"}
    started = time.perf_counter()
    process = os.posix_spawn(
        BRAINCTL,
        [BRAINCTL, "-q", *arguments],
        environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)],
    )
    _, status, usage = os.wait4(process, 0)
    if status:
        raise SystemExit(f"{' '.join(arguments)} failed")
    per_megabyte = 1024 * 1024 if sys.platform == "darwin" else 1024
    return Cost(usage.ru_maxrss / per_megabyte, time.perf_counter() - started)


def measure(folder: Path, count: int) -> dict[str, Cost]:
    lines = folder / "given.jsonl"
    with lines.open("w") as file:
        file.writelines(f"{line}\n" for line in archive(count))
    home = folder / "home"
    run(home, "brain", "init")
    return {
        "import": run(home, "brain", "import", str(lines)),
        "import again": run(home, "brain", "import", str(lines)),
        "export": run(home, "brain", "export", str(folder / "out.jsonl")),
        "backup": run(home, "brain", "backup", str(folder / "copy.db")),
        "stats": run(home, "brain", "stats"),
        "facts list": run(home, "brain", "facts", "list"),
        "facts forget": run(home, "brain", "facts", "forget", f"fact_{5:026}", "--yes"),
    }


def main(arguments: Sequence[str]) -> None:
    sizes = [int(each) for each in arguments] or list(SIZES)
    costs = []
    for size in sizes:
        with tempfile.TemporaryDirectory() as folder:
            costs.append(measure(Path(folder), size))
    print(f"{'':14}" + "".join(f"{size:>22,}" for size in sizes) + f"{'memory':>10}")
    for name in costs[0]:
        row = [cost[name] for cost in costs]
        cells = "".join(f"{each.megabytes:>10.1f} MB{each.seconds:>7.1f} s" for each in row)
        print(f"{name:14}{cells}{row[-1].megabytes / row[0].megabytes:>9.2f}x")


if __name__ == "__main__":
    main(sys.argv[1:])

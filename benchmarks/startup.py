"""How long a command takes from start to end, as ratios to what bare Python costs on the same machine, in one run.

    python benchmarks/startup.py                    installs this checkout into a new environment and measures that
    python benchmarks/startup.py --python .venv/bin/python     measures what is installed there

Each row runs its two sides one after the other, again and again, and its ratio is the median of the pairs' ratios:
whatever slows the machine down for a while slows both. An editable install starts slower than what users have, so
the figures that count are those of the first form.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import threading
import time
import venv
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final, NamedTuple

CHECKOUT: Final = Path(__file__).resolve().parent.parent
FACTS: Final = 10_000
QUERY: Final = "what is the refund policy for weddings"
KEY: Final = "ak_test_benchmark0000000000000000000000000"
WARM_UPS: Final = 2

HTTPX_SCRIPT: Final = """
import json, os, ssl, sys
sys.modules["httpx._main"] = None
import httpx
client = httpx.Client(verify=ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), trust_env=False)
reply = client.post(
    os.environ["BRAINCTL_BASE_URL"] + "/v1/memory/search", json={"query": sys.argv[1]},
    headers={"Authorization": "Bearer " + os.environ["ALFERA_API_KEY"]},
)
print(json.dumps(reply.raise_for_status().json()["data"]))
"""
"""The same request as cheaply as the library allows: no command line of its own, no certificates, no environment."""

FILL_SCRIPT: Final = """
import random, sys
from brainctl.engine.owner import open_owner

chance = random.Random(20)
common = ("the of and to in for is on that with as by at from are this be or an it we our not have all for any "
          "who when after before each new more than most must may can will per day week month if only also").split()
business = ("refund policy wedding weddings deposit cake order customer menu opening hours delivery table booking "
            "invoice supplier discount kitchen terrace allergy guest event garden parking music season").split()
rare = ["".join(chance.choice(pair) for pair in ("bdfgklmnprst", "aeiou") * 3) for _ in range(5000)]
weights = [1 / (place + 1) for place in range(len(rare))]

def words():
    count = chance.randint(8, 25)
    for word in chance.choices(rare, weights, k=count):
        yield chance.choices((word, chance.choice(common), chance.choice(business)), (50, 42, 8))[0]

def facts(count):
    for _ in range(count):
        yield {
            "text": " ".join(words()).capitalize() + ".", "kind": "decision", "origin": "user_stated",
            "subject": "company", "confidence": 0.9, "recorded_time": "2026-07-14T09:12:44.318Z",
        }

with open_owner(sys.argv[1]) as owner:
    owner.load_facts(facts(int(sys.argv[2])))
    print(owner.fact_count())
"""


class Row(NamedTuple):
    """Two command lines, and the ratio of the first one's time to the second one's that is aimed at."""

    name: str
    command: Sequence[str]
    against: str
    floor: Sequence[str]
    target: float


class Figures(NamedTuple):
    """The median of the pairs' ratios, and each side's median in milliseconds."""

    ratio: float
    command_ms: float
    floor_ms: float


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how fast brainctl starts.")
    parser.add_argument("-n", "--rounds", type=int, default=21, help="pairs a row (default 21)")
    parser.add_argument("--python", help="measure what is installed with this interpreter")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, loopback_server() as base_url:
        python = options.python or installed(Path(folder) / "venv")
        environ = environment(Path(folder) / "home", base_url)
        fill_brain(python, environ)
        print(f"{'command':<44} {'against':<32} {'target':>6} {'ratio':>6} {'met':>4} {'ms':>14}")
        for row in rows(python):
            figures = measured(row, options.rounds, environ)
            met = "yes" if figures.ratio <= row.target else "no"
            print(
                f"{row.name:<44} {row.against:<32} {row.target:>6.2f} {figures.ratio:>6.2f} {met:>4} "
                f"{figures.command_ms:>6.0f} /{figures.floor_ms:>5.0f}",
                flush=True,
            )
    return 0


def rows(python: str) -> list[Row]:
    brainctl = str(Path(python).parent / "brainctl")
    bare = [python, "-c", "pass"]
    return [
        Row("brainctl --version", [brainctl, "--version"], "python -c pass", bare, 1.2),
        Row(
            "brainctl __complete profiles",
            [brainctl, "__complete", "profiles", ""],
            "python -c pass",
            bare,
            2.0,
        ),
        Row("brainctl --help", [brainctl, "--help"], "import typer", [python, "-c", "import typer"], 1.3),
        Row(
            "brainctl search --json, loopback server",
            [brainctl, "search", "--json", QUERY],
            "the same in ten lines of httpx",
            [python, "-c", HTTPX_SCRIPT, QUERY],
            1.25,
        ),
        Row(
            f"brainctl search --json, own brain, {FACTS:,} facts",
            [brainctl, "-e", "local", "search", "--json", QUERY],
            "import typer, sqlite3",
            [python, "-c", "import typer, sqlite3"],
            1.5,
        ),
    ]


def measured(row: Row, rounds: int, environ: Mapping[str, str]) -> Figures:
    pairs: list[tuple[float, float]] = []
    for turn in range(WARM_UPS + rounds):
        pair = seconds_of(row.command, environ), seconds_of(row.floor, environ)
        if turn >= WARM_UPS:
            pairs.append(pair)
    return Figures(
        statistics.median(command / floor for command, floor in pairs),
        statistics.median(command for command, _ in pairs) * 1000,
        statistics.median(floor for _, floor in pairs) * 1000,
    )


def seconds_of(command: Sequence[str], environ: Mapping[str, str]) -> float:
    """The time of one whole process. Raises `SystemExit` where it failed: there is nothing to compare then."""
    started = time.perf_counter()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environ, check=False)
    seconds = time.perf_counter() - started
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} failed ({done.returncode}): {done.stderr.decode()}")
    return seconds


def installed(folder: Path) -> str:
    """This checkout in an environment of its own, as a user would have it; returns its interpreter."""
    venv.create(folder, with_pip=True)
    python = str(folder / ("Scripts" if os.name == "nt" else "bin") / "python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", "--compile", str(CHECKOUT)], check=True)
    return python


def environment(home: Path, base_url: str) -> dict[str, str]:
    """The variables of a user who has just these: a home, a key, and an address for it."""
    home.mkdir()
    kept = {name: os.environ[name] for name in ("PATH", "SYSTEMROOT", "TEMP") if name in os.environ}
    return {
        **kept,
        "HOME": str(home),
        "BRAINCTL_HOME": str(home),
        "ALFERA_API_KEY": KEY,
        "BRAINCTL_BASE_URL": base_url,
    }


def fill_brain(python: str, environ: Mapping[str, str]) -> None:
    """Make the brain `local` and load it."""
    brainctl = str(Path(python).parent / "brainctl")
    made = subprocess.run([brainctl, "brain", "init", "--json"], capture_output=True, env=environ, check=True)
    store = json.loads(made.stdout)["store"]
    subprocess.run(
        [python, "-c", FILL_SCRIPT, store, str(FACTS)], stdout=subprocess.DEVNULL, env=environ, check=True
    )


@contextmanager
def loopback_server() -> Iterator[str]:
    """A server that answers every search with the same twenty facts; gives its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


class Handler(BaseHTTPRequestHandler):
    reply: Final = json.dumps(
        {
            "data": {
                "facts": [
                    {
                        "fact_id": f"fact_01J{place:023}",
                        "fact_text": f"Weddings are refunded in full up to {place} days before the date.",
                        "kind": "decision",
                        "origin": "user_stated",
                        "subject": "company",
                        "confidence_level": 0.9,
                        "recorded_time": "2026-07-14T09:12:44.318Z",
                    }
                    for place in range(20)
                ],
                "result_count": 20,
            }
        }
    ).encode()

    def do_POST(self) -> None:  # the base class looks a method up by this name
        self.rfile.read(int(self.headers.get("Content-Length", "0")))
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(self.reply)))
        self.end_headers()
        self.wfile.write(self.reply)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class names it so
        """Keep the table alone on the screen."""


if __name__ == "__main__":
    sys.exit(main())

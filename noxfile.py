"""All that must hold before a change lands, a session a part: `nox -l` lists them; CI runs no others.

`nox -s lint` runs one session, and `nox -s tests-3.13 -- tests/cli` a part of one.
"""

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

# A session whose Python is not here is left out; in CI, where the variable CI is set, that is an error.
nox.options.default_venv_backend = "venv"


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests, with the newest of every dependency that pyproject.toml allows."""
    session.install("--upgrade", "--upgrade-strategy", "eager", "-e", ".[dev]")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[0])
def floors(session: nox.Session) -> None:
    """The tests, with the oldest of every dependency, on the oldest Python: newer ones have no wheels of these."""
    session.install("-e", ".[dev]", "-c", "tests/floors.txt")
    session.run("pytest", "-n", "auto", *session.posargs)


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """Style, form, types and the import rules."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")

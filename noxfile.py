"""Runs what CI runs, on every Python that is here: `pipx run nox`, or `pipx run nox -s lint` for one session.

`pipx run nox -s tests-3.13 -- tests/cli` runs a part of the tests.
"""

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")

nox.options.default_venv_backend = "venv"
# A machine seldom has every Python; CI asks for each by its own name.
nox.options.error_on_missing_interpreters = False


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """The tests, with the newest of every dependency that pyproject.toml allows."""
    session.install("--upgrade", "--upgrade-strategy", "eager", "-e", ".[dev]")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[0])
def floors(session: nox.Session) -> None:
    """The tests, with the oldest of every dependency, on the oldest Python: newer ones have no wheels of these."""
    # The keyring is named too: its floor is one of the file's, and `dev` does without it.
    session.install("-e", ".[dev]", "-c", "tests/floors.txt")
    session.run("pytest", *session.posargs)


@nox.session(python=PYTHONS[0])
def lint(session: nox.Session) -> None:
    """Style, form, types and the import rules."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check")
    session.run("ruff", "format", "--check")
    session.run("mypy")
    session.run("lint-imports")

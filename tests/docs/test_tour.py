"""Every command that the pages show is run, and prints what they say."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from brainctl.contract.bounds import SCOPES
from brainctl.contract.brain import Brain
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import open_owner
from tests.docs.pages import Block, blocks, pages
from tests.docs.reader import EXPORT, Reader, matches
from tests.doors.brain_over_http import BrainOverHttp

EXAMPLE_ADDRESS = "https://brain.example.com"
TOURS = [page for page in pages() if any(block.language == "console" for block in blocks(page))]


@pytest.mark.parametrize("page", TOURS, ids=lambda page: page.name)
def test_every_command_of_a_page_prints_what_the_page_shows(page: Path, home: Path) -> None:
    reader = Reader(home)
    for block in blocks(page):
        if block.word == "file":
            reader.save(block)
        elif block.language != "console" or block.word in {"not run", "database"}:
            continue
        elif block.word == "hosted":
            follow_hosted(reader, block)
        else:
            reader.follow(block)


def test_what_the_tour_does_not_run_is_listed_here() -> None:
    apart = [
        (block.page, block.word, block.rest)
        for page in pages()
        for block in blocks(page)
        if block.word == "not run" or (block.language != "console" and block.word != "file")
    ]
    assert apart == [
        ("CONTRIBUTING.md", "not run", "it is how these tests are run"),
        ("CONTRIBUTING.md", "not run", "these tests are what it runs"),
        (
            "CONTRIBUTING.md",
            "not run",
            "it writes into the repository, and a test holds the files to what it prints",
        ),
        ("README.md", "not run", "a test of its own runs it in a clean clone"),
        ("README.md", "not run", "it is how these tests are run"),
        ("README.md", "not run", "the server's own tests start it"),
        ("postgres.md", "not run", "the test has a database already"),
        ("postgres.md", "not run", "the server's own tests start it"),
        ("recipes.md", "not run", "a test runs it with another program in the place of llm"),
        *[("serving.md", "not run", "a test runs it in a machine made for it")] * 3,
        ("serving.md", "not run", "a test builds and runs it with buildah, which needs no service"),
        *[("serving.md", "not run", "a test runs it in a machine made for it")] * 3,
    ]


def test_lines_are_compared_whole_but_for_the_ellipsis() -> None:
    assert matches(["key  ak_test_…", "end"], ["key  ak_test_abc", "end"])
    assert matches(["first", "…", "last"], ["first", "a", "", "b", "last"])
    assert matches(["first", "…", "last"], ["first", "last"])
    assert not matches(["first"], ["first", "second"])
    assert not matches(["a.c"], ["abc"])
    assert not matches(["key  ak_test_…"], ["key  ak_live_abc"])
    assert not matches(["first", "last"], ["last"])


def follow_hosted(reader: Reader, block: Block) -> None:
    """Follow a block whose brain is hosted: the reader's own one, behind a server on this machine."""
    with hosted(reader.home / ".local/share/brainctl/local.db") as (base_url, secret):
        environ = {"STAGING_KEY": secret}
        if f"$ {EXPORT}STAGING_KEY=" not in "\n".join(block.lines):
            environ = {"ALFERA_API_KEY": secret, "BRAINCTL_BASE_URL": base_url}
        lines = [line.replace(EXAMPLE_ADDRESS, base_url) for line in block.lines]
        Reader(reader.home, environ).follow(block._replace(lines=lines))


@contextmanager
def hosted(store: Path) -> Iterator[tuple[str, str]]:
    """A server for the brain in a file, and a key to it."""
    with open_owner(str(store)) as owner:
        name = f"hosted {len(owner.keys())}"
        secret = owner.create_key(name, "internal", SCOPES).secret

    def gate(offered: str) -> Brain:
        return open_brain(str(store), offered)

    with BrainOverHttp(gate) as server:
        yield server.base_url, secret
    assert server.faults == []

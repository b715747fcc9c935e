"""The man pages: of every command, the same everywhere, and clean for the programs that show them."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from brainctl.cli.grammar import Node, live_tree, shared_flags
from brainctl.cli.manual.pages import man_pages
from brainctl.cli.manual.roff import prose, quoted, verbatim
from brainctl.cli.manual.topics import EXIT_STATUS, VARIABLES
from tests.cli.hosted import inside
from tests.cli.shell import Shell

ROOT = Path(__file__).parents[2]
NODES = list(live_tree().walk())
PAGES = man_pages()
NO_DATE = re.compile(r"missing date")
"""Pages have no date, since the same pages would then differ from day to day."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pages, written by the command into a folder that was not there."""
    folder = tmp_path_factory.mktemp("man") / "share" / "man1"
    home = tmp_path_factory.mktemp("home")
    made = inside(Shell(home), "man", str(folder))
    assert (made.code, made.err) == (0, "")
    assert made.out.splitlines() == [str(folder / name) for name in PAGES]
    return folder


def rendered(*pages: Path) -> str:
    """Pages as a reader sees them, in a wide window and without emphasis. Fails where groff has to warn."""
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("groff is not installed here")
    done = subprocess.run(
        [groff, "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=200n", *map(str, pages)],
        capture_output=True,
        encoding="utf-8",
        check=True,
        env={"PATH": os.environ["PATH"]},
    )
    assert done.stderr == ""
    return done.stdout


def test_every_command_has_a_page_and_no_page_is_of_nothing(folder: Path) -> None:
    names = {"-".join(node.path) + ".1" for node in NODES}
    assert {path.name for path in folder.iterdir()} == names == set(PAGES)


@pytest.mark.parametrize("node", NODES, ids=lambda node: " ".join(node.path))
def test_a_page_has_every_option_and_points_to_what_is_below(node: Node) -> None:
    page = PAGES[f"{'-'.join(node.path)}.1"].replace("\\-", "-")
    shared = shared_flags(NODES[0])
    own = [flag for flag in node.flags if len(node.path) == 1 or flag not in shared]
    assert [name for flag in own for name in flag.names if f"\\fB{name}\\fR" not in page] == []
    for child in node.children:
        assert f"\\fB{'-'.join(child.path)}\\fR(1)" in page
    assert f"\\fB{' '.join(node.path)}\\fR" in page


def test_groff_finds_nothing_to_warn_of(folder: Path) -> None:
    assert "BRAINCTL-BRAIN-KEYS-CREATE(1)" in rendered(*folder.iterdir())


def test_mandoc_finds_nothing_to_warn_of(folder: Path) -> None:
    mandoc = shutil.which("mandoc")
    if mandoc is None:
        pytest.skip("mandoc is not installed here")
    done = subprocess.run(
        [mandoc, "-Tlint", "-Wwarning", *map(str, folder.iterdir())],
        capture_output=True,
        text=True,
        check=False,
    )
    assert [line for line in done.stdout.splitlines() if not NO_DATE.search(line)] == []


def test_what_is_pasted_from_a_page_is_what_was_meant(folder: Path) -> None:
    text = rendered(folder / "brainctl-search.1")
    assert "brainctl search \"opening hours\" --json | jq -r '.facts[].fact_text'\n" in text
    completion = rendered(folder / "brainctl-completion.1")
    assert 'eval "$(brainctl completion bash)"\n' in completion
    assert "brainctl completion zsh > ~/.zfunc/_brainctl\n" in completion


def test_the_same_tree_makes_the_same_pages_anywhere(folder: Path, tmp_path: Path) -> None:
    shell = Shell(tmp_path, {"COLUMNS": "40", "LC_ALL": "C", "TZ": "Asia/Tokyo", "PYTHONHASHSEED": "7"})
    again = tmp_path / "again"
    assert shell.run("man", str(again)).code == 0
    for name in PAGES:
        assert (again / name).read_bytes() == (folder / name).read_bytes()
        assert (again / name).read_bytes().isascii()


def test_json_names_the_pages(tmp_path: Path) -> None:
    made = inside(Shell(tmp_path), "man", str(tmp_path / "x"), "--json")
    assert made.code == 0
    assert '"pages":["brainctl.1","brainctl-search.1",' in made.out


def test_a_folder_that_cannot_be_one_is_said(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("mine")
    failed = inside(Shell(tmp_path), "man", str(tmp_path / "file"))
    assert (failed.code, failed.out) == (2, "")
    assert "The pages cannot be written" in failed.err
    assert (tmp_path / "file").read_text() == "mine"


def test_no_text_is_taken_for_a_request(tmp_path: Path) -> None:
    hostile = [
        ".so /etc/passwd",
        "'br",
        "\\n(.z \\*[x]",
        "a\tb\x1b\x00",
        '- -- ~ ^ ` "',
        "caf\u00e9 \U0001f6b2",
    ]
    lines = ['.TH X 1 "" "" ""', ".SH NAME", "x \\- y", ".SH DESCRIPTION"]
    for text in hostile:
        lines += [prose(text), f".B {quoted(text)}", *verbatim([text])]
    page = tmp_path / "x.1"
    page.write_text("\n".join(lines) + "\n", "ascii")
    text = rendered(page)
    for shown in (".so /etc/passwd", "'br", "\\n(.z \\*[x]", '- -- ~ ^ ` "'):
        assert text.count(shown) == 3


def test_the_exit_codes_are_those_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text("utf-8")
    table = readme.partition("## Exit codes")[2].partition("\n## ")[0]
    rows = [tuple(cell.strip() for cell in line.strip("|").split("|")) for line in table.splitlines() if line]
    assert rows[2:] == list(EXIT_STATUS)


def test_every_variable_of_ours_is_in_the_manual() -> None:
    told = {name for names, _ in VARIABLES for name in names.split(", ")}
    assert set(variables_of_ours()) - told == set()


def variables_of_ours() -> Iterator[str]:
    for file in (ROOT / "brainctl").rglob("*.py"):
        yield from re.findall(r'"(BRAINCTL_[A-Z_]+|ALFERA_API_KEY)"', file.read_text("utf-8"))

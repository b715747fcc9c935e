"""`brain export`, `import`, `backup` and `stats` at the shell."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from brainctl.engine.owner import open_owner
from tests.cli.hosted import inside
from tests.cli.shell import Shell, eventually
from tests.owning.records import END, HEAD, STORE, assert_consistent, dumped, fact

MANY = 3000


def many(count: int) -> bytes:
    """An archive as export writes it, some of its facts superseded by others much further on."""
    facts = [
        fact(number, f"Room {number} holds {number % 7} lamps.", subject=f"room {number}")
        for number in range(count)
    ]
    for number in range(0, count - 1500, 300):
        facts[number]["superseded_by"] = facts[number + 1500]["fact_id"]
    return dumped([HEAD, *facts, END])


def exported(shell: Shell) -> bytes:
    done = inside(shell, "brain", "export", "-q")
    assert done.code == 0, done.err
    return done.out.encode()


def test_an_export_of_the_sample_makes_the_same_brain_elsewhere(shell: Shell, tmp_path: Path) -> None:
    inside(shell, "brain", "init", "--sample")
    inside(shell, "teach", "Kerzen — \u6f22\u5b57 \U0001f56f\ufe0f kosten 3 €.", "Line\u2028separator.")
    whole = exported(shell)
    assert "漢字" in whole.decode()
    assert b"\xe2\x80\xa8" not in whole
    path = tmp_path / "brain.jsonl"
    told = inside(shell, "brain", "export", str(path), "--json")
    assert path.read_bytes() == whole
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert json.loads(told.out)["facts"] == whole.count(b'"type":"fact"')
    inside(shell, "brain", "init", "--env", "other")
    made = json.loads(inside(shell, "brain", "import", "--env", "other", "-", "--json", stdin=whole).out)
    assert made["imported"] == whole.count(b'"type":"fact"')
    assert inside(shell, "brain", "export", "--env", "other", "-q").out.encode() == whole
    assert inside(shell, "search", "refund", "--env", "other").out == inside(shell, "search", "refund").out


def test_a_file_that_is_there_is_replaced_only_when_told_so(own: Shell, tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_text("precious")
    refused = inside(own, "brain", "export", str(path))
    assert (refused.code, path.read_text()) == (2, "precious")
    assert inside(own, "brain", "export", str(path), "--force").code == 0
    assert path.read_bytes() == exported(own)
    link = tmp_path / "link.jsonl"
    link.symlink_to(path)
    assert inside(own, "brain", "export", str(link), "--force").code == 0
    assert link.is_symlink()
    assert inside(own, "brain", "export", str(own.home / STORE), "--force").code == 2
    assert inside(own, "brain", "export", str(tmp_path / "none" / "x")).code == 2
    assert inside(own, "brain", "export", os.devnull).code == 0
    assert Path(os.devnull).is_char_device()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["home", "link.jsonl", "out.jsonl"]


def test_a_reader_that_has_had_enough_ends_it_quietly(own: Shell, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(many(1600))
    assert inside(own, "brain", "import", str(path)).code == 0
    done = own.sh("brainctl brain export | head -1")
    assert (done.code, done.out.count("\n"), done.err) == (0, 1, "")


def killed_on_the_way(shell: Shell, path: Path, environment: str) -> int:
    """Kill an import once it has written something; how many facts it had come to."""
    assert inside(shell, "brain", "init", "--env", environment).code == 0
    with (
        open_owner(str(shell.home / STORE.replace("local.db", f"{environment}.db"))) as owner,
        shell.unmeasured.start("brain", "import", str(path), "--env", environment) as process,
    ):
        eventually(lambda: owner.line_count() > 0)
        process.kill()
        process.wait()
        return owner.line_count()


def test_an_import_that_is_killed_goes_on_where_it_stopped(own: Shell, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(many(MANY))
    environment, reached = "", MANY
    # On a busy machine an import may be over before it can be killed.
    for attempt in range(10):
        environment = f"attempt{attempt}"
        reached = killed_on_the_way(own, path, environment)
        if reached < MANY:
            break
    assert 0 < reached < MANY
    found = inside(own, "search", "room 300 lamps", "-o", "jsonl", "-n", "5", "--env", environment).out
    assert '"Room 300 holds' not in found
    assert '"Room ' in found
    told = json.loads(inside(own, "brain", "import", str(path), "--json", "--env", environment).out)
    assert (told["imported"], told["already_there"]) == (MANY - reached, reached)
    assert inside(own, "brain", "export", "-q", "--env", environment).out.encode() == path.read_bytes()
    assert_consistent(own.home / STORE.replace("local.db", f"{environment}.db"))


def test_an_interrupted_import_says_how_to_go_on(own: Shell, tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    # So many that it is still at it when the signal comes, however late that is.
    path.write_bytes(many(20_000))
    screen = own.terminal("brain", "import", str(path), interrupt_after="Importing: 1,000")
    assert screen.code == 130
    assert "Run the same command again to go on." in screen.text


def test_every_bad_line_is_named_and_nothing_is_written(own: Shell) -> None:
    lines = [b'{"text": "x"}', b"{", dumped([fact(1, "good")]).strip()]
    done = inside(own, "brain", "import", "-", "--json", stdin=b"\n".join(lines))
    assert (done.code, done.out) == (2, "")
    error = json.loads(done.err)["error"]
    assert error["code"] == "validation_error"
    assert {each["field"] for each in error["details"]["fields"]} == {"standard input:1", "standard input:2"}
    assert exported(own) == dumped([HEAD, END])


def test_there_must_be_something_to_import(own: Shell, tmp_path: Path) -> None:
    for arguments in (("-",), (str(tmp_path / "none"),), ()):
        assert inside(own, "brain", "import", *arguments, stdin="").code == 2
    assert own.terminal("brain", "import").code == 2


def test_a_backup_is_a_brain(own: Shell, tmp_path: Path) -> None:
    inside(own, "teach", "We close at eight.")
    path = tmp_path / "copy.db"
    told = json.loads(inside(own, "brain", "backup", str(path), "--json").out)
    assert told == {
        "file": str(path),
        "bytes": path.stat().st_size,
        "facts": 1,
        "answers": 0,
        "keys": 1,
        "people": 0,
    }
    assert inside(own, "brain", "backup", str(path)).code == 2
    inside(own, "teach", "We are closed.")
    assert inside(own, "brain", "backup", str(path), "--force", "-q").out == (
        f"file\t{path}\nbytes\t{path.stat().st_size}\nfacts\t2\nkeys\t1\n"
    )
    for suffix in ("-wal", "-shm"):
        Path(f"{own.home / STORE}{suffix}").unlink(missing_ok=True)
    path.replace(own.home / STORE)
    assert len(inside(own, "search", "close").out.splitlines()) == 2


def test_backups_of_a_brain_that_is_written_to_hold_whole_transactions(own: Shell, tmp_path: Path) -> None:
    loop = "import sys, time\nfrom brainctl.engine.owner import open_owner\nn = 0\n"
    loop += (
        "with open_owner(sys.argv[1]) as owner:\n    while True:\n        n += 1\n        owner.load_facts("
    )
    loop += (
        "{'text': f'Side {side} of {n}', 'kind': 'decision', 'origin': 'ingested', 'subject': f'pair {n}', "
    )
    loop += "'confidence': 0.9, 'recorded_time': '2026-07-14T09:12:44.318Z'} for side in (1, 2))\n"
    store = str(own.home / STORE)
    counts: list[int] = []
    with subprocess.Popen([sys.executable, "-c", loop, store], env=own.unmeasured.environ) as writer:
        try:
            for number in range(3):
                with open_owner(store) as owner:
                    wanted = owner.fact_count() + 2
                    while owner.fact_count() < wanted:
                        assert writer.poll() is None
                path = tmp_path / f"copy {number}.db"
                told = own.run("brain", "backup", str(path), "--json")
                assert told.code == 0, told.err
                with open_owner(str(path)) as copy:
                    counts.append(copy.fact_count())
                assert counts[-1] == json.loads(told.out)["facts"]
                assert_consistent(path)
            assert writer.poll() is None
        finally:
            writer.kill()
    assert counts == sorted(counts)
    assert all(count % 2 == 0 for count in counts)
    assert counts[0] < counts[-1]


# stats


@pytest.fixture
def sample(shell: Shell) -> Shell:
    assert inside(shell, "brain", "init", "--sample", "-q").code == 0
    assert inside(shell, "ask", "What does a deposit cost?", "-q").code == 0
    return shell


def test_figures_are_numbers_for_programs(sample: Shell) -> None:
    told: dict[str, Any] = json.loads(inside(sample, "brain", "stats", "--json").out)
    assert told["facts"]["current"] == sum(row["facts"] for row in told["kinds"]) > 40
    assert (told["people"], told["members"], told["answers"]["completed"]) == (4, 3, 1)
    assert told["bytes"] > 4096
    rows = [line.split("\t") for line in inside(sample, "brain", "stats").out.splitlines()]
    assert all(len(row) == 3 for row in rows)
    assert ["facts", "current", str(told["facts"]["current"])] in rows


@pytest.mark.parametrize("columns", [20, 40, 80, 130])
def test_the_page_of_figures_fits_the_terminal(sample: Shell, columns: int) -> None:
    screen = sample.terminal("brain", "stats", columns=columns, rows=60)
    assert screen.code == 0
    for words in ("By kind", "By origin", "Seen by", "Busiest keys", "Answers"):
        assert words in screen.text
    if columns >= 40:
        [line] = [each for each in screen.lines if each.startswith("decision")]
        assert "█" in line
        assert "2026-01-12" in screen.text


def test_a_terminal_without_blocks_gets_plain_bars(sample: Shell) -> None:
    for shell in (
        sample.with_(LC_ALL="C"),
        sample.with_(TERM="dumb"),
        sample.with_(LC_ALL="de_DE.ISO-8859-1"),
    ):
        screen = shell.terminal("brain", "stats", columns=60, rows=60)
        assert "####" in screen.text
        assert not any(block in screen.text for block in "▁▂▃▄▅▆▇█▏▎▍▌▋▊▉│")
    assert "█" in sample.with_(LC_ALL="C.UTF-8").terminal("brain", "stats", rows=60).text


def test_an_empty_brain_has_a_page_too(own: Shell) -> None:
    assert "0 facts" in own.terminal("brain", "stats").text


def test_names_in_the_figures_do_not_act_on_the_terminal(own: Shell) -> None:
    with open_owner(str(own.home / STORE)) as owner:
        secret = owner.create_key("\x1b]0;owned\x07\u202ebot", "internal", ["memory.write"])
    assert (
        own.with_(ALFERA_API_KEY=secret.secret)
        .run("keys", "add", "bot", "--env", "local", "--key-env", "ALFERA_API_KEY")
        .code
        == 0
    )
    shell = own.with_(ALFERA_API_KEY=secret.secret)
    assert inside(shell, "teach", "-p", "bot", "We close at eight.").code == 0
    raw = own.terminal("brain", "stats").raw
    assert b"bot" in raw
    assert b"\x1b]0" not in raw
    assert b"\xe2\x80\xae" not in raw

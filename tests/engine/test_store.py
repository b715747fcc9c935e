"""The file: made whole or not at all, brought up to date, and refused with a sentence where it cannot be used."""

import os
import sqlite3
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain, open_owner
from brainctl.engine.store.sqlite import schema
from brainctl.engine.store.sqlite.dialect import SqliteConnection
from brainctl.engine.store.sqlite.failures import sentence_for, told_of
from brainctl.engine.store.sqlite.making import create_file
from brainctl.engine.store.sqlite.store import SqliteStore, open_file
from brainctl.engine.store.sqlite.upgrading import STEPS, upgrade
from tests.cli.shell import unmeasured
from tests.engine.house import House
from tests.engine.teacher import TEACHER


def refusal(path: Path) -> str:
    with pytest.raises(BrainError) as refused:
        open_file(str(path), busy_seconds=0.05)
    assert refused.value.code == "store_error"
    assert "sqlite" not in refused.value.message.lower()
    return refused.value.message


def test_a_new_brain_is_empty_and_up_to_date(tmp_path: Path) -> None:
    with create_brain(str(tmp_path / "brain.db")) as owner:
        assert owner.fact_count() == 0
        assert owner.keys() == []
        with owner.store.reading() as connection:
            pragmas = {
                name: connection.execute(f"PRAGMA {name}").fetchone()[0]
                for name in ("journal_mode", "synchronous", "foreign_keys", "trusted_schema", "user_version")
            }
            assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    assert pragmas == {
        "journal_mode": "wal",
        "synchronous": 2,
        "foreign_keys": 1,
        "trusted_schema": 0,
        "user_version": schema.VERSION,
    }


@pytest.mark.skipif(os.name == "nt", reason="Windows has no modes")
def test_a_brain_and_its_new_folders_are_the_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "new" / "deep" / "brain.db"
    with create_brain(str(path)) as owner:
        owner.add_member("Sage")
        modes = {each.name: stat.S_IMODE(each.stat().st_mode) for each in path.parent.iterdir()}
    assert set(modes.values()) == {0o600}
    assert "brain.db" in modes
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.parent.parent.stat().st_mode) == 0o700


def test_a_brain_is_not_made_over_another(tmp_path: Path) -> None:
    path = str(tmp_path / "brain.db")
    with create_brain(path) as owner:
        owner.add_member("Sage")
    with pytest.raises(BrainError, match="already"):
        create_brain(path)
    with open_owner(path) as owner:
        assert owner.members() == ["Sage"]
    assert [each.name for each in tmp_path.iterdir()] == ["brain.db"]


def test_a_file_system_without_hard_links_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(95, "Operation not supported")

    monkeypatch.setattr(os, "link", no_links)
    path = str(tmp_path / "brain.db")
    create_brain(path).close()
    with pytest.raises(BrainError, match="already"):
        create_brain(path)
    assert [each.name for each in tmp_path.iterdir()] == ["brain.db"]


def test_a_brain_that_could_not_be_made_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(BrainError) as refused:
        create_file(str(tmp_path / "file" / "brain.db"))
    assert refused.value.code == "store_error"
    assert [each.name for each in tmp_path.iterdir()] == ["file"]


def test_the_log_of_a_deleted_brain_is_not_played_into_a_new_one(house: House) -> None:
    path = Path(house.path)
    house.owner.add_member("Sage")
    log = path.with_name("brain.db-wal").read_bytes()
    assert log
    house.owner.close()
    path.unlink()
    path.with_name("brain.db-wal").write_bytes(log)
    with create_brain(str(path)) as owner:
        assert owner.members() == []


def test_a_path_through_a_file_leads_to_no_brain(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "no brain" in refusal(tmp_path / "file" / "brain.db")


def test_no_brain(tmp_path: Path) -> None:
    assert "brainctl brain init" in refusal(tmp_path / "brain.db")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_is_not_a_brain(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    path.write_bytes(b"")
    assert "not a brain" in refusal(path)
    assert path.read_bytes() == b""


def test_a_text_file_is_not_a_brain(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    path.write_text("Dear diary. " * 1000)
    assert "not a brain" in refusal(path)
    assert path.read_text().startswith("Dear diary.")


def test_another_programs_database_is_not_a_brain(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE facts (text TEXT)")
    connection.commit()
    connection.close()
    before = path.read_bytes()
    assert "not a brain" in refusal(path)
    assert path.read_bytes() == before


def test_a_folder_is_not_a_brain(tmp_path: Path) -> None:
    assert "cannot be opened" in refusal(tmp_path)


def test_a_newer_brain_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "brain.db"
    create_brain(str(path)).close()
    connection = sqlite3.connect(path)
    connection.execute(f"PRAGMA user_version = {schema.VERSION + 1}")
    connection.close()
    assert "newer brainctl" in refusal(path)
    assert "upgrade" in refusal(path)


def test_a_damaged_brain_is_said_to_be_damaged(house: House) -> None:
    house.put(*(house.fact(f"lantern {number}") for number in range(300)))
    house.owner.close()
    path = Path(house.path)
    whole = path.read_bytes()
    path.write_bytes(whole[:4096] + b"\x00" * (len(whole) - 4096))
    assert "damaged" in refusal(path)


def test_a_brain_that_another_process_keeps_locked_is_said_to_be_locked(house: House) -> None:
    other = open_file(house.path, busy_seconds=0.05)
    with (
        house.owner.store.transaction(),
        pytest.raises(BrainError, match="Another process"),
        other.transaction(),
    ):
        pass
    with other.transaction():
        pass
    other.close()


def test_readers_do_not_wait_for_a_writer(house: House) -> None:
    brain = house.internal()
    with house.owner.store.transaction():
        assert brain.search({"query": "lantern"}) == {"facts": []}


def test_a_full_disk_writes_nothing_and_says_so(house: House) -> None:
    before = house.owner.fact_count()
    with house.owner.store.reading() as connection:
        (pages,) = connection.execute("PRAGMA page_count").fetchone()
    store = open_file(house.path)
    with store.reading() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages}")
    large = [house.fact(f"lantern {number} " * 50) for number in range(300)]
    with pytest.raises(BrainError, match="is full"), store.writing(1) as writing:
        any(map(writing.add, large))
    assert store.fact_count(1) == before
    store.close()


def test_a_brain_that_may_not_be_written_says_so(house: House) -> None:
    house.owner.close()
    connection = sqlite3.connect(
        f"file:{house.path}?mode=ro", uri=True, isolation_level=None, factory=SqliteConnection
    )
    store = SqliteStore(house.path, connection)
    with pytest.raises(BrainError, match="may not be written"), store.writing(1) as writing:
        writing.put_member("Sage")
    store.close()


def test_whatever_else_goes_wrong_has_a_sentence() -> None:
    assert "try again" in sentence_for(sqlite3.ProgrammingError("Cannot operate on a closed database."), "x")
    with pytest.raises(BrainError, match="check the path"), told_of("x"):
        raise PermissionError(13, "Permission denied")


def test_an_older_brain_is_brought_up_to_date_step_by_step(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "brain.db", isolation_level=None)
    steps = (("CREATE TABLE one (x)",), ("CREATE TABLE two (x)", "INSERT INTO two VALUES (2)"))
    upgrade(connection, steps[:1])
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    upgrade(connection, steps)
    upgrade(connection, steps)
    assert connection.execute("PRAGMA user_version").fetchone() == (2,)
    assert connection.execute("SELECT x FROM two").fetchall() == [(2,)]
    connection.close()


def test_a_step_that_fails_leaves_the_brain_as_it_was(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "brain.db", isolation_level=None)
    with pytest.raises(sqlite3.OperationalError):
        upgrade(connection, (("CREATE TABLE one (x)", "CREATE TABLE one (x)"),))
    assert connection.execute("PRAGMA user_version").fetchone() == (0,)
    assert connection.execute("SELECT name FROM sqlite_schema").fetchall() == []
    connection.close()


@pytest.mark.parametrize("version", range(1, schema.VERSION))
def test_a_brain_of_every_earlier_format_still_opens(tmp_path: Path, version: int) -> None:
    path = tmp_path / "brain.db"
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {schema.APPLICATION_ID}")
    upgrade(connection, STEPS[:version])
    connection.execute("INSERT INTO workspaces (name, created) VALUES ('local', 0)")
    connection.close()
    with open_owner(str(path)) as owner:
        owner.add_member("Sage")
        with owner.store.reading() as reading:
            assert reading.execute("PRAGMA user_version").fetchone() == (schema.VERSION,)


def test_every_table_says_whose_workspace_it_is_of(house: House) -> None:
    indexes = ("open_index", "inner_index", "open_vocabulary", "inner_vocabulary")
    with house.owner.store.reading() as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table'")
            if not name.startswith(indexes) and name != "sqlite_sequence"
        ]
        without = [
            table
            for table in tables
            if "workspace" not in [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
        ]
    assert "facts" in tables
    assert without == []


def test_twenty_processes_teach_at_once_and_nothing_is_lost(house: House) -> None:
    secret = house.key("internal")
    teachers = [
        subprocess.Popen(
            [sys.executable, "-c", TEACHER, house.path, secret, str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(20)
    ]
    ends = [(*teacher.communicate(timeout=120), teacher.returncode) for teacher in teachers]
    assert [end[1:] for end in ends] == [("", 0)] * 20
    with house.owner.store.reading() as connection:
        texts = [text for (text,) in connection.execute("SELECT text FROM facts")]
        (current,) = connection.execute("SELECT count(*) FROM facts WHERE shelf <> 'past'").fetchone()
        (totals,) = connection.execute("SELECT sum(facts) FROM shelves").fetchone()
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    lanterns = {
        f"The lantern numbered {number}x{turn} hangs in hall {number}."
        for number in range(20)
        for turn in range(5)
    }
    # Two tellings of one hall may replace each other; both are in the file.
    assert set(texts) >= lanterns
    assert texts.count("Every hall closes at midnight.") == 1
    assert len(texts) == 101
    assert totals == current


MAKER = """
import sys
from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain

try:
    create_brain(sys.argv[1]).add_member(sys.argv[2])
    print("made")
except BrainError as error:
    print(error.code)
"""


def test_of_several_processes_one_makes_the_brain(tmp_path: Path) -> None:
    path = tmp_path / "new" / "brain.db"
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER, str(path), str(number)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(6)
    ]
    ends = sorted(maker.communicate(timeout=60) for maker in makers)
    assert ends == sorted([("made\n", ""), *[("store_error\n", "")] * 5])
    with open_owner(str(path)) as owner:
        assert len(owner.members()) == 1
    assert [each.name for each in path.parent.iterdir() if each.name.endswith(".new")] == []


KILLED = """
import os, signal, sys
from brainctl.engine.owner import open_owner

owner = open_owner(sys.argv[1])
with owner.store.writing(1) as writing:
    writing.put_member("half done")
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_process_killed_while_it_writes_leaves_the_brain_whole(house: House) -> None:
    house.owner.add_member("Sage")
    killed = subprocess.run(
        [sys.executable, "-c", KILLED, house.path], env=unmeasured(), check=False, timeout=60
    )
    assert killed.returncode == -9
    assert house.owner.members() == ["Sage"]
    house.owner.add_member("Ada")
    assert house.owner.members() == ["Ada", "Sage"]

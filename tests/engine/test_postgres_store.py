"""The database: its tables are made by one process, whole or not at all, and what goes wrong has a sentence."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from brainctl.contract.errors import BrainError
from brainctl.engine.local_brain import open_brain
from brainctl.engine.owner import Owner, create_brain, open_owner
from brainctl.engine.store.opening import create_store, open_store
from brainctl.engine.store.postgres import schema
from brainctl.engine.store.postgres.connection import connected
from brainctl.engine.store.postgres.failures import sentence_for, told_of
from brainctl.engine.store.store import facts_of
from tests import postgres
from tests.engine.house import House
from tests.engine.teacher import TEACHER
from tests.owning.records import assert_consistent
from tests.postgres import Server
from tests.spot import Spot, raw

SCOPES = ("memory.read", "memory.write", "answers.write")


def refusal(address: str) -> str:
    with pytest.raises(BrainError) as refused:
        open_store(address)
    assert refused.value.code == "store_error"
    return refused.value.message


@pytest.fixture
def address(new_database: Callable[[], str]) -> str:
    return new_database()


@pytest.fixture(scope="module")
def crashing() -> Iterator[Server]:
    """A server of these tests' own, which may be stopped, and is then started again; what it acknowledged it keeps."""
    programs = postgres.programs()
    if programs is None:
        pytest.skip("no PostgreSQL for tests in this Python")
    folder = Path(os.environ[postgres.FOLDER]) / f"crashing-{os.getpid()}"
    server = Server(folder, programs)
    server.make()
    server.start()
    yield server
    with suppress(OSError):
        server.stop("immediate")


# Making and opening


def test_a_database_without_a_brain_says_how_to_make_one(address: str) -> None:
    assert "brain init --store" in refusal(address)


def test_a_database_that_is_not_there_is_named(address: str) -> None:
    assert "no such database" in refusal(f"{address}_gone")


def test_a_server_that_is_not_there_cannot_be_reached() -> None:
    assert "cannot be reached" in refusal("postgresql://brain@127.0.0.1:1/x?connect_timeout=2")


@pytest.mark.parametrize(
    "address",
    ["postgresql://me:secret@db.example/x", "postgres://db.example/x?user=me&password=secret"],
)
def test_an_address_with_a_password_is_refused_and_the_password_not_repeated(address: str) -> None:
    with pytest.raises(BrainError) as refused:
        create_store(address)
    assert refused.value.code == "usage"
    assert "PGPASSWORD" in refused.value.message
    assert "secret" not in refused.value.message


@pytest.mark.parametrize("address", ["postgresql://[x/y", "postgresql://host/x?no_such_option=1"])
def test_an_address_that_cannot_be_read_is_refused(address: str) -> None:
    with pytest.raises(BrainError, match="cannot be read") as refused:
        open_store(address)
    assert refused.value.code == "usage"


TEXT = "Zoë's café serves 日本語 tea."


def kept_in(address: str) -> list[str]:
    with open_owner(address) as owner:
        owner.add_member(TEXT)
        return owner.members()


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_texts_are_read_as_they_are_whatever_encoding_a_client_would_have(
    address: str, encoding: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    create_brain(address).close()
    with psycopg.connect(address, autocommit=True) as other:
        setting = f'ALTER DATABASE "{other.info.dbname}" SET client_encoding = {encoding}'
        other.execute(setting.encode())
    monkeypatch.setenv("PGCLIENTENCODING", encoding)
    monkeypatch.setenv("PGOPTIONS", f"-c client_encoding={encoding}")
    for own in ("", f"?client_encoding={encoding}"):
        assert kept_in(address + own) == [TEXT]


@pytest.mark.parametrize("encoding", ["LATIN1", "SQL_ASCII"])
def test_a_database_that_cannot_hold_every_text_is_refused(postgres_server: Server, encoding: str) -> None:
    name = f"{encoding}_{os.getpid()}".lower()
    with psycopg.connect(postgres_server.address(), autocommit=True) as other:
        other.execute(f"CREATE DATABASE {name} ENCODING '{encoding}' TEMPLATE template0".encode())
    address = postgres_server.address(name)
    with pytest.raises(BrainError, match=f"{encoding}, .*--encoding=UTF8") as refused:
        create_store(address)
    assert refused.value.code == "store_error"
    assert "no brain" in refusal(address)


def test_a_database_may_hold_other_things(address: str) -> None:
    with psycopg.connect(address, autocommit=True) as other:
        other.execute("CREATE TABLE facts (text text)")
        other.execute("INSERT INTO facts VALUES ('not ours')")
        with create_brain(address) as owner:
            owner.add_member("Sage")
            assert owner.fact_count() == 0
        assert other.execute("SELECT text FROM public.facts").fetchall() == [("not ours",)]


MAKER = """
import sys
from brainctl.contract.errors import BrainError
from brainctl.engine.owner import create_brain

try:
    with create_brain(sys.argv[1], sys.argv[2]) as owner:
        owner.add_member(sys.argv[2])
    print("made")
except BrainError as error:
    print(error.message)
"""


def test_of_eight_processes_one_makes_the_tables_and_all_go_on(address: str) -> None:
    makers = [
        subprocess.Popen(
            [sys.executable, "-c", MAKER, address, f"brain {number}"],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for number in range(8)
    ]
    assert [maker.communicate(timeout=120) for maker in makers] == [("made\n", "")] * 8
    with raw(address) as connection:
        assert connection.execute("SELECT count(*) FROM workspaces").fetchone() == (8,)
        assert connection.execute("SELECT step FROM schema_steps").fetchall() == [
            (step,) for step in range(1, schema.VERSION + 1)
        ]


def test_a_newer_brain_is_left_alone(address: str) -> None:
    create_store(address).close()
    with raw(address) as connection:
        connection.execute(f"INSERT INTO schema_steps (step) VALUES ({schema.VERSION + 1})")
    assert "newer brainctl" in refusal(address)


def upgraded(address: str, steps: tuple[tuple[str, ...], ...]) -> None:
    connection = connected(address)
    try:
        connection.begin("BEGIN")
        schema.upgrade(connection, steps)
        connection.commit()
    finally:
        connection.roll_back()
        connection.close()


def test_an_older_brain_is_brought_up_to_date_step_by_step(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = (
        ("CREATE TABLE one (x integer)",),
        ("CREATE TABLE two (x integer)", "INSERT INTO two VALUES (2)"),
    )
    monkeypatch.setattr(schema, "VERSION", 2)
    upgraded(address, steps[:1])
    upgraded(address, steps)
    upgraded(address, steps)
    with raw(address) as connection:
        assert connection.execute("SELECT step FROM schema_steps ORDER BY step").fetchall() == [(1,), (2,)]
        assert connection.execute("SELECT x FROM two").fetchall() == [(2,)]


def test_a_step_that_fails_leaves_the_brain_as_it_was(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "VERSION", 2)
    upgraded(address, (("CREATE TABLE one (x integer)",),))
    with pytest.raises(psycopg.errors.DuplicateTable):
        upgraded(
            address,
            (
                ("CREATE TABLE one (x integer)",),
                ("CREATE TABLE two (x integer)", "CREATE TABLE one (x integer)"),
            ),
        )
    with raw(address) as connection:
        assert connection.execute("SELECT step FROM schema_steps").fetchall() == [(1,)]
        assert connection.execute("SELECT to_regclass('two')").fetchone() == (None,)


KILLED_UPGRADING = """
import os, signal, sys
from brainctl.engine.store.postgres import schema
from brainctl.engine.store.postgres.connection import connected

connection = connected(sys.argv[1])
connection.begin("BEGIN")
schema.upgrade(connection)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGKILL")
def test_a_process_killed_while_it_makes_the_tables_leaves_none(address: str) -> None:
    killed = subprocess.run([sys.executable, "-c", KILLED_UPGRADING, address], check=False, timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert "no brain" in refusal(address)
    with create_brain(address) as owner:
        assert owner.fact_count() == 0


# What every table has


def test_every_key_begins_with_the_workspace_so_that_tables_can_be_spread_by_it(address: str) -> None:
    create_store(address).close()
    with raw(address) as connection:
        keys: list[tuple[str, str, str]] = connection.execute(
            "SELECT c.relname, k.conname, a.attname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid "
            "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.conkey[1] "
            "WHERE k.connamespace = 'brainctl'::regnamespace AND k.contype IN ('p', 'u', 'f') "
            "UNION SELECT c.relname, i.relname, a.attname FROM pg_index x JOIN pg_class c ON c.oid = x.indrelid "
            "JOIN pg_class i ON i.oid = x.indexrelid "
            "JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = x.indkey[0] "
            "WHERE c.relnamespace = 'brainctl'::regnamespace"
        ).fetchall()
        without: list[tuple[str]] = connection.execute(
            "SELECT tablename FROM pg_tables WHERE schemaname = 'brainctl' AND tablename NOT IN ("
            "SELECT table_name FROM information_schema.columns "
            "WHERE table_schema = 'brainctl' AND column_name = 'workspace')"
        ).fetchall()
    assert without == [("schema_steps",)]
    others = {(table, key) for table, key, column in keys if column != "workspace"}
    assert others == {
        ("schema_steps", "schema_steps_pkey"),
        # Small tables, of which every machine has a copy: a key is found by its digest, a workspace by its name.
        ("keys", "keys_digest_key"),
        ("workspaces", "workspaces_name_key"),
        # Terms have numbers of their own in every workspace.
        ("places", "places_by_number"),
    }


@pytest.mark.parametrize(
    "text", ["a\0b", "\0", "\ufdd0", "\ufdd00", "a\ufdd0\0\ufdd0\ufdd0b", "ß\U0001f9d1\u2028"]
)
def test_any_text_comes_back_as_it_was(address: str, text: str) -> None:
    with create_brain(address) as owner:
        owner.add_person(f"id {text}", text)
        assert [tuple(each) for each in owner.people()] == [(f"id {text}", text)]
        assert owner.remove_person(f"id {text}")


def test_a_word_as_long_as_a_text_is_found(address: str) -> None:
    word = "".join(f"{number:x}" for number in range(1000))
    with create_brain(address) as owner:
        secret = owner.create_key("mine", "internal", SCOPES).secret
        with open_brain(address, secret) as brain:
            brain.teach({"facts": [{"text": f"The token is {word}."}]})
            [fact] = (
                brain.search({"query": word[:1999]})["facts"] or brain.search({"query": "token"})["facts"]
            )
    assert word in fact["fact_text"]


# Transactions


def test_a_writer_waits_for_no_other_workspace(address: str) -> None:
    with create_brain(address) as owner, create_brain(address, "another") as other:
        with owner.store.writing(owner.workspace) as writing:
            writing.put_member("Sage")
            other.add_member("Ada")
        assert (owner.members(), other.members()) == (["Sage"], ["Ada"])


def test_who_is_impatient_is_told_at_once_that_another_writes(address: str) -> None:
    with create_brain(address) as owner, open_owner(address) as other:
        facts = facts_of(owner.workspace)
        with (
            owner.store.transaction(facts),
            other.store.impatient(),
            pytest.raises(BrainError, match="Another process"),
            other.store.transaction(facts),
        ):
            pass
        with other.store.transaction(facts):
            pass


def written(owner: Owner, *statements: str) -> None:
    """Write as one who takes no notice of what fails for a reason of its own."""
    with owner.store.transaction() as connection:
        for statement in statements:
            with suppress(psycopg.errors.DivisionByZero):
                connection.execute(statement)


def test_a_statement_that_takes_too_long_is_ended_and_said_so(address: str) -> None:
    with create_brain(address) as owner:
        with pytest.raises(BrainError, match="took too long"):
            written(owner, "SET LOCAL statement_timeout = '50ms'", "SELECT pg_sleep(30)")
        assert owner.fact_count() == 0


def test_what_failed_inside_is_not_called_written(address: str) -> None:
    with create_brain(address) as owner:
        with pytest.raises(BrainError, match="wrote nothing"):
            written(
                owner, "INSERT INTO members (workspace, name_key, name) VALUES (1, 'a', 'A')", "SELECT 1 / 0"
            )
        assert owner.members() == []


def test_eight_processes_teach_at_once_and_nothing_is_lost(address: str) -> None:
    with create_brain(address) as owner:
        secret = owner.create_key("mine", "internal", SCOPES).secret
        teachers = [
            subprocess.Popen(
                [sys.executable, "-c", TEACHER, address, secret, str(number)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for number in range(8)
        ]
        ends = [(teacher.communicate(timeout=120)[1], teacher.returncode) for teacher in teachers]
        assert ends == [(b"", 0)] * 8
        with raw(address) as connection:
            texts = [text for (text,) in connection.execute("SELECT text FROM facts")]
    assert texts.count("Every hall closes at midnight.") == 1
    assert len(texts) == 41
    assert_consistent(address)


# Restarts


def test_a_store_outlives_a_restart_of_its_server(crashing: Server) -> None:
    address = crashing.new_database("one")
    with create_brain(address) as owner:
        owner.add_member("Sage")
        crashing.stop("immediate")
        with pytest.raises(BrainError, match=r"cannot be reached|was lost"):
            owner.members()
        crashing.start()
        assert owner.members() == ["Sage"]
        crashing.stop()
        crashing.start()
        owner.add_member("Ada")
        assert owner.members() == ["Ada", "Sage"]


def write_and_stop(owner: Owner, server: Server) -> None:
    with owner.store.writing(owner.workspace) as writing:
        writing.put_member("Sage")
        server.stop("immediate")


def test_a_write_in_the_moment_of_a_crash_is_not_called_done(crashing: Server) -> None:
    address = crashing.new_database("two")
    with create_brain(address) as owner:
        with pytest.raises(BrainError, match="not known"):
            write_and_stop(owner, crashing)
        crashing.start()
        assert owner.members() == []


# Sentences


@pytest.mark.parametrize(
    ("state", "part"),
    [
        ("28P01", "did not let you in"),
        ("3D000", "no such database"),
        ("42501", "does not let this user write"),
        ("53100", "is full"),
        ("53300", "no connection free"),
        ("53200", "short of memory"),
        ("40P01", "locked for too long"),
        ("57014", "took too long"),
        ("57P01", "was lost"),
        ("25P03", "stood still"),
        ("XX001", "damaged"),
        ("22023", "could not do that"),
    ],
)
def test_every_refusal_has_a_sentence(state: str, part: str) -> None:
    error: Any = psycopg.errors.lookup(state)
    with pytest.raises(BrainError, match=part) as refused, told_of("postgresql://host/x"):
        raise error("SELECT secret FROM facts")
    assert "SELECT" not in refused.value.message


@pytest.mark.parametrize(
    ("words", "part"),
    [
        ('FATAL:  password authentication failed for user "me"', "did not let you in"),
        ('FATAL:  database "x" does not exist', "no such database"),
        ("FATAL:  sorry, too many clients already", "no connection free"),
        ("could not translate host name", "cannot be reached"),
        ("the connection is lost", "was lost"),
    ],
)
def test_what_keeps_one_from_connecting_is_told_by_the_words_of_the_server(words: str, part: str) -> None:
    assert part in sentence_for(psycopg.OperationalError(words), "postgresql://host/x")


def test_forgotten_facts_leave_the_tables_bytes(house_in_database: House) -> None:
    house = house_in_database
    gone = house.add("The zanzibarquux costs seven euros", subject="zanzibarquux")
    house.owner.forget([gone])
    with raw(house.path) as connection:
        tables = [
            name
            for (name,) in connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'brainctl'")
        ]
        rows = [str(connection.execute(f"SELECT * FROM {table}").fetchall()) for table in tables]
    assert "zanzibarquux" not in "".join(rows)


@pytest.fixture
def house_in_database(address: str) -> Iterator[House]:
    with ExitStack() as stack:
        yield House(Spot(address, "local"), stack)

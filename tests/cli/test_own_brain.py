import json
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.cli.hosted import SECRET, Hosting, inside
from tests.cli.shell import Shell


def made(shell: Shell, *arguments: str) -> dict[str, Any]:
    done = inside(shell, "brain", "init", "--json", *arguments)
    assert done.code == 0, done.err
    whole: dict[str, Any] = json.loads(done.out)
    return whole


def created(shell: Shell, *arguments: str) -> dict[str, Any]:
    done = inside(shell, "brain", "keys", "create", *arguments, "--json")
    assert done.code == 0, done.err
    whole: dict[str, Any] = json.loads(done.out)
    return whole


def texts(shell: Shell, query: str, *arguments: str) -> list[str]:
    found = inside(shell, "search", query, "--json", *arguments)
    assert found.code == 0, found.err
    return [each["fact_text"] for each in json.loads(found.out)["facts"]]


# init


def test_one_line_makes_a_brain_that_answers(shell: Shell) -> None:
    brain = made(shell)
    assert (brain["environment"], brain["profile"], brain["facts"], brain["loaded"]) == (
        "local",
        "owner",
        0,
        0,
    )
    assert brain["store"] == str(shell.home / ".local/share/brainctl/local.db")
    assert inside(shell, "search", "anything").code == 0


def test_the_sample_is_a_small_companys_worth_of_facts(shell: Shell) -> None:
    brain = made(shell, "--sample")
    assert brain["facts"] == brain["loaded"] > 40
    assert texts(shell, "refund policy")


def test_run_again_it_changes_nothing_that_is_there(shell: Shell) -> None:
    first = made(shell)
    inside(shell, "teach", "We close on public holidays.")
    second = made(shell)
    assert second == {**first, "facts": 1}
    assert inside(shell, "brain", "keys", "list").out.count("\n") == 1
    sample = inside(shell, "brain", "init", "--sample")
    assert "the sample was not loaded" in sample.err


def test_a_second_brain_has_an_environment_of_its_own(shell: Shell) -> None:
    made(shell)
    inside(shell, "teach", "We close on public holidays.")
    made(shell, "--env", "scratch")
    assert texts(shell, "holidays", "--env", "scratch") == []
    assert texts(shell, "holidays") == ["We close on public holidays."]


@pytest.mark.parametrize("name", ["../../outside", "a/b", "", "a b", "-x"])
def test_an_environments_name_is_never_a_path(shell: Shell, name: str) -> None:
    failed = inside(shell, "brain", "init", f"--env={name}")
    assert (failed.code, failed.out) == (2, "")
    assert not list(Path(shell.home).parent.rglob("*.db"))


def test_a_hosted_environment_is_no_place_for_a_brain(shell: Shell) -> None:
    inside(
        shell, *("keys", "add", "x", "--env", "dev", "--base-url", "https://h", "--key-stdin", "--no-check"),
        stdin=SECRET,
    )  # fmt: skip
    for name in ("production", "dev"):
        failed = inside(shell, "brain", "init", "--env", name)
        assert (failed.code, "is a brain elsewhere" in failed.err) == (2, True)


def test_it_does_not_take_the_place_of_a_key_in_use(shell: Shell) -> None:
    inside(shell, "keys", "add", "live", "--key-stdin", "--no-check", stdin=SECRET)
    done = inside(shell, "brain", "init")
    assert "Commands still use the environment production" in done.err
    assert "*\tproduction\tlive" in inside(shell, "keys", "list").out


def test_a_key_from_elsewhere_is_not_for_a_brain_of_ones_own(shell: Shell) -> None:
    made(shell)
    added = inside(shell, "keys", "add", "live", "--key-stdin", "--no-check", "--json", stdin=SECRET)
    assert json.loads(added.out)["environment"] == "production"


def test_a_lost_key_of_the_owner_is_made_anew(shell: Shell) -> None:
    made(shell)
    assert inside(shell, "brain", "keys", "revoke", "owner").code == 0
    assert inside(shell, "search", "x").code == 3
    made(shell)
    assert inside(shell, "search", "x").code == 0


def test_many_shells_may_make_it_at_once(shell: Shell) -> None:
    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(lambda _: shell.run("brain", "init", "-q"), range(4)))
    assert [each.code for each in done] == [0] * 4, [each.err for each in done]
    assert inside(shell, "search", "x").code == 0


def test_a_file_that_is_no_brain_is_told_of_and_left(shell: Shell) -> None:
    store = Path(made(shell)["store"])
    for each in store.parent.glob("local.db*"):
        each.unlink()
    store.write_text("not a brain, and not to be lost" * 100)
    for arguments in (("search", "x"), ("brain", "init"), ("brain", "people", "list")):
        failed = inside(shell, *arguments)
        assert (failed.code, "is not a brain" in failed.err) == (1, True), failed.err
    assert store.read_text().startswith("not a brain, and not to be lost")


def test_a_brain_whose_file_is_gone_is_told_of(shell: Shell) -> None:
    store = Path(made(shell)["store"])
    for each in store.parent.glob("local.db*"):
        each.unlink()
    failed = inside(shell, "search", "x")
    assert (failed.code, "brainctl brain init" in failed.err) == (1, True), failed.err
    assert not store.exists()


def test_without_a_brain_its_commands_say_how_to_make_one(shell: Shell) -> None:
    for arguments in (("keys", "list"), ("people", "list"), ("members", "add", "x"), ("keys", "revoke", "x")):
        failed = inside(shell, "brain", *arguments)
        assert (failed.code, "brainctl brain init" in failed.err) == (2, True)
    assert list(shell.home.iterdir()) == []


def test_the_brains_folder_is_its_owners_alone(shell: Shell) -> None:
    store = Path(made(shell)["store"])
    assert store.parent.stat().st_mode & 0o077 == 0
    assert store.stat().st_mode & 0o077 == 0


# keys


def test_a_new_key_is_told_as_whoami_tells_it_with_its_secret(shell: Shell) -> None:
    made(shell)
    key = created(shell, "bot", "--audience", "external", "--scope", "memory.read", "--expires", "90d")
    secret = key.pop("secret")
    expires = key.pop("expires_at")
    opened = inside(shell, "keys", "add", "bot", "--env", "local", "--key-stdin", "--json", stdin=secret)
    assert opened.code == 0, opened.err
    assert key == json.loads(inside(shell, "whoami", "-p", "bot", "--json").out)
    assert expires.endswith("Z")
    assert secret not in inside(shell, "brain", "keys", "list", "--json").out


def test_a_pipe_gets_the_secret_and_nothing_else(shell: Shell) -> None:
    made(shell)
    done = inside(shell, "brain", "keys", "create", "bot", "--scope", "memory.read")
    assert done.out.startswith("ak_test_")
    assert done.out.count("\n") == 1
    assert "not shown again" in done.err


def test_a_key_may_be_saved_as_a_profile_at_once(shell: Shell) -> None:
    made(shell)
    created(shell, "reader", "--scope", "memory.read", "--save-as", "reader")
    failed = inside(shell, "teach", "x", "-p", "reader")
    assert failed.code == 4
    assert failed.err.splitlines()[0].startswith("error: ")
    assert "memory.write" in failed.err
    assert "reader" in failed.err


def test_a_revoked_and_an_expired_key_fail_at_once(shell: Shell) -> None:
    made(shell)
    created(shell, "bot", "--scope", "memory.read", "--save-as", "bot")
    assert inside(shell, "search", "x", "-p", "bot").code == 0
    assert json.loads(inside(shell, "brain", "keys", "revoke", "bot", "--json").out)["state"] == "revoked"
    failed = inside(shell, "search", "x", "-p", "bot", "--json")
    assert (failed.code, json.loads(failed.err)["error"]["code"]) == (3, "api_key_revoked")
    states = json.loads(inside(shell, "brain", "keys", "list", "--json").out)["keys"]
    assert [(key["key_name"], key["state"]) for key in states] == [("owner", "live"), ("bot", "revoked")]


@pytest.mark.parametrize(
    "arguments",
    [
        ("bot",),
        ("bot", "--scope", "memory.rea"),
        ("bot", "--scope", ""),
        ("bot", "--scope", "memory.read", "--audience", "public"),
        ("bot", "--scope", "memory.read", "--expires", "0d"),
        ("bot", "--scope", "memory.read", "--expires", "90"),
        ("bot", "--scope", "memory.read", "--expires", "-1d"),
        ("bot", "--scope", "memory.read", "--expires", "٣d"),
        ("bot", "--scope", "memory.read", "--expires", "999999w"),
        ("bot", "--scope", "memory.read", "--save-as", "a.b"),
        ("", "--scope", "memory.read"),
        ("owner", "--scope", "memory.read"),
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(shell: Shell, arguments: tuple[str, ...]) -> None:
    made(shell)
    failed = inside(shell, "brain", "keys", "create", *arguments)
    assert (failed.code, failed.out) == (2, ""), failed.err
    assert inside(shell, "brain", "keys", "list").out.count("\n") == 1


def test_what_is_not_one_key_is_not_revoked(shell: Shell) -> None:
    made(shell)
    for name in ("nobody", "", "%", "own"):
        assert inside(shell, "brain", "keys", "revoke", "--", name).code == 5
    assert inside(shell, "search", "x").code == 0


# people and members


def test_people_are_bound_listed_and_forgotten(shell: Shell) -> None:
    made(shell)
    assert inside(shell, "brain", "people", "add", "cust_419", "--name", "Maria")[:2] == (
        0,
        "cust_419\tMaria\n",
    )
    assert inside(shell, "brain", "people", "add", "cust_419", "--name", "Maria\tB").code == 0
    whole = json.loads(inside(shell, "brain", "people", "list", "--json").out)
    assert whole == {"people": [{"id": "cust_419", "name": "Maria\tB"}]}
    assert inside(shell, "brain", "people", "list").out == "cust_419\tMaria\\tB\n"
    assert (
        inside(shell, "brain", "people", "list", "-o", "jsonl").out
        == '{"id":"cust_419","name":"Maria\\tB"}\n'
    )
    assert inside(shell, "brain", "people", "remove", "CUST_419").code == 5
    assert json.loads(inside(shell, "brain", "people", "remove", "cust_419", "--json").out) == {
        "removed": "cust_419"
    }
    assert json.loads(inside(shell, "brain", "people", "list", "--json").out) == {"people": []}


def test_members_are_named_listed_and_forgotten(shell: Shell) -> None:
    made(shell)
    for _ in range(2):
        assert inside(shell, "brain", "members", "add", "Priya Nair")[:2] == (0, "Priya Nair\n")
    assert json.loads(inside(shell, "brain", "members", "list", "--json").out) == {
        "members": [{"name": "Priya Nair"}]
    }
    assert inside(shell, "brain", "members", "remove", "Priya").code == 5
    assert inside(shell, "brain", "members", "remove", "Priya Nair").out == "Priya Nair\n"
    assert inside(shell, "brain", "members", "list") == (0, "", "")


@pytest.mark.parametrize(
    "arguments",
    [
        ("members", "remove"),
        ("people", "remove"),
        ("workers", "remove"),
        ("keys", "revoke"),
        ("facts", "show"),
        ("facts", "why"),
        ("facts", "restore"),
        ("facts", "forget", "--yes"),
        ("explain", "x", "--as"),
    ],
)
def test_what_is_not_there_has_one_exit_code_in_every_command(
    shell: Shell, arguments: tuple[str, ...]
) -> None:
    made(shell)
    done = inside(shell, "brain", *arguments, "nobody")
    assert (done.code, done.out) == (5, ""), done.err
    assert "There is no" in done.err


@pytest.mark.parametrize(
    "arguments", [("people", "add", "", "--name", "M"), ("people", "add", "x", "--name", " ")]
)
def test_nobody_without_an_id_and_a_name(shell: Shell, arguments: tuple[str, ...]) -> None:
    made(shell)
    assert inside(shell, "brain", *arguments).code == 2


def test_an_external_key_sees_its_own_customer_and_no_other(shell: Shell) -> None:
    made(shell)
    inside(shell, "brain", "people", "add", "cust_1", "--name", "Maria")
    inside(shell, "brain", "people", "add", "cust_2", "--name", "Tom")
    inside(shell, "teach", "Maria moved her wedding to 12 September.", "Tom wants a vegan wedding menu.")
    created(shell, "bot", "--audience", "external", "--scope", "memory.read", "--save-as", "bot")
    assert "Tom wants a vegan wedding menu." in texts(shell, "wedding", "--end-user", "cust_2")
    assert texts(shell, "wedding", "-p", "bot", "--end-user", "cust_2") == ["Tom wants a vegan wedding menu."]
    for arguments, hidden in (
        (("--end-user", "cust_1"), "Tom"),
        (("--end-user", "cust_2"), "Maria"),
        (("--end-user", "cust_3", "--end-user-name", "Maria"), "Maria"),
        ((), "Maria"),
    ):
        found = texts(shell, "wedding Maria Tom", "-p", "bot", *arguments)
        assert not any(hidden in text for text in found)


def test_the_owners_commands_work_on_no_hosted_brain(hosting: Hosting, shell: Shell) -> None:
    inside(shell, "keys", "add", "x", "--key-stdin", "--no-check", stdin=SECRET)
    failed = inside(shell, "brain", "keys", "list", "--env", "production")
    assert (failed.code, "is a brain elsewhere" in failed.err) == (2, True)


def test_verbose_says_why_a_run_failed_on_a_brain_of_ones_own(shell: Shell) -> None:
    inside(shell, "brain", "init", "--quiet")
    inside(shell, "brain", "workers", "set", "main", "--model", "m", "--base-url", "http://127.0.0.1:9/v1")
    quiet = shell.run("ask", "hello")
    told = shell.run("ask", "hello", "--verbose")
    assert (quiet.code, told.code) == (9, 9)
    assert "could not be asked" not in quiet.err
    assert "could not be asked" in told.err

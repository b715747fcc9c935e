"""Which key a command uses."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainctl.contract.errors import BrainError
from brainctl.profiles.access import choose
from brainctl.profiles.book import Book
from brainctl.profiles.entries import SecretPlace

LIVE = "ak_live_x7f4longsecret"
TEST = "ak_test_q1w2longsecret"
LOCAL_URL = "http://127.0.0.1:8787"


def a_book() -> Book:
    def profile(variable: str) -> dict[str, object]:
        return {"secret": {"kind": "env", "variable": variable}}

    return Book(
        {
            "current": "home",
            "environments": {
                "production": {
                    "current": "p1",
                    "profiles": {"p1": profile("K_P1"), "flagged": profile("K_FLAG")},
                },
                "home": {
                    "base_url": LOCAL_URL,
                    "current": "h1",
                    "profiles": {"h1": profile("K_H1"), "named": profile("K_NAMED")},
                },
                "flagenv": {"base_url": LOCAL_URL, "current": "f1", "profiles": {"f1": profile("K_F1")}},
                "varenv": {"base_url": LOCAL_URL, "current": "v1", "profiles": {"v1": profile("K_V1")}},
            },
        }
    )


SECRETS = {name: f"key-of-{name}" for name in ("K_P1", "K_FLAG", "K_H1", "K_NAMED", "K_F1", "K_V1")}


@pytest.mark.parametrize(
    "switches", list(product((False, True), repeat=5)), ids=lambda on: "".join("01"[s] for s in on)
)
def test_the_first_source_that_is_set_wins(switches: tuple[bool, ...]) -> None:
    flag_profile, flag_env, key, named, env = switches
    environ = dict(SECRETS)
    environ["ALFERA_API_KEY"] = LIVE if key else ""
    environ["BRAINCTL_PROFILE"] = "named" if named else ""
    environ["BRAINCTL_ENV"] = "varenv" if env else ""
    if flag_profile:
        # A profile flag together with an environment flag is a profile within that environment.
        expected, chosen_by = ("key-of-K_FLAG", "--profile") if not flag_env else ("key-of-K_F1", "--profile")
    elif flag_env:
        expected, chosen_by = "key-of-K_F1", "--env"
    elif key:
        expected, chosen_by = LIVE, "the variable ALFERA_API_KEY"
    elif named:
        expected, chosen_by = "key-of-K_NAMED", "BRAINCTL_PROFILE"
    elif env:
        expected, chosen_by = "key-of-K_V1", "BRAINCTL_ENV"
    else:
        expected, chosen_by = "key-of-K_H1", "the current environment"
    access = choose(
        environ,
        profile=("f1" if flag_env else "flagged") if flag_profile else None,
        environment="flagenv" if flag_env else None,
        book=a_book,
    )
    assert (access.secret(), access.chosen_by) == (expected, chosen_by)
    production = key and not (flag_profile or flag_env)
    assert access.base_url == (
        "https://api.alfera.ai" if production or expected == "key-of-K_FLAG" else LOCAL_URL
    )


def test_no_key_names_the_three_ways_on(environ: dict[str, str]) -> None:
    with pytest.raises(BrainError) as caught:
        choose(environ)
    assert caught.value.code == "no_key"
    for way in ("ALFERA_API_KEY", "brainctl keys add", "brainctl brain init"):
        assert way in caught.value.message


def test_an_environment_without_a_current_profile_does_not_fall_back_to_the_variable() -> None:
    book = Book({"environments": {"dev": {"base_url": LOCAL_URL}}})
    with pytest.raises(BrainError) as caught:
        choose({"ALFERA_API_KEY": LIVE}, environment="dev", book=lambda: book)
    assert caught.value.code == "no_key"
    assert "brainctl keys add NAME --env dev" in caught.value.message


def test_a_key_in_the_variable_needs_no_configuration_at_all() -> None:
    def unreadable() -> Book:
        raise AssertionError

    access = choose({"ALFERA_API_KEY": LIVE}, book=unreadable)
    assert (access.environment, access.base_url, access.profile) == (
        "production",
        "https://api.alfera.ai",
        None,
    )
    assert access.secret() == LIVE


def test_the_base_url_variable_goes_with_the_key_variable() -> None:
    access = choose({"ALFERA_API_KEY": TEST, "BRAINCTL_BASE_URL": f"{LOCAL_URL}/brain/"})
    assert (access.environment, access.base_url, access.warnings) == (None, f"{LOCAL_URL}/brain", ())


def test_the_base_url_variable_does_not_move_a_profile_and_says_so() -> None:
    access = choose({"BRAINCTL_BASE_URL": "https://elsewhere.example", "K_H1": LIVE}, book=a_book)
    assert access.base_url == LOCAL_URL
    assert [warning for warning in access.warnings if "BRAINCTL_BASE_URL" in warning]


def test_a_test_key_is_not_sent_to_production() -> None:
    with pytest.raises(BrainError, match="ak_test_") as caught:
        choose({"ALFERA_API_KEY": TEST})
    assert caught.value.code == "usage"
    assert TEST not in caught.value.message


@pytest.mark.parametrize(
    "url", ["https://api.alfera.ai", "https://API.alfera.ai:443/", "https://api.alfera.ai."]
)
def test_production_is_known_by_its_host_whatever_the_environment_is_called(url: str) -> None:
    place = {"kind": "env", "variable": "K"}
    book = Book({"environments": {"mine": {"base_url": url, "profiles": {"a": {"secret": place}}}}})
    access = choose({"K": TEST}, profile="mine/a", book=lambda: book)
    with pytest.raises(BrainError, match="not sent"):
        access.secret()
    assert choose({"K": LIVE}, profile="mine/a", book=lambda: book).secret() == LIVE


def test_a_live_key_is_not_sent_where_keys_are_test_keys() -> None:
    place = {"kind": "env", "variable": "K"}
    entry = {"base_url": LOCAL_URL, "label": "ak_test_", "profiles": {"a": {"secret": place}}}
    book = Book({"environments": {"dev": entry}})
    with pytest.raises(BrainError, match="not sent"):
        choose({"K": LIVE}, profile="dev/a", book=lambda: book).secret()
    assert choose({"K": TEST}, profile="dev/a", book=lambda: book).secret() == TEST
    assert choose({"K": "plain-key"}, profile="dev/a", book=lambda: book).secret() == "plain-key"


def test_a_plain_profile_name_is_looked_for_here_first_then_where_it_is_the_only_one() -> None:
    place = {"secret": {"kind": "env", "variable": "K"}}
    book = Book(
        {
            "current": "dev",
            "environments": {
                "dev": {"base_url": LOCAL_URL, "profiles": {"both": place}},
                "stage": {"base_url": LOCAL_URL, "profiles": {"both": place, "twice": place}},
                "third": {"base_url": LOCAL_URL, "profiles": {"twice": place, "once": place}},
            },
        }
    )
    assert book.find("both").slot == "dev/both"
    assert book.find("both", prefer="stage").slot == "stage/both"
    assert book.find("both", prefer="gone").slot == "dev/both"
    assert book.find("once").slot == "third/once"
    assert book.find("stage/twice").slot == "stage/twice"
    with pytest.raises(BrainError, match="stage/twice or third/twice"):
        book.find("twice")
    with pytest.raises(BrainError, match="no profile nobody"):
        book.find("nobody")
    with pytest.raises(BrainError, match="not in the environment third"):
        book.find("stage/twice", environment="third")


@pytest.mark.parametrize(
    "key", [f" {LIVE}", f"{LIVE}\u200b", f'"{LIVE}"', f"Bearer {LIVE}", "$ALFERA_KEY", f"{LIVE}\n\n"]
)
def test_a_key_variable_that_cannot_be_a_key_is_refused_without_its_value(key: str) -> None:
    with pytest.raises(BrainError) as caught:
        choose({"ALFERA_API_KEY": key})
    assert caught.value.code == "no_key"
    assert "x7f4" not in str(caught.value)


def test_one_line_end_after_the_key_is_passed_over() -> None:
    assert choose({"ALFERA_API_KEY": f"\ufeff{LIVE}\r\n"}).secret() == LIVE


def test_a_local_store_takes_any_label_since_nothing_is_sent() -> None:
    place = {"secret": {"kind": "env", "variable": "K"}}
    entry = {
        "store": "/somewhere/brain.db",
        "label": "ak_test_",
        "current": "own",
        "profiles": {"own": place},
    }
    access = choose(
        {"K": LIVE, "ALFERA_API_KEY": TEST},
        environment="local",
        book=lambda: Book({"environments": {"local": entry}}),
    )
    assert (access.store, access.base_url, access.secret()) == ("/somewhere/brain.db", None, LIVE)


def test_neither_an_access_nor_what_it_was_read_from_shows_the_secret() -> None:
    access = choose({"ALFERA_API_KEY": LIVE})
    access.secret()
    assert "x7f4" not in repr(access)
    assert "x7f4" not in repr(access._reading)  # noqa: SLF001  # the secret's own wrapper is what a debugger shows


@given(
    before=st.text(max_size=20),
    after=st.text(max_size=20),
    base_url=st.sampled_from(["", "https://brain.example.com", "http://evil.example"]),
)
def test_no_error_ever_holds_the_secret(before: str, after: str, base_url: str) -> None:
    environ = {"ALFERA_API_KEY": f"{before}{LIVE}{after}", "BRAINCTL_BASE_URL": base_url}
    shown = ""
    try:
        access = choose(environ)
        access.secret()
        shown = repr(access)
    except BrainError as error:
        shown = f"{error} {error.report()} {error.__context__} {error.__cause__}"
    assert "longsecret" not in shown


def test_the_secret_of_a_profile_is_read_only_when_it_is_asked_for() -> None:
    book = Book()
    book.add_profile(a_book().profile("production", "p1")._replace(place=SecretPlace("env", "LATER")))
    access = choose({}, book=lambda: book)
    with pytest.raises(BrainError, match="LATER") as caught:
        access.secret()
    assert caught.value.code == "no_key"

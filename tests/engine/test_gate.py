from pathlib import Path

import pytest

from brainctl.contract.bounds import SCOPES
from brainctl.contract.errors import BrainError
from brainctl.engine import gate
from brainctl.engine.ids import Entropy
from tests.engine.house import NOW, House

pytestmark = pytest.mark.both_stores

NOW_MS = int(NOW * 1000)


def code_of(house: House, secret: str, now_ms: int = NOW_MS) -> str:
    with pytest.raises(BrainError) as refused:
        gate.admit(house.owner.store, secret, now_ms)
    return refused.value.code


def test_a_secret_is_a_label_and_at_least_thirty_two_letters_and_digits(house: House) -> None:
    secret = house.key("internal")
    assert secret.startswith("ak_test_")
    assert len(secret) == len("ak_test_") + 43
    assert secret.removeprefix("ak_test_").isalnum()
    assert secret != house.key("internal")


def test_a_key_is_admitted_as_it_was_made(house: House) -> None:
    made = house.owner.create_key("mine", "external", ["answers.write", "memory.read"], NOW_MS + 5)
    key = gate.admit(house.owner.store, made.secret, NOW_MS)
    assert key == made.key
    assert key.scopes == ("memory.read", "answers.write")
    assert (key.name, key.audience, key.prefix) == ("mine", "external", made.secret[:12])
    assert (key.created, key.expires, key.revoked) == (NOW_MS, NOW_MS + 5, None)


@pytest.mark.parametrize("secret", ["", "ak_test_", "ak_live_x7f4", "\ud800", "ключ", "x" * 100_000])
def test_a_secret_that_is_no_keys_is_invalid(house: House, secret: str) -> None:
    made = house.key("internal")
    assert code_of(house, secret) == "api_key_invalid"
    assert code_of(house, made[:-1]) == "api_key_invalid"
    assert code_of(house, made + " ") == "api_key_invalid"


def test_a_key_expires_at_its_moment_and_not_before(house: House) -> None:
    secret = house.owner.create_key("short", "internal", SCOPES, NOW_MS + 1000).secret
    assert gate.admit(house.owner.store, secret, NOW_MS + 999).name == "short"
    assert code_of(house, secret, NOW_MS + 1000) == "api_key_expired"


def test_a_revoked_key_is_revoked_also_after_its_expiry(house: House) -> None:
    secret = house.owner.create_key("short", "internal", SCOPES, NOW_MS + 1000).secret
    assert house.owner.revoke_key("short").revoked == NOW_MS
    assert code_of(house, secret) == "api_key_revoked"
    assert code_of(house, secret, NOW_MS + 1000) == "api_key_revoked"


def test_a_missing_scope_is_named(house: House) -> None:
    key = house.owner.create_key("reader", "internal", ["memory.read"]).key
    gate.require(key, "memory.read")
    with pytest.raises(BrainError) as refused:
        gate.require(key, "memory.write")
    assert refused.value.code == "scope_missing"
    assert refused.value.message == "This API key is missing the 'memory.write' scope"
    assert refused.value.details == {"scope": "memory.write"}
    assert refused.value.http_status == 403


@pytest.mark.parametrize("which", ["name", "prefix", "shown prefix", "id"])
def test_a_key_is_revoked_by_whatever_it_is_called(house: House, which: str) -> None:
    made = house.owner.create_key("mine", "internal", SCOPES)
    called = {
        "name": "mine",
        "prefix": made.key.prefix,
        "shown prefix": made.key.prefix + "…",
        "id": made.key.key_id,
    }
    assert house.owner.revoke_key(called[which]).key_id == made.key.key_id
    assert code_of(house, made.secret) == "api_key_revoked"
    with pytest.raises(BrainError) as refused:
        house.owner.revoke_key(called[which])
    assert refused.value.code == "not_found"


def test_a_name_goes_before_the_prefix_of_another_key(house: House) -> None:
    first = house.owner.create_key("mine", "internal", SCOPES)
    second = house.owner.create_key(first.key.prefix, "internal", SCOPES)
    assert house.owner.revoke_key(first.key.prefix).key_id == second.key.key_id


def test_a_prefix_of_two_keys_revokes_neither(house: House) -> None:
    def entropy_for(number: int) -> Entropy:
        # The first four characters of the secret are the same, the rest is not.
        return lambda count: (number * 62**4).to_bytes(count, "big")

    for number in (1, 2):
        gate.create_key(
            house.owner.store,
            1,
            f"key {number}",
            "internal",
            SCOPES,
            now_ms=NOW_MS,
            entropy=entropy_for(number),
        )
    assert len({key.prefix for key in house.owner.keys()}) == 1
    with pytest.raises(BrainError, match="several keys"):
        house.owner.revoke_key(house.owner.keys()[0].prefix)
    assert [key.revoked for key in house.owner.keys()] == [None, None]


def test_of_keys_that_have_had_a_name_the_live_one_is_meant(house: House) -> None:
    first = house.owner.create_key("mine", "internal", SCOPES).key
    house.owner.revoke_key("mine")
    house.now += 1
    house.owner.create_key("mine", "internal", SCOPES)
    house.owner.revoke_key("mine")
    with pytest.raises(BrainError, match="several keys"):
        gate.key_named(house.owner.keys(), "mine")
    assert gate.key_named(house.owner.keys(), first.key_id).key_id == first.key_id
    live = house.owner.create_key("mine", "internal", SCOPES).key
    assert gate.key_named(house.owner.keys(), "mine").key_id == live.key_id


def test_a_live_keys_name_is_taken_until_it_is_revoked(house: House) -> None:
    house.owner.create_key("mine", "internal", SCOPES)
    with pytest.raises(BrainError, match="already"):
        house.owner.create_key("mine", "external", SCOPES)
    house.owner.revoke_key("mine")
    house.now += 1
    house.owner.create_key("mine", "external", SCOPES)
    assert [(key.name, key.revoked is None) for key in house.owner.keys()] == [
        ("mine", False),
        ("mine", True),
    ]


@pytest.mark.parametrize(
    ("name", "audience", "scopes", "expires"),
    [
        ("", "internal", ["memory.read"], None),
        (" ", "internal", ["memory.read"], None),
        ("x" * 201, "internal", ["memory.read"], None),
        ("x", "public", ["memory.read"], None),
        ("x", "internal", [], None),
        ("x", "internal", ["memory.read", "everything"], None),
        ("x", "internal", ["memory.read"], NOW_MS),
    ],
)
def test_a_key_that_makes_no_sense_is_not_made(
    house: House, name: str, audience: str, scopes: list[str], expires: int | None
) -> None:
    with pytest.raises(BrainError) as refused:
        house.owner.create_key(name, audience, scopes, expires)
    assert refused.value.code == "validation_error"
    assert house.owner.keys() == []


@pytest.mark.of_a_file
def test_a_secret_is_nowhere_but_in_its_owners_hands(house: House) -> None:
    made = house.owner.create_key("mine", "internal", SCOPES)
    brain = house.brain(made.secret)
    brain.teach({"facts": [{"text": "We close on Mondays."}]})
    shown = [repr(made), str(made), repr(brain), repr(made.key), repr(house.owner), repr(vars(house.owner))]
    for text in shown:
        assert made.secret not in text
    random_part = made.secret.removeprefix("ak_test_").encode()
    for file in Path(house.path).parent.iterdir():
        assert random_part not in file.read_bytes()
        assert random_part[5:] not in file.read_bytes()

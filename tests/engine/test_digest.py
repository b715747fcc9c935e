import hashlib
import hmac

from hypothesis import given
from hypothesis import strategies as st

from brainctl.engine.digest import first_of, same_digest, sha256


@given(st.binary(max_size=300))
def test_the_light_way_gives_what_the_standard_one_gives(data: bytes) -> None:
    assert sha256(data) == hashlib.sha256(data).digest()


@given(st.binary(min_size=32, max_size=32), st.binary(min_size=32, max_size=32))
def test_digests_are_compared_whole(one: bytes, other: bytes) -> None:
    assert same_digest(one, one)
    assert same_digest(one, other) == (one == other)
    assert not same_digest(one, one[:-1])


def test_a_python_without_the_light_way_takes_the_standard_one() -> None:
    assert first_of(("no_such_module", "x"), ("hmac", "no_such_name"), ("hmac", "digest")) is hmac.digest

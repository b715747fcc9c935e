"""Which hosts are this machine: where a key may go over plain HTTP, and what is served without asking first."""

import pytest

from brainctl.contract.addresses import is_loopback


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "127.0.0.1", "127.9.9.9", "::1", "0:0:0:0:0:0:0:1"]
)
def test_this_machine_has_several_names(host: str) -> None:
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host",
    [
        "",
        "0.0.0.0",
        "::",
        "10.0.0.1",
        "127.1",
        "127.999.0.1",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "brain.example",
    ],
)
def test_whatever_may_be_another_machine_is_none_of_them(host: str) -> None:
    assert not is_loopback(host)

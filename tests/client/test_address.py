"""Addresses, proxies and certificates: what is used, and what is refused in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from brainctl.client.address import parse_address
from brainctl.client.certificates import tls_context
from brainctl.client.http_brain import HttpBrain
from brainctl.client.proxies import proxy_for
from brainctl.contract.errors import BrainError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.client.conftest import Desk

API = parse_address("https://api.alfera.ai")


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("https://api.alfera.ai", "https://api.alfera.ai"),
        ("https://api.alfera.ai//", "https://api.alfera.ai"),
        ("https://h.example:8443/brain/", "https://h.example:8443/brain"),
        ("http://[::1]:8787", "http://[::1]:8787"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://127.9.9.9", "http://127.9.9.9"),
    ],
)
def test_a_sound_base_url_is_kept(base_url: str, url: str) -> None:
    assert parse_address(base_url).url == url


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "api.alfera.ai",
        "h/api",
        " https://h.example",
        "https://h.example\n",
        "https://",
        "https://h.example/api?x=1",
        "https://h.example/#f",
        "https://user:pw@h.example",
        "https://api.alfera.ai\\@evil.example",
        "https://h.example:port",
        "https://[::1",
        "ftp://h.example",
        "http://api.alfera.ai",
        "http://192.168.0.4:8787",
        "http://localhost.evil.example",
        "http://0.0.0.0:8787",
    ],
)
def test_an_unsound_base_url_is_refused_before_anything_is_sent(base_url: str) -> None:
    with pytest.raises(BrainError) as caught:
        HttpBrain(base_url, "ak_live_x7f4Qm2Zr9TtLw0VbN8cKd")
    assert caught.value.code == "usage"
    assert "pw" not in caught.value.message


@pytest.mark.parametrize(
    ("environ", "found"),
    [
        ({}, None),
        ({"HTTPS_PROXY": "http://p:3128"}, ("HTTPS_PROXY", "http://p:3128")),
        ({"HTTPS_PROXY": "http://p:1", "https_proxy": "q:2"}, ("https_proxy", "http://q:2")),
        ({"ALL_PROXY": "socks5://p:1"}, ("ALL_PROXY", "socks5://p:1")),
        ({"HTTP_PROXY": "http://p:1"}, None),
        ({"HTTPS_PROXY": " "}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": "*"}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": "x, alfera.ai"}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": ".alfera.ai"}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": "*.ALFERA.ai"}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": "api.alfera.ai:443"}, None),
        ({"HTTPS_PROXY": "p:1", "NO_PROXY": "api.alfera.ai:8443"}, ("HTTPS_PROXY", "http://p:1")),
        (
            {"HTTPS_PROXY": "p:1", "NO_PROXY": "fera.ai,fd00::/8,[::1],10.0.0.0/8,,."},
            ("HTTPS_PROXY", "http://p:1"),
        ),
    ],
)
def test_the_proxy_is_the_environments(environ: dict[str, str], found: tuple[str, str] | None) -> None:
    assert proxy_for(API, environ) == found


@pytest.mark.parametrize(
    ("host", "no_proxy"),
    [
        ("10.1.2.3", "10.0.0.0/8"),
        ("10.1.2.3", "10.1.2.3"),
        ("[fd00::5]", "fd00::/8"),
        ("[fd00::5]", "[fd00::5]"),
        ("[fd00::5]", "[fd00::]/8"),
        ("[fd00::5]:8443", "[fd00::5]:8443"),
    ],
)
def test_addresses_and_networks_are_exempt_from_the_proxy(host: str, no_proxy: str) -> None:
    environ = {"HTTPS_PROXY": "http://p:1", "NO_PROXY": no_proxy}
    assert proxy_for(parse_address(f"https://{host}"), environ) is None
    assert proxy_for(API, environ) is not None


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:1", "https://localhost", "https://[::1]:8443"])
def test_loopback_never_goes_through_a_proxy(base_url: str) -> None:
    environ = {"HTTPS_PROXY": "http://p:1", "ALL_PROXY": "http://p:1"}
    assert proxy_for(parse_address(base_url), environ) is None


@pytest.mark.parametrize(
    "value",
    ["gopher://u:hunter2@p:1", "socks5://u:hunter2@p:1", "http://u:hunter2@p:port", "http://u:hunter2@[::1"],
)
def test_a_proxy_that_cannot_be_used_names_its_variable_and_no_password(desk: Desk, value: str) -> None:
    brain = desk.brain("https://brain.example", environ={"HTTPS_PROXY": value})
    with pytest.raises(BrainError) as caught:
        brain.search({"query": "x"})
    assert caught.value.code == "unreachable"
    assert "HTTPS_PROXY" in caught.value.message
    assert "hunter2" not in caught.value.message
    assert desk.slept == []


def test_a_proxy_that_is_not_there_is_named_by_its_variable(desk: Desk) -> None:
    brain = desk.brain(
        "https://brain.example", environ={"https_proxy": "http://u:hunter2@127.0.0.1:1"}, retries=0
    )
    with pytest.raises(BrainError) as caught:
        brain.search({"query": "x"})
    assert caught.value.code == "unreachable"
    assert "https_proxy" in caught.value.message
    assert "hunter2" not in caught.value.message


def test_certificates_that_are_not_there_are_named_by_their_variable(desk: Desk, tmp_path: Path) -> None:
    (tmp_path / "empty.pem").write_text("")
    for variable, value in [
        ("SSL_CERT_FILE", tmp_path / "none.pem"),
        ("SSL_CERT_FILE", tmp_path / "empty.pem"),
        ("SSL_CERT_FILE", tmp_path),
        ("SSL_CERT_DIR", tmp_path / "none"),
    ]:
        brain = desk.brain("https://brain.example", environ={variable: str(value)})
        with pytest.raises(BrainError) as caught:
            brain.search({"query": "x"})
        assert caught.value.code == "unreachable"
        assert variable in caught.value.message


def test_plain_http_needs_no_certificates_and_would_trust_none() -> None:
    context = tls_context({"SSL_CERT_FILE": "/nonexistent"}, needed=False)
    assert context.check_hostname
    assert context.cert_store_stats()["x509"] == 0


def test_secure_connections_have_certificates() -> None:
    assert tls_context({}, needed=True).cert_store_stats()["x509"] > 0

"""Which addresses may get a key."""

import pytest

from brainctl.contract.errors import BrainError
from brainctl.profiles.addresses import check_base_url


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        ("https://api.alfera.ai", "https://api.alfera.ai"),
        ("https://api.alfera.ai///", "https://api.alfera.ai"),
        ("HTTPS://Brain.Example.COM/Team/A/", "https://brain.example.com/Team/A"),
        ("https://brain.example.com:8443", "https://brain.example.com:8443"),
        ("https://[2001:db8::1]:8443/x", "https://[2001:db8::1]:8443/x"),
        ("https://xn--caf-dma.example", "https://xn--caf-dma.example"),
        ("https://brain_1.internal", "https://brain_1.internal"),
        ("http://localhost:8787", "http://localhost:8787"),
        ("http://127.0.0.1", "http://127.0.0.1"),
        ("http://127.9.8.7:1/", "http://127.9.8.7:1"),
        ("http://[::1]:8787", "http://[::1]:8787"),
    ],
)
def test_an_address_is_taken_in_its_plain_form(given: str, plain: str) -> None:
    assert check_base_url(given) == plain


@pytest.mark.parametrize(
    "given",
    [
        "",
        "h/api",
        "api.alfera.ai",
        "ftp://api.alfera.ai",
        "https:api.alfera.ai",
        "https://",
        "https:///path",
        "https://:443",
        "https://h/api?x=1",
        "https://h/api?",
        "https://h/#part",
        "https://user:hunter2@h",
        "https://hunter2@h",
        " https://h",
        "https://h\n",
        "https://h/\ta",
        "https://h\u00a0x",
        "https://caf\u00e9.example",
        "https://h\\@evil.example",
        "https://h:0",
        "https://h:",
        "https://h:99999",
        "https://h:8o",
        "https://[::1",
        "https://[fe80::1%25eth0]",
        "https://-h",
        "https://h%41",
        "http://api.alfera.ai",
        "http://localhost.evil.example",
        "http://127.0.0.1.evil.example",
        "http://localhost@evil.example",
        "http://0.0.0.0:8787",
        "http://10.0.0.1",
        "http://[::]",
        "http://2130706433",
        "http://0x7f.1",
        "https://h/" + "a" * 2000,
    ],
)
def test_an_address_that_could_mislead_is_refused_without_being_quoted(given: str) -> None:
    with pytest.raises(BrainError) as caught:
        check_base_url(given)
    assert caught.value.code == "usage"
    assert "hunter2" not in str(caught.value)
    assert "evil" not in str(caught.value)

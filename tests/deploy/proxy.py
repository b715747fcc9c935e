"""A real nginx with the settings that the repository ships, in front of these brains."""

import os
import shutil
import socket
import ssl
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tests.cli.shell import eventually
from tests.deploy.units import DEPLOY
from tests.server.process import Process

NGINX: Final = shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin:/usr/local/sbin")
OPENSSL: Final = shutil.which("openssl")
_CERTIFICATES: Final = "/etc/letsencrypt/live/brain.example.com"
_HOUSE: Final = """\
daemon off;
{user}
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/brainctl.conf;
}}
"""
"""What a distribution's nginx.conf is to the file in its conf.d."""


class Proxy:
    """Where it listens, and how it is trusted."""

    def __init__(self, port: int, certificate: Path) -> None:
        self.port = port
        self.certificate = certificate
        self.trust = ssl.create_default_context(cafile=str(certificate))

    @property
    def base_url(self) -> str:
        return f"https://127.0.0.1:{self.port}"

    def connect(self) -> ssl.SSLSocket:
        raw = socket.create_connection(("127.0.0.1", self.port), 60)
        return self.trust.wrap_socket(raw, server_hostname="127.0.0.1")


@contextmanager
def proxied(folder: Path, brains: Sequence[Process]) -> Iterator[Proxy]:
    assert NGINX is not None
    certify(folder)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port: int = taken.getsockname()[1]
    (folder / "brainctl.conf").write_text(settings(folder, port, brains), "utf-8")
    user = "user root;" if os.geteuid() == 0 else ""
    (folder / "nginx.conf").write_text(_HOUSE.format(folder=folder, user=user), "utf-8")
    command = [NGINX, "-p", str(folder), "-c", str(folder / "nginx.conf"), "-e", str(folder / "error.log")]
    with subprocess.Popen(command) as process:
        try:
            proxy = Proxy(port, folder / "fullchain.pem")
            eventually(lambda: process.poll() is not None or _is_open(port))
            assert process.poll() is None, (folder / "error.log").read_text("utf-8")
            yield proxy
        finally:
            process.terminate()


def settings(folder: Path, port: int, brains: Sequence[Process]) -> str:
    """The settings as shipped, but for the addresses and the certificate."""
    text = (DEPLOY / "nginx.conf").read_text("utf-8")
    options = " max_fails=1 fail_timeout=10s;"
    servers = "\n".join(
        f"server {host}:{port}{options}" for host, port in (brain.address for brain in brains)
    )
    for shipped, here in (
        (f"server 127.0.0.1:8787{options}", servers),
        ("listen 443 ssl;", f"listen 127.0.0.1:{port} ssl;"),
        ("listen [::]:443 ssl;", ""),
        (f"{_CERTIFICATES}/fullchain.pem", f"{folder}/fullchain.pem"),
        (f"{_CERTIFICATES}/privkey.pem", f"{folder}/privkey.pem"),
    ):
        assert text.count(shipped) == 1, shipped
        text = text.replace(shipped, here)
    return text


def certify(folder: Path) -> None:
    """A certificate for the brain's name, and for this machine's address, where the tests find it."""
    assert OPENSSL is not None
    subprocess.run(
        [
            *(OPENSSL, "req", "-x509", "-nodes", "-days", "2", "-newkey", "ec"),
            *("-pkeyopt", "ec_paramgen_curve:prime256v1", "-subj", "/CN=brain.example.com"),
            *("-addext", "subjectAltName=DNS:brain.example.com,IP:127.0.0.1"),
            *("-keyout", str(folder / "privkey.pem"), "-out", str(folder / "fullchain.pem")),
        ],
        capture_output=True,
        check=True,
    )


def _is_open(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True

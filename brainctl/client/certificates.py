"""Whose certificates we believe, as the environment says it."""

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING

from brainctl.client.failures import ExchangeError

if TYPE_CHECKING:
    import ssl


def tls_context(environ: Mapping[str, str], *, needed: bool) -> "ssl.SSLContext":
    """The TLS settings of a client. Raises `unreachable`, naming the variable, where its certificates cannot be read.

    Where TLS is not `needed` (plain http on this machine) the context is empty: it costs 2 ms and not 40, and
    should it ever be used after all, it trusts nobody.
    """
    import ssl

    if not needed:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    if file := environ.get("SSL_CERT_FILE"):
        if not os.path.exists(file):
            raise _unusable("SSL_CERT_FILE", "names a file that is not there")
        if not os.path.isfile(file):
            raise _unusable("SSL_CERT_FILE", "names no file that could hold certificates")
        try:
            return ssl.create_default_context(cafile=file)
        except (ssl.SSLError, OSError):
            raise _unusable("SSL_CERT_FILE", "names a file that holds no readable certificate") from None
    if folder := environ.get("SSL_CERT_DIR"):
        if not os.path.isdir(folder):
            raise _unusable("SSL_CERT_DIR", "names a folder that is not there")
        return ssl.create_default_context(capath=folder)
    import certifi

    return ssl.create_default_context(cafile=certifi.where())


def _unusable(variable: str, why: str) -> ExchangeError:
    return ExchangeError(
        "unreachable",
        f"No secure connection can be made: {variable} {why}. Mend or unset {variable}.",
        sent=False,
    )

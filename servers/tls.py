"""Certificates for servers on this machine."""

import ssl
import subprocess
from pathlib import Path

from servers.programs import find_program


def make_certificate(folder: Path) -> Path:
    """Creates a self-signed certificate for `localhost`; its key is next to it, with the suffix `.key`.

    Raises:
        ProgramMissing: `openssl` is not installed.
    """
    openssl = find_program("openssl", package="openssl")
    path = folder / "server.pem"
    subprocess.run(
        [
            *(openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost"),
            *("-addext", "subjectAltName=DNS:localhost", "-keyout", path.with_suffix(".key"), "-out", path),
        ],
        check=True,
        capture_output=True,
    )
    return path


def tls_context(certificate: Path) -> ssl.SSLContext:
    """A server-side TLS context for a certificate made by `make_certificate`."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, certificate.with_suffix(".key"))
    return context

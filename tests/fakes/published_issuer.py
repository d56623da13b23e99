"""An issuer of tokens whose discovery document and keys are on a port of this machine, over TLS."""

from __future__ import annotations

import json
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

from servers.tls import tls_context
from tests.fakes.issuer import Issuer
from tests.serving import serve_aside


class PublishedIssuer(Issuer):
    """Its certificate is for `localhost`; clients trust it where `SSL_CERT_FILE` names it."""

    def __init__(self, certificate: Path) -> None:
        super().__init__()
        issuer = self

        class Pages(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                document = issuer.page(self.path)
                if document is None:
                    self.send_error(503)
                    return
                self.send_response(200)
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Pages)
        self._server.socket = tls_context(certificate).wrap_socket(self._server.socket, server_side=True)
        self.url = f"https://localhost:{self._server.server_port}/realms/company"
        serve_aside(self._server)

    def page(self, path: str) -> bytes | None:
        """What is at a path; none in an outage, and none at a place where keys are merely guessed."""
        if path == "/realms/company/.well-known/openid-configuration":
            return json.dumps({"issuer": self.url, "jwks_uri": f"{self.url}/certs"}).encode()
        return self.download() if path == "/realms/company/certs" and self.published is not None else None

    def claims(self, **changes: Any) -> dict[str, Any]:
        return super().claims(**{"iss": self.url, **changes})

    def close(self) -> None:
        """Stop publishing."""
        self._server.shutdown()
        self._server.server_close()

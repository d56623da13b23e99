"""The address of a managed OpenSearch domain: TLS, signed requests alone, and behind it a real node."""

from __future__ import annotations

import http.client
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from servers.tls import tls_context
from tests.e2e.signatures import NotSigned, signer_of

_PASSED_ON = ("content-type", "accept", "content-encoding", "accept-encoding")


class SearchDomain:
    """Checks who signed a request, notes it, and passes it on."""

    def __init__(
        self,
        node: str,
        certificate: Path,
        secret_of: Callable[[str], str | None],
        asked: Callable[[str, str, str], None],
    ) -> None:
        """Listen.

        Args:
            node: address of the node.
            certificate: for `localhost`, with its key beside it.
            secret_of: the secret of an access key.
            asked: told the access key, the method and the path of each request.
        """
        self.node, self.secret_of, self.asked = urlsplit(node), secret_of, asked
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Domain)
        self._server.domain = self  # type: ignore[attr-defined]
        context = tls_context(certificate)
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True, do_handshake_on_connect=False)
        self.endpoint = f"localhost:{self._server.server_port}"
        """As the attribute `DomainEndpoint` of the domain has it."""
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class _Domain(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    _upstream: http.client.HTTPConnection | None = None

    def _handle(self) -> None:
        domain: SearchDomain = self.server.domain  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        url = f"https://{self.headers['Host']}{self.path}"
        try:
            key = signer_of(self.command, url, dict(self.headers), body, service="es", secret_of=domain.secret_of)
        except NotSigned as refused:
            self._answer(403, {"content-type": "text/plain"}, str(refused).encode())
            return
        domain.asked(key, self.command, urlsplit(self.path).path)
        if self._upstream is None:
            self._upstream = http.client.HTTPConnection(domain.node.hostname or "", domain.node.port)
        headers = {name: value for name, value in self.headers.items() if name.lower() in _PASSED_ON}
        self._upstream.request(self.command, self.path, body or None, headers)
        answer = self._upstream.getresponse()
        data = answer.read()
        kept = {name: value for name, value in answer.getheaders() if name.lower() in _PASSED_ON}
        self._answer(answer.status, kept, data)

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = _handle  # noqa: N815  # names that the server looks up

    def _answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError, ssl.SSLError):
            if self.command != "HEAD":
                self.wfile.write(body)

    def finish(self) -> None:
        """Hang up on the node too."""
        if self._upstream is not None:
            self._upstream.close()
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""

"""An address of AWS that takes signed requests alone, and behind it a server that knows nothing of signatures."""

from __future__ import annotations

import http.client
import ssl
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from servers.tls import tls_context
from tests.e2e.signatures import NotSigned, signer_of
from tests.serving import serve_aside

_OF_THE_CONNECTION = ("connection", "content-length", "host", "transfer-encoding")


@dataclass(frozen=True)
class SignedRequest:
    """A request whose signature is right."""

    key: str
    """The access key that signed it."""
    method: str
    path: str
    """Without the query."""
    body: bytes


class SignedProxy:
    """Checks who signed a request, notes it, and passes it on."""

    def __init__(
        self,
        service_of: Callable[[str], str],
        *,
        secret_of: Callable[[str], str | None],
        asked: Callable[[SignedRequest], None],
        certificate: Path | None = None,
    ) -> None:
        """Listen.

        Args:
            service_of: the service for which a request of a path has to be signed.
            secret_of: the secret of an access key.
            asked: told each request.
            certificate: for `localhost`, with its key beside it; without one there is no TLS.
        """
        self.service_of, self.secret_of, self.asked = service_of, secret_of, asked
        self.upstream: str | None = None
        """Address of the server behind; without one every request is answered 503."""
        self.scheme = "https" if certificate else "http"
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
        self._server.proxy = self  # type: ignore[attr-defined]
        if certificate is not None:
            self._server.socket = tls_context(certificate).wrap_socket(
                self._server.socket, server_side=True, do_handshake_on_connect=False
            )
        self.endpoint = f"localhost:{self._server.server_port}"
        """Host and port."""
        serve_aside(self._server)

    def close(self) -> None:
        """Stop listening."""
        self._server.shutdown()
        self._server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    _upstream: http.client.HTTPConnection | None = None

    def _handle(self) -> None:
        proxy: SignedProxy = self.server.proxy  # type: ignore[attr-defined]
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = urlsplit(self.path).path
        url, headers, service = (
            f"{proxy.scheme}://{self.headers['Host']}{self.path}",
            dict(self.headers),
            proxy.service_of(path),
        )
        try:
            key = signer_of(self.command, url, headers, body, service=service, secret_of=proxy.secret_of)
        except NotSigned as refused:
            self._answer(403, {"content-type": "text/plain"}, str(refused).encode())
            return
        proxy.asked(SignedRequest(key, self.command, path, body))
        if proxy.upstream is None:
            self._answer(503, {"content-type": "text/plain"}, b"nothing is behind this address")
            return
        if self._upstream is None:
            behind = urlsplit(proxy.upstream)
            self._upstream = http.client.HTTPConnection(behind.hostname or "", behind.port)
        # With the host that was signed: what is behind may look at the signature too.
        passed = {**_kept(headers), "Host": self.headers["Host"]}
        self._upstream.request(self.command, self.path, body or None, passed)
        answer = self._upstream.getresponse()
        data = answer.read()
        self._answer(answer.status, _kept(dict(answer.getheaders())), data)

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
        """Hang up on the server behind too."""
        if self._upstream is not None:
            self._upstream.close()
        with suppress(OSError):
            super().finish()

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def _kept(headers: dict[str, str]) -> dict[str, str]:
    return {name: value for name, value in headers.items() if name.lower() not in _OF_THE_CONNECTION}

"""The API of an environment on a real port of this machine: it checks who asks, then lets the real retriever answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.e2e.signatures import NotSigned, signer_of
from tests.functions.calls import Context, api_request
from tests.serving import serve_aside

KEY, SECRET, REGION = "testing", "testing", "eu-central-1"
STAGE = "/dev"
TOKEN = "a.good-token"


@dataclass
class Api:
    """What stands where API Gateway would."""

    auth: str = "iam"
    address: str = ""
    instead: list[tuple[int, str]] = field(default_factory=list)
    """Answers that are given instead of the retriever's, one a request."""
    refused: list[str] = field(default_factory=list)
    """Why callers were refused."""
    asked: list[str] = field(default_factory=list)
    """Paths, in order."""

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, str]:
        """The status and body of one request."""
        self.asked.append(path)
        if self.instead:
            return self.instead.pop(0)
        problem = self._refusal(method, path, headers, body)
        if problem is not None:
            self.refused.append(problem)
            return 403, json.dumps({"message": problem})
        return _retriever(method, path.removeprefix(STAGE), body)

    def _refusal(self, method: str, path: str, headers: dict[str, str], body: bytes) -> str | None:
        said = headers.get("authorization", "")
        if self.auth == "jwt":
            return None if said == f"Bearer {TOKEN}" else "User is not authorized to access this resource"
        try:
            signer_of(method, self.address + path, headers, body, service="execute-api", secret_of={KEY: SECRET}.get)
        except NotSigned as problem:
            return f"Forbidden: {problem}"
        return None


@contextmanager
def serving(auth: str = "iam") -> Iterator[Api]:
    """An API on a free port."""
    api = Api(auth)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, text = api.answer(self.command, self.path, headers, body)
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("location", text)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    api.address = f"http://127.0.0.1:{server.server_port}"
    serve_aside(server)
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()


def _retriever(method: str, path: str, body: bytes) -> tuple[int, str]:
    from functions.retriever.handler import handle

    event = api_request(method, path, body.decode() or None)
    answered = handle(event, Context())
    return int(answered["statusCode"]), str(answered["body"])

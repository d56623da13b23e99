"""The API of an environment on a real port of this machine: it checks who asks, then lets the real retriever, or a
server with all routes, answer."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPResponse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import urlsplit

from tests.e2e.signatures import NotSigned, signer_of
from tests.functions.calls import Context, api_request
from tests.serving import serve_aside

KEY, SECRET, REGION = "testing", "testing", "eu-central-1"
OTHER_KEY = "other"
"""Of someone else, with the same secret."""
STAGE = "/dev"
TOKEN = "a.good-token"


@dataclass
class Api:
    """What stands where API Gateway would."""

    auth: str = "iam"
    address: str = ""
    instead: list[tuple[int, str]] = field(default_factory=list)
    """Answers that are given instead of the retriever's, one a request."""
    scripted: Callable[[str, str, bytes], tuple[int, str] | None] = lambda *_: None
    """Answers a request instead of the retriever, by its method, path without the stage, and body; `None` leaves it."""
    content_type: str = "application/json"
    """Of scripted answers."""
    refused: list[str] = field(default_factory=list)
    """Why callers were refused."""
    asked: list[str] = field(default_factory=list)
    """Paths, in order."""
    behind: str = ""
    """Address of a server that answers instead of the retriever."""
    tokens: Mapping[str, str] = field(default_factory=dict)
    """Its tokens of callers, by their access keys."""

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[int, str] | HTTPResponse:
        """The status and body of one request, or the response to pass on."""
        self.asked.append(path)
        if self.instead:
            return self.instead.pop(0)
        problem, key = self._caller(method, path, headers, body)
        if problem:
            self.refused.append(problem)
            return 403, json.dumps({"message": problem})
        scripted = self.scripted(method, path.removeprefix(STAGE), body)
        if scripted is not None:
            return scripted
        if self.behind:
            return self._passed_on(method, path.removeprefix(STAGE), headers | self._authorized(key), body)
        return _retriever(method, path.removeprefix(STAGE), body)

    def _caller(self, method: str, path: str, headers: dict[str, str], body: bytes) -> tuple[str, str]:
        """Why a request is refused, and the access key that has signed it."""
        said = headers.get("authorization", "")
        if self.auth == "jwt":
            return "" if said == f"Bearer {TOKEN}" else "User is not authorized to access this resource", KEY
        secrets = {KEY: SECRET, OTHER_KEY: SECRET}
        try:
            return "", signer_of(
                method, self.address + path, headers, body, service="execute-api", secret_of=secrets.get
            )
        except NotSigned as problem:
            return f"Forbidden: {problem}", ""

    def _authorized(self, key: str) -> dict[str, str]:
        return {"authorization": f"Bearer {self.tokens[key]}"}

    def _passed_on(self, method: str, path: str, headers: dict[str, str], body: bytes) -> HTTPResponse:
        passed = {"accept", "content-type", "authorization"}
        kept = {name: value for name, value in headers.items() if name in passed}
        connection = HTTPConnection(urlsplit(self.behind).netloc, timeout=60)
        connection.request(method, path, body, kept)
        return connection.getresponse()


@contextmanager
def serving(auth: str = "iam") -> Iterator[Api]:
    """An API on a free port."""
    api = Api(auth)

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def do_DELETE(self) -> None:
            self._answer()

        def _answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = {name.lower(): value for name, value in self.headers.items()}
            answer = api.answer(self.command, self.path, headers, body)
            if isinstance(answer, HTTPResponse):
                self._pass_on(answer)
                return
            status, text = answer
            self.send_response(status)
            if status in (301, 302, 307):
                self.send_header("location", text)
            self.send_header("content-type", api.content_type)
            self.send_header("content-length", str(len(text.encode())))
            self.end_headers()
            self.wfile.write(text.encode())

        def _pass_on(self, answer: HTTPResponse) -> None:
            """Send an answer on, piece by piece as it comes."""
            with closing(answer):
                self.send_response(answer.status)
                self.send_header("content-type", answer.headers["content-type"])
                self.end_headers()
                with suppress(BrokenPipeError, ConnectionResetError):
                    while piece := answer.read1():
                        self.wfile.write(piece)

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

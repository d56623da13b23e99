"""The API of an environment on a real port of this machine: it checks who asks, then lets the real retriever answer."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from tests.functions.calls import Context

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
        return None if said == signed(method, self.address + path, headers, body) else f"Forbidden: {said!r}"


def signed(method: str, address: str, headers: dict[str, str], body: bytes) -> str:
    """The `Authorization` that a request with these headers must have: the whole signature, made by botocore."""
    parts = headers.get("authorization", "").partition("SignedHeaders=")[2].partition(",")[0]
    request = AWSRequest(method, address, data=body, headers={name: headers[name] for name in parts.split(";")})
    signer = SigV4Auth(Credentials(KEY, SECRET), "execute-api", REGION)
    request.context["timestamp"] = headers["x-amz-date"]
    text = signer.string_to_sign(request, signer.canonical_request(request))
    scope = f"{KEY}/{headers['x-amz-date'][:8]}/{REGION}/execute-api/aws4_request"
    return f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders={parts}, Signature={signer.signature(text, request)}"


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
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield api
    finally:
        server.shutdown()
        server.server_close()


def _retriever(method: str, path: str, body: bytes) -> tuple[int, str]:
    from functions.retriever.handler import handle

    event: dict[str, Any] = {
        "resource": path,
        "path": path,
        "httpMethod": method,
        "headers": {"content-type": "application/json"},
        "multiValueHeaders": {},
        "queryStringParameters": None,
        "multiValueQueryStringParameters": None,
        "pathParameters": None,
        "stageVariables": None,
        "requestContext": {
            "authorizer": None,
            "path": path,
            "stage": "dev",
            "httpMethod": method,
            "requestId": "r",
            "identity": {"sourceIp": "127.0.0.1"},
        },
        "body": body.decode() or None,
        "isBase64Encoded": False,
    }
    answered = handle(event, Context())
    return int(answered["statusCode"]), str(answered["body"])

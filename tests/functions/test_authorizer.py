"""The authorizer lets in who bears a good token of the issuer, with its databases, and nobody else."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

from tests.functions.calls import Context

ARN = "arn:aws:execute-api:eu-central-1:123456789012:api/v1/POST/v1/tools/search_tables"
AUDIENCE = "tribal"


class Issuer:
    """Signs tokens, and serves its public key on a port of this machine."""

    def __init__(self) -> None:
        self._key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
        numbers = json.loads(jwt.algorithms.RSAAlgorithm.to_jwk(self._key.public_key()))
        document = json.dumps({"keys": [{**numbers, "kid": "one", "use": "sig", "alg": "RS256"}]}).encode()

        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Keys)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def token(self, *, key: Any = None, algorithm: str = "RS256", **claims: Any) -> str:
        now = int(time.time())
        content = {"iss": self.url, "aud": AUDIENCE, "sub": "ada", "exp": now + 600, "databases": ["shop"], **claims}
        present = {name: value for name, value in content.items() if value is not None}
        return jwt.encode(present, key or self._key, algorithm=algorithm, headers={"kid": "one"})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Issuer]:
    issuer = Issuer()
    for name, value in {
        "TRIBAL_TOKEN_ISSUER": issuer.url,
        "TRIBAL_TOKEN_AUDIENCE": AUDIENCE,
        "TRIBAL_TOKEN_SCOPE_CLAIM": "databases",
        "POWERTOOLS_SERVICE_NAME": "test",
        "POWERTOOLS_METRICS_NAMESPACE": "Test",
        "POWERTOOLS_TRACE_DISABLED": "true",
    }.items():
        monkeypatch.setenv(name, value)
    yield issuer
    issuer.close()


def answer(header: str) -> tuple[str, dict[str, str]]:
    """The effect for the whole stage, and the context that the retriever gets."""
    # Powertools reads the environment when the module is loaded.
    from functions.authorizer.handler import handle

    policy = handle({"authorizationToken": header, "methodArn": ARN}, Context())
    (statement,) = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == "arn:aws:execute-api:eu-central-1:123456789012:api/v1/*"
    return statement["Effect"], policy["context"]


def test_a_good_token_lets_in_with_its_databases(issuer: Issuer) -> None:
    assert answer(f"Bearer {issuer.token()}") == ("Allow", {"tribal_databases": "shop"})
    assert answer(f"bearer {issuer.token(databases='web shop')}") == ("Allow", {"tribal_databases": "shop,web"})
    assert answer(f"Bearer {issuer.token(databases=[])}") == ("Allow", {"tribal_databases": ""})


def test_without_a_claim_of_scope_everything_may_be_seen(issuer: Issuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("TRIBAL_TOKEN_SCOPE_CLAIM")
    assert answer(f"Bearer {issuer.token()}") == ("Allow", {})


@pytest.mark.parametrize(
    "claims",
    [
        {"exp": 1},
        {"exp": None},
        {"iss": "https://evil.example"},
        {"aud": "another"},
        {"sub": None},
        {"databases": None},
        {"databases": ["shop,crm"]},
        {"databases": 7},
    ],
    ids=str,
)
def test_a_token_that_is_not_as_it_should_be_keeps_out(issuer: Issuer, claims: dict[str, Any]) -> None:
    assert answer(f"Bearer {issuer.token(**claims)}") == ("Deny", {})


def test_a_token_that_somebody_else_signed_or_nobody_keeps_out(issuer: Issuer) -> None:
    forged = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    unsigned = jwt.encode({"iss": issuer.url, "aud": AUDIENCE, "sub": "ada"}, None, algorithm="none")  # type: ignore[arg-type]
    shared = issuer.token(key="a secret that whoever checks tokens would know", algorithm="HS256")
    for header in (
        f"Bearer {issuer.token(key=forged)}",
        f"Bearer {unsigned}",
        f"Bearer {shared}",
        f"Basic {issuer.token()}",
        issuer.token(),
        "Bearer ",
        "",
    ):
        assert answer(header) == ("Deny", {})

"""The authorizer lets in who bears a good token of the issuer, with its databases, and nobody else."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from tests.fakes.issuer import AUDIENCE, Issuer, rsa_key
from tests.functions.calls import Context
from tribal.edges.http.identity import KeysUnavailable

ARN = "arn:aws:execute-api:eu-central-1:123456789012:api/v1/POST/v1/tools/search_tables"


class Published(Issuer):
    """An issuer whose key set is on a port of this machine."""

    def __init__(self) -> None:
        super().__init__()
        issuer = self

        class Keys(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                if issuer.published is None:
                    self.send_error(503)
                    return
                document = issuer.download()
                self.send_response(200)
                self.send_header("Content-Length", str(len(document)))
                self.end_headers()
                self.wfile.write(document)

            def log_message(self, *_: object) -> None:
                """Nothing."""

        self._server = HTTPServer(("127.0.0.1", 0), Keys)
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def claims(self, **changes: Any) -> dict[str, Any]:
        return super().claims(**{"iss": self.url, **changes})

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def issuer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Published]:
    issuer = Published()
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


def answer(header: str | None) -> tuple[str, dict[str, str]]:
    """The effect for the whole stage, and the context that the retriever gets."""
    # Powertools reads the environment when the module is loaded.
    from functions.authorizer.handler import handle

    policy = handle({"authorizationToken": header, "methodArn": ARN}, Context())
    (statement,) = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == "arn:aws:execute-api:eu-central-1:123456789012:api/v1/*"
    return statement["Effect"], policy["context"]


def test_a_good_token_lets_in_with_its_databases(issuer: Published) -> None:
    assert answer(f"Bearer {issuer.token()}") == ("Allow", {"tribal_databases": "shop"})
    assert answer(f"bearer {issuer.token(databases='web shop')}") == ("Allow", {"tribal_databases": "shop,web"})
    assert answer(f"Bearer {issuer.token(databases=[])}") == ("Allow", {"tribal_databases": ""})


def test_without_a_claim_of_scope_nothing_may_be_seen(issuer: Published, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing = ("Allow", {"tribal_databases": ""})
    assert answer(f"Bearer {issuer.token(databases=None)}") == nothing
    monkeypatch.delenv("TRIBAL_TOKEN_SCOPE_CLAIM")
    assert answer(f"Bearer {issuer.token()}") == nothing


def test_a_token_that_is_not_good_keeps_out(issuer: Published) -> None:
    for header in (f"Bearer {issuer.token(exp=1)}", f"Bearer {issuer.token(key=rsa_key())}", issuer.token(), "", None):
        assert answer(header) == ("Deny", {})


def test_an_outage_of_the_issuer_is_an_error_that_nobody_keeps_and_no_policy(issuer: Published) -> None:
    published, issuer.published = issuer.published, None
    with pytest.raises(KeysUnavailable):
        answer(f"Bearer {issuer.token()}")
    issuer.published = published
    assert answer(f"Bearer {issuer.token()}")[0] == "Allow"

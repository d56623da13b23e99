"""The authorizer lets in who bears a good token of the issuer, with its databases, and no one else."""

from __future__ import annotations

import json

import pytest

from tests.fakes.issuer import rsa_key
from tests.fakes.published_issuer import PublishedIssuer
from tests.functions.calls import Context
from tribal.edges.http.identity import KeysUnavailable

ARN = "arn:aws:execute-api:eu-central-1:123456789012:api/v1/POST/v1/tools/search_tables"


def answer(header: str | None) -> tuple[str, dict[str, str]]:
    """The effect for the whole stage, and the context that the retriever gets."""
    # Powertools reads the environment when the module is loaded.
    from functions.authorizer.handler import handle

    policy = handle({"authorizationToken": header, "methodArn": ARN}, Context())
    (statement,) = policy["policyDocument"]["Statement"]
    assert statement["Resource"] == "arn:aws:execute-api:eu-central-1:123456789012:api/v1/*"
    return statement["Effect"], policy["context"]


NOT_ACCEPTED = ("Deny", {"tribal_refused": "the token is not accepted"})


def seen(*databases: str, schemas: list[list[str]] | None = None) -> tuple[str, dict[str, str]]:
    return "Allow", {"tribal_scope": json.dumps({"databases": list(databases), "schemas": schemas or []})}


def test_a_good_token_lets_in_with_its_databases_and_schemas(issuer: PublishedIssuer) -> None:
    assert answer(f"Bearer {issuer.token()}") == seen("shop")
    assert answer(f"bearer {issuer.token(databases='web shop')}") == seen("shop", "web")
    both = issuer.token(databases=["web", 'shop."Sales, new"'])
    assert answer(f"Bearer {both}") == seen("web", schemas=[["shop", "Sales, new"]])
    assert answer(f"Bearer {issuer.token(databases=[])}") == seen()


def test_without_a_claim_of_scope_nothing_may_be_seen(issuer: PublishedIssuer, monkeypatch: pytest.MonkeyPatch) -> None:
    assert answer(f"Bearer {issuer.token(databases=None)}") == seen()
    monkeypatch.delenv("TRIBAL_TOKEN_SCOPE_CLAIM")
    assert answer(f"Bearer {issuer.token()}") == seen()


def test_whom_tokens_are_for_is_what_the_stack_says(issuer: PublishedIssuer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRIBAL_TOKEN_AUDIENCE", "tribal api://tribal")
    assert answer(f"Bearer {issuer.token(aud='api://tribal')}") == seen("shop")
    monkeypatch.setenv("TRIBAL_TOKEN_AUTHORIZED_PARTIES", "web phone")
    assert answer(f"Bearer {issuer.token(azp='phone')}") == seen("shop")
    assert answer(f"Bearer {issuer.token(azp='other')}") == NOT_ACCEPTED
    access = issuer.token(aud=None, client_id="tribal", token_use="access")
    assert answer(f"Bearer {access}") == NOT_ACCEPTED
    monkeypatch.delenv("TRIBAL_TOKEN_AUTHORIZED_PARTIES")
    monkeypatch.setenv("TRIBAL_TOKEN_AUDIENCE_CLAIM", "client_id")
    assert answer(f"Bearer {access}") == seen("shop")
    assert answer(f"Bearer {issuer.token()}") == NOT_ACCEPTED


def test_scopes_of_a_token_tell_its_rights_where_the_stack_says_what_they_mean(
    issuer: PublishedIssuer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TRIBAL_TOKEN_RIGHTS", json.dumps({"tribal.read": ["documentation:read"]}))
    assert answer(f"Bearer {issuer.token(scope='openid tribal.read')}")[1]["tribal_rights"] == "documentation:read"
    assert answer(f"Bearer {issuer.token(scope='openid')}")[1]["tribal_rights"] == ""


def test_a_token_that_is_not_good_keeps_out(issuer: PublishedIssuer) -> None:
    for header in (f"Bearer {issuer.token(key=rsa_key())}", issuer.token(), "", None):
        assert answer(header) == NOT_ACCEPTED
    assert answer(f"Bearer {issuer.token(exp=1)}") == ("Deny", {"tribal_refused": "the token has expired"})


def test_an_outage_of_the_issuer_is_an_error_that_no_one_keeps_and_no_policy(issuer: PublishedIssuer) -> None:
    published, issuer.published = issuer.published, None
    with pytest.raises(KeysUnavailable):
        answer(f"Bearer {issuer.token()}")
    issuer.published = published
    assert answer(f"Bearer {issuer.token()}")[0] == "Allow"

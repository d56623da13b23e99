"""Keys are where the issuer's own document says, within the bounds of keys; anything else is an outage."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.cases import each_case
from tests.fakes.issuer import Issuer, jwk, rsa_key
from tests.fakes.vendors import ENTRA_V1, KEYCLOAK, OKTA, Vendor, Web
from tribal.edges.http.identity import Bearer, KeysUnavailable, TokenRefused, identify
from tribal.edges.http.identity.download import DISCOVERY_SECONDS, download_keys
from tribal.edges.http.identity.keys import KEY_CACHE_SECONDS, MIN_REFRESH_SECONDS


@pytest.fixture(scope="module")
def made() -> Issuer:
    return Issuer()


@pytest.fixture
def web(made: Issuer) -> Web:
    return Web(OKTA, made)


def admitted(web: Web, token: str | None = None) -> Bearer:
    return identify(f"Bearer {token or web.token()}", web.vendor.token_rules(), web.keys)


@each_case("vendor", [KEYCLOAK, ENTRA_V1], ids=lambda vendor: vendor.name)
def test_the_document_is_below_the_issuer_with_or_without_a_slash_at_its_end(vendor: Vendor, made: Issuer) -> None:
    web = Web(vendor, made)
    assert b'"rsa"' in download_keys(vendor.issuer, web.fetch)
    assert web.asked == [vendor.discovery, vendor.keys]
    assert "//.well-known" not in vendor.discovery


@pytest.mark.parametrize(
    "changes",
    [
        {"issuer": OKTA.issuer + "/"},
        {"issuer": OKTA.issuer.upper()},
        {"issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"},
        {"issuer": None},
        {"issuer": [OKTA.issuer]},
        {"jwks_uri": None},
        {"jwks_uri": 7},
        {"jwks_uri": [OKTA.keys]},
        {"jwks_uri": ""},
        {"jwks_uri": "/v1/keys"},
        {"jwks_uri": OKTA.keys.replace("https", "http")},
        {"jwks_uri": "file:///etc/passwd"},
        {"jwks_uri": "https://elsewhere.example.com/keys"},
    ],
    ids=str,
)
def test_a_document_that_is_not_this_issuers_or_leads_to_no_keys_is_an_outage(web: Web, changes: Any) -> None:
    web.publish(**changes)
    # Good keys at an address that is not admitted.
    elsewhere = (OKTA.keys.replace("https", "http"), "file:///etc/passwd", "/v1/keys")
    web.pages |= dict.fromkeys(elsewhere, web.pages[OKTA.keys])
    with pytest.raises(KeysUnavailable):
        admitted(web)
    web.publish()
    assert admitted(web)


@pytest.mark.parametrize(
    "document",
    [None, b"", b"<html>", b"[]", b"null", b"7", b'"https://"', b"[" * 100_000, b"\xff", b"{}"],
    ids=lambda document: str(document)[:20],
)
def test_what_is_no_document_is_an_outage_that_is_not_remembered(web: Web, document: bytes | None) -> None:
    good, web.pages[OKTA.discovery] = web.pages[OKTA.discovery], document
    for _ in range(2):
        with pytest.raises(KeysUnavailable):
            admitted(web)
    assert web.asked == [OKTA.discovery] * 2
    web.pages[OKTA.discovery] = good
    assert admitted(web)


def test_a_wrong_issuer_is_reported_with_the_right_one() -> None:
    document = json.dumps({"issuer": "https://right.example.com/"}).encode()
    with pytest.raises(KeysUnavailable, match=r"is the document of 'https://right.example.com/'; .* api.auth.issuer"):
        download_keys("https://right.example.com", lambda *_: document)


def test_document_and_keys_are_remembered_together_and_for_a_while_only(web: Web, made: Issuer) -> None:
    token = web.token()
    for _ in range(3):
        assert admitted(web, token)
    assert web.asked == [OKTA.discovery, OKTA.keys]
    moved, theirs = "https://keys.example.com/new", rsa_key()
    web.pages[moved] = json.dumps({"keys": [jwk(theirs, "new")]}).encode()
    web.publish(jwks_uri=moved)
    web.now += KEY_CACHE_SECONDS - 1
    assert admitted(web, token)
    web.now += 1
    # The issuer has moved its keys and withdrawn the old one: what is still at the old address no longer counts.
    with pytest.raises(TokenRefused):
        admitted(web, token)
    assert web.asked[2:] == [OKTA.discovery, moved]
    assert admitted(web, made.token(iss=OKTA.issuer, **OKTA.claims, key=theirs, key_id="new"))


def test_invented_keys_cause_one_download_per_interval(web: Web) -> None:
    assert admitted(web)
    web.now += MIN_REFRESH_SECONDS
    for number in range(20):
        with pytest.raises(TokenRefused):
            admitted(web, web.token(key_id=f"invented {number}"))
    assert web.asked == [OKTA.discovery, OKTA.keys] * 2


def test_document_and_keys_together_have_the_time_of_one_request(web: Web) -> None:
    given: list[float] = []
    clock = iter([100.0, 103.0, 110.0, 120.0])

    def fetch(url: str, seconds: float) -> bytes:
        given.append(seconds)
        return web.fetch(url, seconds)

    for _ in range(2):
        download_keys(OKTA.issuer, fetch, lambda: next(clock))
    assert given == [DISCOVERY_SECONDS, 2.0, DISCOVERY_SECONDS, 0.0]

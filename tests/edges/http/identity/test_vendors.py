"""Tokens of the issuers that people have are admitted, and those that they issued to someone else are not."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from tests.cases import each_case
from tests.fakes.issuer import Issuer, jwk, rsa_key
from tests.fakes.vendors import CLIENT, COGNITO, COGNITO_ID, ENTRA, GOOGLE, KEYCLOAK, OKTA, VENDORS, Vendor, Web
from tribal.edges.http.identity import Bearer, TokenExpired, TokenRefused, TokenRules, identify
from tribal.identity.scope import Scope
from tribal.ports import Identity


@pytest.fixture(scope="module")
def made() -> Issuer:
    return Issuer()


def admitted(web: Web, rules: TokenRules | None = None, **changes: Any) -> Bearer:
    return identify(f"Bearer {web.token(**changes)}", rules or web.vendor.token_rules(), web.keys)


@each_case("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_token_as_its_vendor_issues_it_is_admitted(vendor: Vendor, made: Issuer) -> None:
    web = Web(vendor, made)
    scope, subject = Scope(frozenset({"web"}), frozenset({("shop", "sales")})), vendor.claims["sub"]
    expected = Bearer(subject, scope, identity=Identity(subject))
    assert admitted(web, databases=["web", "shop.sales"]) == expected
    assert web.asked == [vendor.discovery, vendor.keys]


@each_case(
    ("vendor", "changes"),
    [(vendor, changes) for vendor in VENDORS for changes in (*vendor.others, {"iss": f"{vendor.issuer}/x"})],
    ids=lambda value: value.name if isinstance(value, Vendor) else str(value)[:50],
)
def test_a_token_for_someone_else_is_refused(vendor: Vendor, changes: dict[str, Any], made: Issuer) -> None:
    with pytest.raises(TokenRefused):
        admitted(Web(vendor, made), **changes)


@each_case("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_slash_more_or_less_is_another_issuer(vendor: Vendor, made: Issuer) -> None:
    other = vendor.issuer.rstrip("/") if vendor.issuer.endswith("/") else f"{vendor.issuer}/"
    with pytest.raises(TokenRefused):
        admitted(Web(vendor, made), iss=other)


def test_both_spellings_of_google_are_google_and_no_one_else_has_two(made: Issuer) -> None:
    assert admitted(Web(GOOGLE, made), iss="accounts.google.com").subject == GOOGLE.claims["sub"]
    for vendor in (COGNITO, replace(GOOGLE, issuer="https://accounts.google.com/")):
        with pytest.raises(TokenRefused):
            admitted(Web(vendor, made), iss=vendor.issuer.removeprefix("https://"))


def test_an_access_token_without_an_audience_is_admitted_only_where_the_environment_says_so(made: Issuer) -> None:
    access, signed_in = COGNITO.token_rules(), COGNITO_ID.token_rules()
    assert access.audience == signed_in.audience == frozenset({CLIENT})
    with pytest.raises(TokenRefused):
        admitted(Web(COGNITO, made), signed_in)
    with pytest.raises(TokenRefused):
        admitted(Web(COGNITO_ID, made), access)


def test_groups_named_like_databases_and_schemas_are_a_scope(made: Issuer) -> None:
    groups = {"cognito:groups": ["eu-central-1_example_Google", "shop.sales", "Everyone"]}
    scope = admitted(Web(COGNITO, made), COGNITO.token_rules("cognito:groups"), databases=None, **groups).scope
    assert scope.allows("shop", "sales")
    assert not scope.allows("shop", "hr")


NOW = int(time.time())
THEIRS = rsa_key()


def _without_signature(web: Web) -> str:
    header = base64.urlsafe_b64encode(b'{"alg":"none","kid":"rsa"}').decode().rstrip("=")
    return f"{header}.{web.token().split('.')[1]}."


def _by_shared_secret(web: Web) -> str:
    public = web.made.rsa.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    header = base64.urlsafe_b64encode(b'{"alg":"HS256","kid":"rsa"}').decode().rstrip("=")
    signed = f"{header}.{web.token().split('.')[1]}"
    signature = base64.urlsafe_b64encode(hmac.digest(public, signed.encode(), "sha256")).decode().rstrip("=")
    return f"{signed}.{signature}"


def _with_another_subject(web: Web) -> str:
    header, _, signature = web.token().split(".")
    _, claims, _ = web.token(sub="root").split(".")
    return f"{header}.{claims}.{signature}"


BAD: dict[str, Callable[[Web], str]] = {
    "expired": lambda web: web.token(exp=NOW - 3_600),
    "without an end": lambda web: web.token(exp=None),
    "not valid yet": lambda web: web.token(nbf=NOW + 3_600),
    "issued in the future": lambda web: web.token(iat=NOW + 3_600),
    "of another issuer": lambda web: web.token(iss="https://evil.example"),
    "for somebody else": lambda web: web.token(aud="somebody-else", client_id="somebody-else"),
    "without a subject": lambda web: web.token(sub=None),
    "alg none": _without_signature,
    "HS256 by the public key": _by_shared_secret,
    "signed by another key": lambda web: web.token(key=THEIRS),
    "of a key that nobody knows": lambda web: web.token(key=THEIRS, key_id="new"),
    "with the claims of another": _with_another_subject,
    "with its key in itself": lambda web: jwt.encode(
        jwt.decode(web.token(), options={"verify_signature": False}),
        THEIRS,
        algorithm="RS256",
        headers={"kid": "rsa", "jwk": jwk(THEIRS, "rsa")},
    ),
}


@each_case("kind", BAD)
@each_case("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_bad_token_of_any_kind_is_refused_for_every_vendor(vendor: Vendor, kind: str, made: Issuer) -> None:
    web = Web(vendor, made)
    with pytest.raises(TokenRefused) as refusal:
        identify(f"Bearer {BAD[kind](web)}", vendor.token_rules(), web.keys)
    assert isinstance(refusal.value, TokenExpired) == (kind == "expired")


RIGHTS = {"tribal.read": frozenset({"documentation:read"}), "tribal.ops": frozenset({"metrics:read"})}


@each_case(
    ("claims", "rights"),
    [
        ({"scope": "openid tribal.read"}, {"documentation:read"}),
        ({"scp": ["tribal.read", "tribal.ops"], "scope": None}, {"documentation:read", "metrics:read"}),
        ({"scp": "tribal.ops", "scope": None}, {"metrics:read"}),
        ({"scope": "openid email"}, set()),
        ({"scope": None, "scp": None}, set()),
    ],
)
def test_what_was_granted_is_what_the_bearer_may_do(claims: dict[str, Any], rights: set[str], made: Issuer) -> None:
    for vendor in (KEYCLOAK, OKTA, ENTRA):
        rules = replace(vendor.token_rules(), rights=RIGHTS)
        assert admitted(Web(vendor, made), rules, **claims).rights == frozenset(rights)
        assert admitted(Web(vendor, made), **claims).rights is None


@each_case("granted", [7, {"tribal.read": True}, [["tribal.read"]], [None]])
def test_a_claim_of_grants_that_is_no_list_of_names_is_refused(granted: Any, made: Issuer) -> None:
    with pytest.raises(TokenRefused):
        admitted(Web(KEYCLOAK, made), replace(KEYCLOAK.token_rules(), rights=RIGHTS), scope=granted)


def test_clocks_may_be_apart_as_far_as_the_rules_say(made: Issuer) -> None:
    token = {"exp": int(time.time()) - 100}
    assert admitted(Web(OKTA, made), replace(OKTA.token_rules(), leeway_seconds=200), **token)
    with pytest.raises(TokenExpired):
        admitted(Web(OKTA, made), replace(OKTA.token_rules(), leeway_seconds=0), **token)

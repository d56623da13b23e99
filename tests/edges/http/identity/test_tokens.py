"""Whom a bearer token admits: the issuer's, for us, in time, and no one else; and every other one is a refusal."""

from __future__ import annotations

import base64
import hmac
import json
import time
from dataclasses import replace
from typing import Any

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes.issuer import AUDIENCE, CLAIM, ISSUER, RULES, Issuer, jwk, rsa_key
from tests.plugins.verify import examples
from tribal.edges.http.identity import Bearer, KeysUnavailable, TokenRefused, TokenRules, identify
from tribal.edges.http.identity.keys import KEY_CACHE_SECONDS, MIN_REFRESH_SECONDS
from tribal.edges.http.identity.tokens import LONGEST_TOKEN
from tribal.identity.scope import Scope
from tribal.identity.table_names import format_name
from tribal.ports import Identity

NOW = int(time.time())


@pytest.fixture(scope="module")
def _made() -> Issuer:
    return Issuer()


@pytest.fixture
def issuer(_made: Issuer) -> Issuer:
    """The same keys for all tests, published again."""
    return Issuer(_made.rsa, _made.ec, _made.ed)


def refused(issuer: Issuer, token: object) -> str:
    with pytest.raises(TokenRefused) as refusal:
        identify(f"Bearer {token}" if isinstance(token, str) else token, RULES, issuer.keys)
    return refusal.value.reason


def admitted(issuer: Issuer, token: str, rules: TokenRules = RULES) -> Bearer:
    return identify(f"Bearer {token}", rules, issuer.keys)


def test_a_good_token_of_each_algorithm_admits_its_subject_with_its_scope(issuer: Issuer) -> None:
    good = Bearer("ada", Scope(frozenset({"shop"})), identity=Identity("ada"))
    assert admitted(issuer, issuer.token()) == good
    assert admitted(issuer, issuer.token(algorithm="PS256")) == good
    assert admitted(issuer, issuer.token(key=issuer.ec, algorithm="ES256", key_id="ec")) == good
    assert admitted(issuer, issuer.token(key=issuer.ed, algorithm="EdDSA", key_id="ed")) == good
    assert admitted(issuer, issuer.token(aud=["other", AUDIENCE], iat=NOW, nbf=NOW)) == good


@each_case(
    ("claim", "databases", "schemas"),
    [
        ("web shop", {"web", "shop"}, set()),
        ("web shop.sales", {"web"}, {("shop", "sales")}),
        (["web", "shop.sales", "shop.hr"], {"web"}, {("shop", "sales"), ("shop", "hr")}),
        (["my-shop", '"my.shop"', '"a ""b"""', "Zürich"], {"my-shop", "my.shop", 'a "b"', "Zürich"}, set()),
        (['shop."my.schema"', '"my db"."Sales, Q1"'], set(), {("shop", "my.schema"), ("my db", "Sales, Q1")}),
        # Groups that have nothing to do with databases name nothing.
        (
            ["shop.sales.orders", "", ".", "shop.", '"shop', "a.b.c.d", "shop", "/shop/sales"],
            {"shop", "/shop/sales"},
            set(),
        ),
        ([], set(), set()),
        ("", set(), set()),
    ],
)
def test_a_claim_names_databases_and_schemas(
    issuer: Issuer, claim: Any, databases: set[str], schemas: set[tuple[str, str]]
) -> None:
    expected = Scope(frozenset(databases), frozenset(schemas) or None)
    assert admitted(issuer, issuer.token(databases=claim)).scope == expected


@given(st.lists(st.tuples(st.text(min_size=1), st.text(min_size=1)) | st.tuples(st.text(min_size=1)), max_size=4))
def test_every_name_that_is_written_as_names_are_is_read_back(names: list[tuple[str, ...]]) -> None:
    scope = RULES.scope_of({CLAIM: [format_name(name) for name in names]})
    assert (scope.databases or frozenset()) == {name[0] for name in names if len(name) == 1}
    assert (scope.schemas or frozenset()) == {name for name in names if len(name) == 2}


def test_a_token_that_names_nothing_shows_nothing(issuer: Issuer) -> None:
    nothing = Scope(frozenset())
    assert admitted(issuer, issuer.token(databases=None)).scope == nothing
    assert admitted(issuer, issuer.token(), replace(RULES, scope_claim=None)).scope == nothing
    assert not nothing.allows("shop")


VALUES: dict[str, list[Any]] = {
    "exp": ["soon", [], {}, True, "9999999999", 1e400, float("nan"), None, 1, NOW - 60],
    "nbf": ["soon", [], {}, True, "0", 1e400, NOW + 3600],
    "iat": ["soon", [], {}, True, "0", 1e400, NOW + 3600],
    "aud": ["other", None, [], ["other"], [["tribal"]], {"tribal": 1}, 7, "Tribal", "tribal "],
    "sub": [None, 7, [], {}, "", "a\nb", "\u202e", "x" * 1000],
    "databases": [7, {}, [7], [["shop"]], True, [None], '"my shop db"', 'web "shop'],
    "iss": ["https://evil.example", ISSUER + "/", None, ""],
    "jti": [7],
}
ODD = [{name: value} for name, values in VALUES.items() for value in values]


def without_the_time(claims: object) -> str:
    """The name of a case; the processes of one session must all collect the same."""
    return str(claims).replace(str(NOW - 60), "past").replace(str(NOW + 3600), "future")[:40]


@each_case("claims", ODD, ids=without_the_time)
def test_a_signed_token_with_claims_that_are_not_as_they_should_be_is_refused(
    issuer: Issuer, claims: dict[str, Any]
) -> None:
    refused(issuer, issuer.token(**claims))


def _unsigned(header: Any, claims: Any, signature: bytes = b"x" * 64) -> str:
    parts = (json.dumps(header).encode(), json.dumps(claims).encode(), signature)
    return ".".join(map(_segment, parts))


def _segment(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")


@each_case(
    "header",
    [
        {"alg": "none", "kid": "rsa"},
        {"alg": "None"},
        {"alg": "HS256", "kid": "rsa"},
        {"alg": "RS256"},
        {"alg": "RS256", "kid": None},
        {"alg": "RS256", "kid": 7},
        {"alg": "RS256", "kid": ["rsa"]},
        {"alg": "RS256", "kid": {"rsa": 1}},
        {"alg": ["RS256"], "kid": "rsa"},
        {"alg": None, "kid": "rsa"},
        {"alg": "RS256", "kid": "../rsa"},
        {"alg": "RS256", "kid": "rsa", "crit": ["exp"]},
        {"alg": "RS256", "kid": "rsa", "b64": False, "crit": ["b64"]},
        {"alg": "ES256", "kid": "rsa"},
        {"alg": "RS256", "kid": "ec"},
        {"alg": "EdDSA", "kid": "ec"},
        {"alg": "ES256", "kid": "ed"},
        [],
        7,
        None,
        "RS256",
    ],
    ids=str,
)
def test_a_header_that_asks_for_something_else_is_refused(issuer: Issuer, header: Any) -> None:
    refused(issuer, _unsigned(header, issuer.claims()))


def test_the_issuers_public_key_is_no_shared_secret(issuer: Issuer) -> None:
    public = issuer.rsa.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    signed, _, _ = _unsigned({"alg": "HS256", "kid": "rsa"}, issuer.claims()).rpartition(".")
    refused(issuer, f"{signed}.{_segment(hmac.digest(public, signed.encode(), 'sha256'))}")
    assert issuer.downloads == 0


def test_keys_in_the_token_itself_are_not_used(issuer: Issuer) -> None:
    theirs = rsa_key()
    headers = {
        "kid": "rsa",
        "jwk": jwk(theirs, "rsa"),
        "jku": "https://evil.example/keys",
        "x5u": "https://evil.example",
    }
    refused(issuer, jwt.encode(issuer.claims(), theirs, algorithm="RS256", headers=headers))


def test_a_weak_key_or_one_for_something_else_is_not_used_though_the_issuer_publishes_it(issuer: Issuer) -> None:
    weak, strong, curve = rsa_key(1024), rsa_key(), ec.generate_private_key(ec.SECP384R1())
    issuer.published = [
        jwk(weak, "weak"),
        jwk(strong, "for encryption", use="enc"),
        jwk(strong, "for another algorithm", alg="PS256"),
        jwk(curve, "another curve"),
        {"kty": "oct", "k": "c2VjcmV0", "kid": "shared"},
    ]
    for key, algorithm, key_id in (
        (weak, "RS256", "weak"),
        (strong, "RS256", "for encryption"),
        (strong, "RS256", "for another algorithm"),
        ("secret" * 10, "HS256", "shared"),
    ):
        refused(issuer, issuer.token(key=key, algorithm=algorithm, key_id=key_id))
    signed, _, _ = _unsigned({"alg": "ES256", "kid": "another curve"}, issuer.claims()).rpartition(".")
    numbers = decode_dss_signature(curve.sign(signed.encode(), ec.ECDSA(SHA256())))
    signature = b"".join(number.to_bytes(48) for number in numbers)
    refused(issuer, f"{signed}.{_segment(signature)}")
    assert admitted(issuer, issuer.token(key=strong, algorithm="PS256", key_id="for another algorithm"))


def test_one_odd_key_does_not_cost_the_others(issuer: Issuer) -> None:
    odd: list[Any] = [None, 7, [], {}, {"kty": "RSA"}, {"kty": ["RSA"], "kid": "rsa"}, {"kid": ["rsa"]}]
    numbers: list[Any] = ["", "!", 7, None, [1]]
    broken = [jwk(issuer.rsa, "rsa", n=value) for value in numbers]
    broken += [jwk(issuer.ec, "ec", **{member: value}) for member in ("x", "crv") for value in numbers]
    issuer.published = [*odd, *broken, jwk(issuer.rsa, "rsa", alg="RS256")]
    assert admitted(issuer, issuer.token())


@each_case("header", [None, 7, "", "Bearer", "Bearer ", "Basic YTpi", b"Bearer x", ["Bearer x"], "bearer\tx"])
def test_what_is_no_bearer_token_is_refused(issuer: Issuer, header: object) -> None:
    with pytest.raises(TokenRefused):
        identify(header, RULES, issuer.keys)
    with pytest.raises(TokenRefused):
        identify(issuer.token(), RULES, issuer.keys)


def test_a_huge_token_is_refused_before_anything_is_done_with_it(issuer: Issuer) -> None:
    refused(issuer, issuer.token(extra="x" * LONGEST_TOKEN))
    refused(issuer, "a" * 50_000_000)
    assert issuer.downloads == 0


@given(st.text(max_size=60) | st.text(st.sampled_from("eyJhbGciOi.-_=AQ"), max_size=60))
@settings(max_examples=examples(60, 200))
def test_any_text_is_a_refusal(token: str) -> None:
    with pytest.raises(TokenRefused):
        identify(f"Bearer {token}", RULES, _ANY.keys)


_ANY = Issuer()


def test_a_deeply_nested_token_is_refused(issuer: Issuer) -> None:
    nested = base64.urlsafe_b64encode(b"[" * 10_000).decode().rstrip("=")
    refused(issuer, f"{nested}.e30.AAAA")
    header = base64.urlsafe_b64encode(b'{"alg":"RS256","kid":"rsa"}').decode().rstrip("=")
    refused(issuer, f"{header}.{nested}.AAAA")


def test_a_withdrawn_key_is_trusted_no_longer_than_the_key_set_is_kept(issuer: Issuer) -> None:
    token = issuer.token()
    assert admitted(issuer, token)
    issuer.published = [jwk(issuer.ec, "ec")]
    issuer.now += KEY_CACHE_SECONDS - 1
    assert admitted(issuer, token)
    issuer.now += 1
    refused(issuer, token)


def test_a_new_key_is_found_but_invented_ones_cause_one_download_per_interval(issuer: Issuer) -> None:
    assert admitted(issuer, issuer.token())
    issuer.now += MIN_REFRESH_SECONDS
    theirs = rsa_key()
    issuer.published = [jwk(issuer.rsa, "rsa"), jwk(theirs, "new")]
    assert admitted(issuer, issuer.token(key=theirs, key_id="new"))
    for number in range(50):
        refused(issuer, issuer.token(key_id=f"invented {number}"))
    assert issuer.downloads == 2
    issuer.now += MIN_REFRESH_SECONDS
    refused(issuer, issuer.token(key_id="invented"))
    assert issuer.downloads == 3


@each_case(
    "instead",
    [
        None,
        b"",
        b"<html>",
        b"[]",
        b"null",
        b'{"message": "no"}',
        b'{"keys": {}}',
        b'{"keys": 1}',
        b"[" * 100_000,
        b"\xff",
    ],
    ids=lambda instead: str(instead)[:20],
)
def test_an_outage_of_the_issuer_is_no_refusal(issuer: Issuer, instead: bytes | None) -> None:
    issuer.published = instead
    with pytest.raises(KeysUnavailable):
        admitted(issuer, issuer.token())


def test_in_an_outage_known_keys_are_trusted_for_their_time_and_unknown_ones_are_not_judged(issuer: Issuer) -> None:
    token, unknown = issuer.token(), issuer.token(key_id="new")
    assert admitted(issuer, token)
    published, issuer.published = issuer.published, None
    issuer.now += MIN_REFRESH_SECONDS
    for _ in range(3):
        with pytest.raises(KeysUnavailable):
            admitted(issuer, unknown)
    assert issuer.downloads == 2
    assert admitted(issuer, token)
    issuer.now += KEY_CACHE_SECONDS
    with pytest.raises(KeysUnavailable):
        admitted(issuer, token)
    issuer.published = published
    assert admitted(issuer, token)


def test_an_issuer_that_has_withdrawn_every_key_admits_no_one(issuer: Issuer) -> None:
    issuer.published = []
    refused(issuer, issuer.token())

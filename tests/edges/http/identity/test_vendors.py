"""Tokens of the issuers that people have are admitted, and those that they issued to somebody else are not."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from tests.fakes.issuer import Issuer
from tests.fakes.vendors import CLIENT, COGNITO, COGNITO_ID, GOOGLE, VENDORS, Vendor, Web
from tribal.catalog.scope import Scope
from tribal.edges.http.identity import Bearer, TokenRefused, TokenRules, identify


@pytest.fixture(scope="module")
def made() -> Issuer:
    return Issuer()


def admitted(web: Web, rules: TokenRules | None = None, **changes: Any) -> Bearer:
    return identify(f"Bearer {web.token(**changes)}", rules or web.vendor.token_rules(), web.keys)


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_token_as_its_vendor_issues_it_is_admitted(vendor: Vendor, made: Issuer) -> None:
    web = Web(vendor, made)
    expected = Bearer(vendor.claims["sub"], Scope(frozenset({"web"}), frozenset({("shop", "sales")})))
    assert admitted(web, databases=["web", "shop.sales"]) == expected
    assert web.asked == [vendor.discovery, vendor.keys]


@pytest.mark.parametrize(
    ("vendor", "changes"),
    [(vendor, changes) for vendor in VENDORS for changes in (*vendor.others, {"iss": f"{vendor.issuer}/x"})],
    ids=lambda value: value.name if isinstance(value, Vendor) else str(value)[:50],
)
def test_a_token_for_somebody_else_is_refused(vendor: Vendor, changes: dict[str, Any], made: Issuer) -> None:
    with pytest.raises(TokenRefused):
        admitted(Web(vendor, made), **changes)


@pytest.mark.parametrize("vendor", VENDORS, ids=lambda vendor: vendor.name)
def test_a_slash_more_or_less_is_another_issuer(vendor: Vendor, made: Issuer) -> None:
    other = vendor.issuer.rstrip("/") if vendor.issuer.endswith("/") else f"{vendor.issuer}/"
    with pytest.raises(TokenRefused):
        admitted(Web(vendor, made), iss=other)


def test_both_spellings_of_google_are_google_and_nobody_else_has_two(made: Issuer) -> None:
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

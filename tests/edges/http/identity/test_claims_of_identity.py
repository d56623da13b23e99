"""What the claims of a token say of organization, teams and projects, and whom no one can impersonate."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cases import each_case
from tests.fakes.issuer import RULES, Issuer
from tribal.edges.http.identity import IdentityClaims, TokenRefused, identify
from tribal.ports import Identity
from tribal.ports.remembering.identity import is_identifier

CLAIMS = IdentityClaims(org="org", teams="groups", projects="projects")
WITH_CLAIMS = replace(RULES, identity_claims=CLAIMS)


@pytest.fixture(name="issuer", scope="module")
def issuer_fixture() -> Issuer:
    return Issuer()


def who(issuer: Issuer, rules: Any = WITH_CLAIMS, **claims: Any) -> Identity:
    return identify(f"Bearer {issuer.token(**claims)}", rules, issuer.keys).identity


def test_configured_claims_say_where_a_bearer_belongs(issuer: Issuer) -> None:
    told = who(issuer, org="Acme Corp", groups=["data", "web", "data"], projects=["shop"])
    assert told == Identity("ada", orgs=("Acme Corp",), teams=("data", "web"), projects=("shop",))


def test_claims_that_are_not_configured_say_nothing(issuer: Issuer) -> None:
    assert who(issuer, RULES, org="acme", groups=["data"], projects=["shop"]) == Identity("ada")
    assert who(issuer, user="eve", agent="x", session="s", company="acme", team=["data"]) == Identity("ada")


def test_what_is_no_name_belongs_to_no_one(issuer: Issuer) -> None:
    odd = ["", " ", " data", "data\n", "a\x00b", "x" * 201, "\u202edata", "da\u200bta", "data"]
    assert who(issuer, groups=odd).teams == ("data",)


@each_case("claim", [1, None, {"data": 1}, [1], [["data"]], [None], True])
def test_a_claim_that_is_no_list_of_names_is_refused_or_absent(issuer: Issuer, claim: Any) -> None:
    if claim is None:
        assert who(issuer, groups=claim).teams == ()
    else:
        with pytest.raises(TokenRefused):
            who(issuer, groups=claim)


def test_a_bearer_of_more_than_a_hundred_teams_is_refused_rather_than_cut(issuer: Issuer) -> None:
    assert len(who(issuer, groups=[f"team {number}" for number in range(100)]).teams) == 100
    with pytest.raises(TokenRefused, match="more than 100"):
        who(issuer, groups=[f"team {number}" for number in range(101)])


@each_case("subject", ["token:ada", "token:"])
def test_a_token_of_an_issuer_never_passes_for_our_own(issuer: Issuer, subject: str) -> None:
    with pytest.raises(TokenRefused):
        who(issuer, sub=subject)


@given(st.text())
def test_an_identifier_can_be_read_and_has_no_space_around_it(text: str) -> None:
    if is_identifier(text):
        assert text.isprintable()
        assert text == text.strip()
        assert 0 < len(text) <= 200

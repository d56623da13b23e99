"""What a token must say to be admitted, and what it lets its bearer see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tribal.identity.scope import Scope
from tribal.identity.table_names import parse_name
from tribal.ports.remembering.identity import Identity, is_identifier

ALSO_SPELLED = {"https://accounts.google.com": "accounts.google.com"}
"""Issuers that tokens name in a second way. Source: https://developers.google.com/identity/openid-connect/reference"""
LEEWAY_SECONDS = 30.0
"""How far clocks may be apart, unless settings say otherwise. By judgement: what runs NTP is within one second."""
_PARTIES = ("azp", "cid")
"""The claims that name the client: of OpenID Connect, and of Okta's access tokens."""

_MOST_IDENTIFIERS = 100
"""Of one kind. By judgement: Entra lists at most 200 groups in a token, and every space that is read costs time."""
_GRANTED = ("scope", "scp")
"""The claims that list what was granted: of RFC 9068, as one text, and of Entra and Okta, as text or list."""


class TokenRefused(Exception):
    """The request bears no token that admits it; `reason` says why, and holds nothing of the token."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TokenExpired(TokenRefused):
    """The token would admit its bearer if its time were not up."""


@dataclass(frozen=True, slots=True)
class IdentityClaims:
    """The claims that say to which organizations, teams and projects a bearer belongs; without one, to none."""

    org: str | None = None
    teams: str | None = None
    projects: str | None = None


@dataclass(frozen=True, slots=True)
class TokenRules:
    """A trusted token issuer and what its tokens must contain."""

    issuer: str
    audience: frozenset[str]
    """Whom tokens are for: one of these must be in the claim."""
    scope_claim: str | None
    """Claim that lists the databases and schemas a caller may see; with `None`, no caller sees any."""
    audience_claim: Literal["aud", "client_id"] = "aud"
    """`client_id` is for access tokens that have no `aud`; those that have one are refused then."""
    authorized_parties: frozenset[str] = frozenset()
    """The clients to which tokens may have been issued; without any, all."""
    rights: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The rights of each value that the token's `scope` or `scp` may have; without any, a token may read everything."""
    leeway_seconds: float = LEEWAY_SECONDS
    """How far the issuer's clock and ours may be apart."""
    identity_claims: IdentityClaims = IdentityClaims()

    @property
    def issuers(self) -> frozenset[str]:
        """How tokens may name the issuer."""
        return frozenset({self.issuer, ALSO_SPELLED.get(self.issuer, self.issuer)})

    def check_client(self, claims: Mapping[str, Any]) -> None:
        """Check to which client a token was issued.

        Raises:
            TokenRefused: when it is none that the rules admit.
        """
        if self.audience_claim == "client_id":
            # An `aud` names somebody else, and an ID token tells who signed in instead of letting anybody in.
            if "aud" in claims or claims.get("token_use") != "access":
                raise TokenRefused("the token is no access token without an audience")
            if not _is_one_of(claims.get("client_id"), self.audience):
                raise TokenRefused("the token was issued to another client")
        party = next((claims[name] for name in _PARTIES if name in claims), None)
        if self.authorized_parties and not _is_one_of(party, self.authorized_parties):
            raise TokenRefused("the token was issued to another party")

    def rights_of(self, claims: Mapping[str, Any]) -> frozenset[str] | None:
        """The rights of the bearer; `None` where the rules do not tell scopes apart.

        Raises:
            TokenRefused: when the claim is malformed.
        """
        if not self.rights:
            return None
        granted = next((claims[name] for name in _GRANTED if name in claims), "")
        values = granted.split() if isinstance(granted, str) else granted
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise TokenRefused("the claim of granted scopes is no list of names")
        return frozenset[str]().union(*(self.rights.get(value, frozenset()) for value in values))

    def scope_of(self, claims: Mapping[str, Any]) -> Scope:
        """What the caller may see: nothing when the claim is missing.

        Raises:
            TokenRefused: when the claim is malformed.
        """
        named = claims.get(self.scope_claim, []) if self.scope_claim is not None else []
        if isinstance(named, str):
            named = named.split()
            if any(name.count('"') % 2 for name in named):
                raise TokenRefused("the claim with the scope has a name with a space: it must be a list")
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise TokenRefused("the claim with the scope is no list of names")
        return scope_named(named)

    def identity_of(self, claims: Mapping[str, Any]) -> Identity:
        """Who the bearer is, to which a text in a claim adds one name and a list several.

        Raises:
            TokenRefused: when a claim is malformed.
        """
        named = self.identity_claims
        return Identity(
            user=claims["sub"],
            projects=_identifiers(claims, named.projects),
            teams=_identifiers(claims, named.teams),
            orgs=_identifiers(claims, named.org),
        )


def scope_named(names: Iterable[str]) -> Scope:
    """The scope of databases and schemas by their names; what is neither names nothing."""
    places = {_parts(name) for name in names}
    databases = frozenset(place[0] for place in places if len(place) == 1)
    schemas = frozenset((place[0], place[1]) for place in places if len(place) == 2)
    return Scope(databases, schemas or None)


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name; none of a text that is no name, such as a group's that has nothing to do with us."""
    try:
        return parse_name(name)
    except ValueError:
        return ()


def _identifiers(claims: Mapping[str, Any], claim: str | None) -> tuple[str, ...]:
    """The identifiers in a claim; what is none, such as a group's name with a line break, identifies nothing."""
    value = claims.get(claim, []) if claim is not None else []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise TokenRefused("a claim of organizations, teams or projects is no list of names")
    found = tuple(dict.fromkeys(filter(is_identifier, values)))
    if len(found) > _MOST_IDENTIFIERS:
        raise TokenRefused(f"a claim of organizations, teams or projects has more than {_MOST_IDENTIFIERS} names")
    return found


def _is_one_of(value: object, allowed: frozenset[str]) -> bool:
    return isinstance(value, str) and value in allowed

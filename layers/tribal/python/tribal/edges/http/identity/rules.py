"""The rules for accepting a token, and for deriving scope, rights and identity from its claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tribal.identity.scope import Scope
from tribal.identity.table_names import parse_name
from tribal.ports.remembering.identity import Identity, is_identifier

ALSO_SPELLED = {"https://accounts.google.com": "accounts.google.com"}
"""Other spellings of issuers in tokens. Source: https://developers.google.com/identity/openid-connect/reference"""
LEEWAY_SECONDS = 30.0
"""Default clock skew. By judgement: machines with NTP are within one second."""
_PARTIES = ("azp", "cid")
"""Claims that name the client: in OpenID Connect, and in Okta's access tokens."""

_MOST_IDENTIFIERS = 100
"""Maximum identifiers of one kind. By judgement: Entra lists up to 200 groups, and reading each space takes time."""
_GRANTED = ("scope", "scp")
"""Claims with the granted scopes: a string in RFC 9068, a string or list in Entra and Okta."""


class TokenRefused(Exception):
    """The request has no valid token; `reason` says why, without showing the token."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class TokenExpired(TokenRefused):
    """The token is valid except that it has expired."""


@dataclass(frozen=True, slots=True)
class IdentityClaims:
    """The claims with the bearer's organizations, teams and projects; `None` for none."""

    org: str | None = None
    teams: str | None = None
    projects: str | None = None


@dataclass(frozen=True, slots=True)
class TokenRules:
    """A trusted token issuer and what its tokens must contain."""

    issuer: str
    audience: frozenset[str]
    """Accepted audiences: the claim must contain one of them."""
    scope_claim: str | None
    """Claim that lists the databases and schemas that a caller may see; with `None`, callers see nothing."""
    audience_claim: Literal["aud", "client_id"] = "aud"
    """`client_id` is for access tokens without `aud`; those with `aud` are refused then."""
    authorized_parties: frozenset[str] = frozenset()
    """Clients whose tokens are accepted; empty for all."""
    rights: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """The rights that each value of `scope` or `scp` grants; if empty, every token may read everything."""
    leeway_seconds: float = LEEWAY_SECONDS
    """Accepted clock skew between the issuer and us."""
    identity_claims: IdentityClaims = IdentityClaims()

    @property
    def issuers(self) -> frozenset[str]:
        """All accepted spellings of the issuer."""
        return frozenset({self.issuer, ALSO_SPELLED.get(self.issuer, self.issuer)})

    def check_client(self, claims: Mapping[str, Any]) -> None:
        """Check to which client a token was issued.

        Raises:
            TokenRefused: when the client is not accepted.
        """
        if self.audience_claim == "client_id":
            # A token with `aud` is for someone else, and an ID token grants no access.
            if "aud" in claims or claims.get("token_use") != "access":
                raise TokenRefused("the token is not an access token without audience")
            if not _is_one_of(claims.get("client_id"), self.audience):
                raise TokenRefused("the token was issued to another client")
        party = next((claims[name] for name in _PARTIES if name in claims), None)
        if self.authorized_parties and not _is_one_of(party, self.authorized_parties):
            raise TokenRefused("the token was issued to another party")

    def rights_of(self, claims: Mapping[str, Any]) -> frozenset[str] | None:
        """The rights of the bearer; `None` if the rules define none.

        Raises:
            TokenRefused: when the claim is malformed.
        """
        if not self.rights:
            return None
        granted = next((claims[name] for name in _GRANTED if name in claims), "")
        values = granted.split() if isinstance(granted, str) else granted
        if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
            raise TokenRefused("the claim with the granted scopes must be a list of names")
        return frozenset[str]().union(*(self.rights.get(value, frozenset()) for value in values))

    def scope_of(self, claims: Mapping[str, Any]) -> Scope:
        """The scope of the caller; empty when the claim is missing.

        Raises:
            TokenRefused: when the claim is malformed.
        """
        named = claims.get(self.scope_claim, []) if self.scope_claim is not None else []
        if isinstance(named, str):
            named = named.split()
            if any(name.count('"') % 2 for name in named):
                raise TokenRefused("the claim with the scope has a name with a space: it must be a list")
        if not isinstance(named, list) or not all(isinstance(name, str) for name in named):
            raise TokenRefused("the claim with the scope must be a list of names")
        return scope_named(named)

    def identity_of(self, claims: Mapping[str, Any]) -> Identity:
        """The identity of the bearer; a claim may be one name or a list.

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
    """A scope from names of databases and schemas; invalid names are ignored."""
    places = {_parts(name) for name in names}
    databases = frozenset(place[0] for place in places if len(place) == 1)
    schemas = frozenset((place[0], place[1]) for place in places if len(place) == 2)
    return Scope(databases, schemas or None)


def _parts(name: str) -> tuple[str, ...]:
    """The parts of a name; empty for other texts, such as names of unrelated groups."""
    try:
        return parse_name(name)
    except ValueError:
        return ()


def _identifiers(claims: Mapping[str, Any], claim: str | None) -> tuple[str, ...]:
    """The identifiers in a claim; invalid ones, such as a name with a line break, are ignored."""
    value = claims.get(claim, []) if claim is not None else []
    values = [value] if isinstance(value, str) else value
    if not isinstance(values, list) or not all(isinstance(each, str) for each in values):
        raise TokenRefused("a claim of organizations, teams or projects must be a list of names")
    found = tuple(dict.fromkeys(filter(is_identifier, values)))
    if len(found) > _MOST_IDENTIFIERS:
        raise TokenRefused(f"a claim of organizations, teams or projects has more than {_MOST_IDENTIFIERS} names")
    return found


def _is_one_of(value: object, allowed: frozenset[str]) -> bool:
    return isinstance(value, str) and value in allowed

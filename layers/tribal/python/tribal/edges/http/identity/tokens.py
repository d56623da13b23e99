"""Checks a bearer token: a JWT that a trusted issuer signed for us, and that has not expired."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import jwt

from tribal.edges.http.identity.keys import KEY_TYPES, SigningKeys

LONGEST_TOKEN = 16_384
"""Characters; API Gateway accepts 10,240 bytes of headers."""
_LEEWAY_SECONDS = 30
_LONGEST_SUBJECT = 512
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
_TIMES = ("exp", "nbf", "iat")


class TokenRefused(Exception):
    """The request bears no token that admits it; `reason` says why, and holds nothing of the token."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class TokenRules:
    """A trusted token issuer and what its tokens must contain."""

    issuer: str
    audience: str
    databases_claim: str | None
    """Claim that lists the databases a caller may see; with `None`, no caller sees any."""

    def databases_of(self, claims: dict[str, Any]) -> frozenset[str]:
        """The databases that the caller may see: none when the claim is missing.

        Raises:
            TokenRefused: when the claim is malformed.
        """
        named = claims.get(self.databases_claim, []) if self.databases_claim is not None else []
        if isinstance(named, str):
            named = named.split()
        if not isinstance(named, list) or not all(isinstance(name, str) and "," not in name for name in named):
            raise TokenRefused("the claim with the databases is no list of names")
        return frozenset(named)


@dataclass(frozen=True, slots=True)
class Bearer:
    """Whom a token admits."""

    subject: str
    databases: frozenset[str]
    """The databases that the bearer may see."""


def identify(header: object, rules: TokenRules, keys: SigningKeys) -> Bearer:
    """Whom the value of an `Authorization` header admits.

    Raises:
        TokenRefused: when it admits nobody, whatever the value is.
        KeysUnavailable: when the issuer's keys cannot be had.
    """
    claims = _claims(_token(header), rules, keys)
    for name in _TIMES:
        if name in claims and not _is_time(claims[name]):
            raise TokenRefused(f"the claim {name!r} is no time")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise TokenRefused("the subject is no name")
    return Bearer(subject, rules.databases_of(claims))


def _token(header: object) -> str:
    scheme, _, token = header.partition(" ") if isinstance(header, str) else ("", "", "")
    if scheme.lower() != "bearer" or not token:
        raise TokenRefused("no bearer token")
    if len(token) > LONGEST_TOKEN or not _COMPACT.fullmatch(token):
        raise TokenRefused("the token is malformed")
    return token


def _claims(token: str, rules: TokenRules, keys: SigningKeys) -> dict[str, Any]:
    try:
        header = jwt.get_unverified_header(token)
        algorithm, key_id = header.get("alg"), header.get("kid")
        if not isinstance(algorithm, str) or algorithm not in KEY_TYPES:
            raise TokenRefused("the algorithm is not accepted")
        key = keys.find(key_id, algorithm) if isinstance(key_id, str) else None
        if key is None:
            raise TokenRefused("the issuer has no such key for this algorithm")
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=[algorithm],
            issuer=rules.issuer,
            audience=rules.audience,
            leeway=_LEEWAY_SECONDS,
            options={"require": ["exp", "iss", "aud", "sub"]},
        )
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        # Besides its own errors, PyJWT lets through what claims and headers of odd types cause.
        raise TokenRefused(type(error).__name__) from error
    return claims


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

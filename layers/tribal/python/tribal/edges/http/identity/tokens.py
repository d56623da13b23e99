"""Checks a bearer token: an unexpired JWT that a trusted issuer signed for us."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import Any

import jwt

from tribal.edges.http.identity.keys import KEY_TYPES, SigningKeys
from tribal.edges.http.identity.rules import TokenExpired, TokenRefused, TokenRules
from tribal.identity.scope import Scope
from tribal.ports.remembering.identity import UNIDENTIFIED, Identity

LONGEST_TOKEN = 16_384
"""Characters; API Gateway accepts 10,240 bytes of headers."""
_LONGEST_SUBJECT = 512
_COMPACT = re.compile(r"[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]+")
OWN_TOKENS = "token:"
"""Prefix of the subject of our own tokens."""
_TIMES = ("exp", "nbf", "iat")


@dataclass(frozen=True, slots=True)
class Bearer:
    """The bearer of a valid token."""

    subject: str
    scope: Scope
    """What the bearer may see."""
    rights: frozenset[str] | None = None
    """What the bearer may do; `None` if the rules define no rights, which means to read everything."""
    identity: Identity = UNIDENTIFIED
    """The bearer's identity in the layers of memory."""


def identify(header: object, rules: TokenRules, keys: SigningKeys) -> Bearer:
    """The bearer that the value of an `Authorization` header identifies.

    Raises:
        TokenRefused: when the header or its token is invalid.
        KeysUnavailable: when the issuer's keys cannot be downloaded.
    """
    claims = _claims(_token(header), rules, keys)
    for name in _TIMES:
        if name in claims and not _is_time(claims[name]):
            raise TokenRefused(f"the claim {name!r} is not a timestamp")
    subject = claims["sub"]
    if not isinstance(subject, str) or not 0 < len(subject) <= _LONGEST_SUBJECT or not subject.isprintable():
        raise TokenRefused("the subject is not a valid name")
    rules.check_client(claims)
    if subject.startswith(OWN_TOKENS):
        raise TokenRefused("the subject looks like one of our own tokens")
    return Bearer(subject, rules.scope_of(claims), rules.rights_of(claims), rules.identity_of(claims))


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
            issuer=rules.issuers,
            audience=rules.audience,
            leeway=rules.leeway_seconds,
            options={
                "require": ["exp", "iss", "sub", rules.audience_claim],
                "verify_aud": rules.audience_claim == "aud",
            },
        )
    except jwt.ExpiredSignatureError as error:
        raise TokenExpired("the token has expired") from error
    except (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError) as error:
        # Besides its own errors, PyJWT raises these for claims and headers of unexpected types.
        raise TokenRefused(type(error).__name__) from error
    return claims


def _is_time(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)

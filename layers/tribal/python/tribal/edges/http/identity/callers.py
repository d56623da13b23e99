"""Identifies the caller by the `Authorization` header: one of our own tokens, or one of the trusted issuer."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime

from tribal.edges.http.identity.keys import KeysUnavailable, SigningKeys
from tribal.edges.http.identity.rules import TokenExpired, TokenRefused, TokenRules, scope_named
from tribal.edges.http.identity.tokens import OWN_TOKENS, identify
from tribal.errors import StoreError
from tribal.ports.caller import Caller
from tribal.ports.object_store import ObjectStore
from tribal.ports.remembering.identity import Identity
from tribal.store.access_tokens import find_token, has_expired, is_token, read_tokens
from tribal_contracts import AccessTokens

TOKEN_CACHE_SECONDS = 2.0
"""How long a revoked token may still be accepted. By judgement: one read of the store in that time costs nothing."""

_LOOK_AGAIN_SECONDS = 0.1
"""Minimum time between two reads because of an unknown token: anyone can invent tokens."""


class OwnTokens:
    """The project's own tokens, reloaded from its store; thread-safe.

    Args:
        store: the store with the tokens.
        real_now: the current time, for expiry.
        now: seconds on a monotonic clock.
    """

    def __init__(
        self, store: Callable[[], ObjectStore], real_now: Callable[[], datetime], now: Callable[[], float]
    ) -> None:
        self._store = store
        self._real_now = real_now
        self._now = now
        self._lock = threading.Lock()
        self._read: AccessTokens | None = None
        self._read_at = 0.0

    def identify(self, token: str) -> Caller:
        """The caller that one of our tokens identifies.

        Raises:
            TokenRefused: when the token is not valid.
            KeysUnavailable: when the store does not respond.
        """
        record = find_token(self._tokens(TOKEN_CACHE_SECONDS), token)
        if record is None:
            # It may be new.
            record = find_token(self._tokens(_LOOK_AGAIN_SECONDS), token)
        if record is None:
            raise TokenRefused("unknown token")
        if has_expired(record, self._real_now()):
            raise TokenExpired("the token has expired")
        subject = f"{OWN_TOKENS}{record.name}"
        return Caller(
            subject, scope_named(record.scope), frozenset(record.rights), Identity(user=subject), record.owner
        )

    def any_is_valid(self) -> bool:
        """Whether any token has not expired."""
        now = self._real_now()
        return any(not has_expired(record, now) for record in self._tokens(TOKEN_CACHE_SECONDS).tokens)

    def _tokens(self, kept_seconds: float) -> AccessTokens:
        with self._lock:
            if self._read is None or self._now() - self._read_at >= kept_seconds:
                try:
                    self._read = read_tokens(self._store())
                except StoreError as error:
                    self._read = None
                    raise KeysUnavailable(f"the project's tokens cannot be read: {error.message}") from error
                self._read_at = self._now()
            return self._read


@dataclass(frozen=True, slots=True)
class Callers:
    """Identifies and admits callers."""

    own: OwnTokens
    read_rights: frozenset[str]
    """The rights of callers whose token from an issuer does not list any."""
    issuer: tuple[TokenRules, SigningKeys] | None = None
    without_token: Caller | None = None
    """The caller of requests without a token; `None` if a token is required."""
    company: str | None = None
    """The company of the store and of all its callers."""

    def identify(self, authorization: str | None) -> Caller:
        """The caller of a request with this header.

        Raises:
            TokenRefused: when the caller is not admitted.
            KeysUnavailable: when the token cannot be checked right now.
        """
        if authorization is None:
            if self.without_token is None:
                raise TokenRefused("no bearer token")
            return self.without_token
        scheme, _, token = authorization.partition(" ")
        if scheme.lower() == "bearer" and is_token(token.strip()):
            return self._of_company(self.own.identify(token.strip()))
        if self.issuer is None:
            raise TokenRefused("the token is not one of our own, and no issuer is configured")
        rules, keys = self.issuer
        bearer = identify(authorization, rules, keys)
        rights = self.read_rights if bearer.rights is None else bearer.rights
        return self._of_company(Caller(bearer.subject, bearer.scope, rights, bearer.identity))

    def _of_company(self, caller: Caller) -> Caller:
        return replace(caller, identity=replace(caller.identity, company=self.company))

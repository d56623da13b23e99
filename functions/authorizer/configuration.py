"""Which tokens the authorizer accepts, from the environment variables that the stack sets."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tribal.errors import ConfigurationError
from tribal.settings import read_environment

ALGORITHMS = ("RS256", "ES256", "PS256", "EdDSA")
"""Asymmetric algorithms only: with a shared secret, anyone able to verify tokens could also forge them."""


@dataclass(frozen=True, slots=True)
class TokenRules:
    """A trusted token issuer and what its tokens must contain."""

    issuer: str
    audience: str
    keys_url: str
    databases_claim: str | None
    """Claim that lists the databases a caller may see; `None` lets every caller see all of them."""
    algorithms: tuple[str, ...] = ALGORITHMS

    def databases_of(self, claims: dict[str, Any]) -> frozenset[str] | None:
        """The databases that the caller may see; `None` for all.

        Raises:
            ValueError: when the claim is missing or malformed; absence must never widen access.
        """
        if self.databases_claim is None:
            return None
        named = claims.get(self.databases_claim)
        if isinstance(named, str):
            named = named.split()
        if not isinstance(named, list) or not all(isinstance(name, str) and "," not in name for name in named):
            raise ValueError(f"the claim {self.databases_claim!r} is missing or no list of names")
        return frozenset(named)


def load_rules() -> TokenRules:
    """Read the environment.

    Raises:
        ConfigurationError: when a variable is missing.
    """
    values = read_environment()
    missing = [name for name in ("TRIBAL_TOKEN_ISSUER", "TRIBAL_TOKEN_AUDIENCE") if not values.get(name)]
    if missing:
        raise ConfigurationError(f"the environment variable {missing[0]} is not set; the stack sets it, so deploy anew")
    issuer = values["TRIBAL_TOKEN_ISSUER"]
    return TokenRules(
        issuer=issuer,
        audience=values["TRIBAL_TOKEN_AUDIENCE"],
        keys_url=values.get("TRIBAL_TOKEN_KEYS", f"{issuer.rstrip('/')}/.well-known/jwks.json"),
        databases_claim=values.get("TRIBAL_TOKEN_SCOPE_CLAIM") or None,
    )

"""Which tokens the authorizer accepts, from the environment variables that the stack sets."""

from __future__ import annotations

from tribal.edges.http.identity import TokenRules
from tribal.errors import ConfigurationError
from tribal.settings import read_environment


def load_rules() -> tuple[TokenRules, str]:
    """The rules, and the address of the issuer's keys, from the environment.

    Raises:
        ConfigurationError: when a variable is missing.
    """
    values = read_environment()
    missing = [name for name in ("TRIBAL_TOKEN_ISSUER", "TRIBAL_TOKEN_AUDIENCE") if not values.get(name)]
    if missing:
        raise ConfigurationError(f"the environment variable {missing[0]} is not set; the stack sets it, so deploy anew")
    issuer = values["TRIBAL_TOKEN_ISSUER"]
    rules = TokenRules(
        issuer=issuer,
        audience=values["TRIBAL_TOKEN_AUDIENCE"],
        databases_claim=values.get("TRIBAL_TOKEN_SCOPE_CLAIM") or None,
    )
    return rules, values.get("TRIBAL_TOKEN_KEYS", f"{issuer.rstrip('/')}/.well-known/jwks.json")

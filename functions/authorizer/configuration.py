"""Which tokens the authorizer accepts, from the environment variables that the stack sets."""

from __future__ import annotations

import json

from tribal.edges.http.identity import LEEWAY_SECONDS, IdentityClaims, TokenRules
from tribal.settings import read_environment
from tribal.settings.deployment import required_variable

_KINDS = ("ORG", "TEAMS", "PROJECTS")


def load_rules() -> TokenRules:
    """The rules from the environment.

    Raises:
        ConfigurationError: when a variable is missing.
    """
    values = read_environment()
    return TokenRules(
        issuer=required_variable(values, "TRIBAL_TOKEN_ISSUER"),
        audience=frozenset(required_variable(values, "TRIBAL_TOKEN_AUDIENCE").split()),
        scope_claim=values.get("TRIBAL_TOKEN_SCOPE_CLAIM") or None,
        audience_claim="client_id" if values.get("TRIBAL_TOKEN_AUDIENCE_CLAIM") == "client_id" else "aud",
        authorized_parties=frozenset(values.get("TRIBAL_TOKEN_AUTHORIZED_PARTIES", "").split()),
        rights={
            name: frozenset(rights) for name, rights in json.loads(values.get("TRIBAL_TOKEN_RIGHTS") or "{}").items()
        },
        identity_claims=IdentityClaims(*(values.get(f"TRIBAL_TOKEN_{kind}_CLAIM") or None for kind in _KINDS)),
        leeway_seconds=float(values.get("TRIBAL_TOKEN_CLOCK_SKEW_SECONDS") or LEEWAY_SECONDS),
    )

"""The caller of a request, as identified by the API's authorizer or by IAM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.contexts import DATABASES
from tribal.catalog.scope import EVERYTHING, Scope
from tribal.ports.caller import Caller
from tribal.tools.registry import REGISTRY


def caller_of(context: Mapping[str, Any]) -> Caller:
    """The caller of a request, from its context: always allowed to read; one that bears a token sees what that names,
    and one that signed for IAM sees everything."""
    authorizer = context.get("authorizer") or {}
    subject = authorizer.get("principalId") or (context.get("identity") or {}).get("userArn") or "unknown"
    return Caller(str(subject), _scope_of(authorizer), REGISTRY.read_rights)


def _scope_of(authorizer: Mapping[str, Any]) -> Scope:
    if not authorizer:
        return EVERYTHING
    named = authorizer.get(DATABASES) or ""
    return Scope(databases=frozenset(name for name in str(named).split(",") if name))

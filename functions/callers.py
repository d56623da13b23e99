"""The caller of a request, as identified by the API's authorizer or by IAM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.scopes import SCOPE, read_scope
from tribal.catalog.scope import EVERYTHING
from tribal.ports.caller import Caller
from tribal.tools.registry import REGISTRY


def caller_of(context: Mapping[str, Any]) -> Caller:
    """The caller of a request, from its context: always allowed to read; one that bears a token sees what that names,
    and one that signed for IAM sees everything."""
    authorizer = context.get("authorizer") or {}
    subject = authorizer.get("principalId") or (context.get("identity") or {}).get("userArn") or "unknown"
    scope = read_scope(authorizer.get(SCOPE)) if authorizer else EVERYTHING
    return Caller(str(subject), scope, REGISTRY.read_rights)

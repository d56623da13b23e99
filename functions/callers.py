"""The caller of a request, as identified by the API's authorizer or by IAM."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from functions.scopes import RIGHTS, SCOPE, read_rights, read_scope
from tribal.catalog.scope import EVERYTHING
from tribal.ports.caller import Caller
from tribal.tools.registry import REGISTRY


def caller_of(context: Mapping[str, Any]) -> Caller:
    """The caller of a request, from its context: one that bears a token sees what that names, and one that signed for
    IAM everything; both may read, unless the token's scopes tell its rights."""
    authorizer = context.get("authorizer") or {}
    subject = authorizer.get("principalId") or (context.get("identity") or {}).get("userArn") or "unknown"
    scope = read_scope(authorizer.get(SCOPE)) if authorizer else EVERYTHING
    rights = authorizer.get(RIGHTS)
    return Caller(str(subject), scope, REGISTRY.read_rights if rights is None else read_rights(rights))

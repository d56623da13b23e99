"""The caller of a request, as identified by the API's authorizer or by IAM."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from functions.offering import offered_tools
from functions.scopes import IDENTITY, RIGHTS, SCOPE, read_identity, read_rights, read_scope
from tribal.capabilities import capabilities
from tribal.edges.http.context_headers import with_context_headers
from tribal.identity.scope import EVERYTHING
from tribal.ports.caller import Caller
from tribal.settings import read_environment
from tribal.settings.deployment import COMPANY_VARIABLE, IAM_RIGHTS_VARIABLE


def caller_of(event: Mapping[str, Any]) -> Caller:
    """The caller of a request, with the session, agent and project from its headers.

    Raises:
        RequestRefused: when a header is invalid.
    """
    return with_context_headers(verified_caller(event["requestContext"]), headers_of(event))


def headers_of(event: Mapping[str, Any]) -> dict[str, str]:
    """The headers of a request by lower-case name."""
    return {name.lower(): value for name, value in (event.get("headers") or {}).items()}


def verified_caller(context: Mapping[str, Any]) -> Caller:
    """The caller of a request, from its context alone.

    A token determines scope and rights; without rights it may read. Callers who signed with IAM see everything, may
    read, write their own memories, and start syncs, but spend money on models only if the environment says so.
    """
    authorizer, tools = context.get("authorizer") or {}, offered_tools()
    principal = authorizer.get("principalId") or (context.get("identity") or {}).get("userArn")
    user = None if principal is None else str(principal)
    identity = read_identity(user, authorizer.get(IDENTITY) if user is not None else None)
    identity = replace(identity, company=read_environment().get(COMPANY_VARIABLE) or None)
    if not authorizer:
        offered = {spec.right for spec in tools.tools.values()} - tools.spending_rights
        writing = {right for each in capabilities() for right in each.write_rights if right in offered}
        more = frozenset() if user is None else writing
        named = read_rights(read_environment().get(IAM_RIGHTS_VARIABLE, "")) if user is not None else frozenset()
        return Caller(user or "unknown", EVERYTHING, tools.read_rights | more | named, identity)
    granted = authorizer.get(RIGHTS)
    rights = tools.read_rights if granted is None else read_rights(granted)
    return Caller(user or "unknown", read_scope(authorizer.get(SCOPE)), rights, identity)

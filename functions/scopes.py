"""Scope, rights and identity of a caller, as passed from the authorizer to the functions behind the API."""

from __future__ import annotations

import json

from tribal.identity.scope import Scope
from tribal.ports.remembering.identity import Identity

SCOPE = "tribal_scope"
"""Key of the scope in the authorizer's context, whose values are strings; without it, nothing is visible."""


RIGHTS = "tribal_rights"
"""Key of the rights in the same context; absent if the rules define none."""


IDENTITY = "tribal_identity"
"""Key of the identity in the same context; absent without such claims."""


REFUSED = "tribal_refused"
"""Key of why a token is refused, in the same context; a gateway response shows it to the caller."""


def write_scope(scope: Scope) -> str:
    """A scope as a string."""
    return json.dumps({"databases": sorted(scope.databases or ()), "schemas": sorted(scope.schemas or ())})


def read_scope(text: str | None) -> Scope:
    """The scope in a string from `write_scope`; without one, an empty scope."""
    content = json.loads(text or "{}")
    schemas = frozenset((database, schema) for database, schema in content.get("schemas", ()))
    return Scope(frozenset(content.get("databases", ())), schemas or None)


def write_rights(rights: frozenset[str]) -> str:
    """Rights as a string."""
    return " ".join(sorted(rights))


def read_rights(text: str) -> frozenset[str]:
    """The rights in a string from `write_rights`."""
    return frozenset(text.split())


def write_identity(identity: Identity) -> str:
    """Organizations, teams and projects as a string; empty without any."""
    kinds = {"orgs": identity.orgs, "teams": identity.teams, "projects": identity.projects}
    content = {kind: list(names) for kind, names in kinds.items() if names}
    return json.dumps(content) if content else ""


def read_identity(user: str | None, text: str | None) -> Identity:
    """The identity of a user, completed from a string of `write_identity`."""
    content = json.loads(text or "{}")
    orgs, teams, projects = (tuple(content.get(kind, ())) for kind in ("orgs", "teams", "projects"))
    return Identity(user, orgs=orgs, teams=teams, projects=projects)

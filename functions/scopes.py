"""What a caller may see and do, as the authorizer hands it to the functions behind the API."""

from __future__ import annotations

import json

from tribal.catalog.scope import Scope

SCOPE = "tribal_scope"
"""Key of the authorizer's context, whose values API Gateway passes on as texts; absent means that nothing is seen."""


RIGHTS = "tribal_rights"
"""Key of the rights in the same context; absent where the issuer's scopes tell no rights apart."""


def write_scope(scope: Scope) -> str:
    """The scope of a bearer as a text."""
    return json.dumps({"databases": sorted(scope.databases or ()), "schemas": sorted(scope.schemas or ())})


def read_scope(text: str | None) -> Scope:
    """The scope in a text that `write_scope` wrote; without one, nothing may be seen."""
    content = json.loads(text or "{}")
    schemas = frozenset((database, schema) for database, schema in content.get("schemas", ()))
    return Scope(frozenset(content.get("databases", ())), schemas or None)


def write_rights(rights: frozenset[str]) -> str:
    """The rights of a bearer as a text."""
    return " ".join(sorted(rights))


def read_rights(text: str) -> frozenset[str]:
    """The rights in a text that `write_rights` wrote."""
    return frozenset(text.split())

"""What a caller may see and do, as the authorizer hands it to the functions behind the API."""

from __future__ import annotations

import json

from tribal.identity.scope import Scope
from tribal.ports.remembering.identity import Identity

SCOPE = "tribal_scope"
"""Key of the authorizer's context, whose values API Gateway passes on as texts; absent means that nothing is seen."""


RIGHTS = "tribal_rights"
"""Key of the rights in the same context; absent where the issuer's scopes tell no rights apart."""


IDENTITY = "tribal_identity"
"""Key of who the bearer is in the layers of memory, in the same context; absent where claims tell nothing of it."""


REFUSED = "tribal_refused"
"""Key of why a token is refused, in the same context; a gateway response tells it to the caller."""


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


def write_identity(identity: Identity) -> str:
    """The organizations, teams and projects of a bearer as a text; empty without any."""
    kinds = {"orgs": identity.orgs, "teams": identity.teams, "projects": identity.projects}
    content = {kind: list(names) for kind, names in kinds.items() if names}
    return json.dumps(content) if content else ""


def read_identity(user: str | None, text: str | None) -> Identity:
    """The identity of a user with what is in a text that `write_identity` wrote."""
    content = json.loads(text or "{}")
    orgs, teams, projects = (tuple(content.get(kind, ())) for kind in ("orgs", "teams", "projects"))
    return Identity(user, orgs=orgs, teams=teams, projects=projects)

"""Entity tags for answers that change only with the index, so that clients can revalidate their cache."""

from __future__ import annotations

from tribal import __version__
from tribal.edges.http.messages import Request
from tribal.identity.hashing import object_hash
from tribal.ports.application import Application

_DIGITS = 32


def entity_tag(request: Request, app: Application) -> str:
    """A weak tag that depends on index generation, request, caller's scope and program version.

    Raises:
        IndexNotReady: when there is no usable index.
    """
    caller = request.caller
    scope, rights = caller.scope, caller.rights
    seen = [
        None if scope.databases is None else sorted(scope.databases),
        None if scope.schemas is None else sorted(scope.schemas),
        None if rights is None else sorted(rights),
    ]
    asked = [request.path, sorted(request.query.items())]
    return f'W/"{object_hash([__version__, repr(app.index().generation()), asked, seen])[:_DIGITS]}"'


def matches(if_none_match: str | None, tag: str) -> bool:
    """Whether the `If-None-Match` header contains the tag, by weak comparison."""
    if not if_none_match:
        return False
    opaque = tag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") in (opaque, "*") for one in if_none_match.split(","))

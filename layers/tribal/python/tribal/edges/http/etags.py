"""Entity tags of answers that change only with the index: clients that still have one are answered without the body."""

from __future__ import annotations

from tribal import __version__
from tribal.edges.http.messages import Request
from tribal.identity.hashing import object_hash
from tribal.ports.application import Application

_DIGITS = 32


def entity_tag(request: Request, app: Application) -> str:
    """A weak tag that differs where the generation, the request, what its caller may see, or the program differs.

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
    """Whether the header `If-None-Match` names the tag; tags are compared weakly."""
    if not if_none_match:
        return False
    opaque = tag.removeprefix("W/")
    return any(one.strip().removeprefix("W/") in (opaque, "*") for one in if_none_match.split(","))

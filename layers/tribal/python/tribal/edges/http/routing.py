"""Finds the route of a request by its method and path."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.edges.http.messages import JSON, Request, Response
from tribal.errors import MethodRefused, PathUnknown, TribalError

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.tools.registry import Registry
    from tribal_contracts import Contract

LARGEST_BODY_BYTES = 64 * 1024
"""Of a tool's input that says nothing else: the longest question has 2,000 characters."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request at its route, and what it is answered from."""

    request: Request
    app: Application
    tools: Registry
    values: Mapping[str, str] = field(default_factory=dict)
    """What stands in the path for each name in the route's path."""
    routes: Sequence[Route] = ()
    """Every route of the server."""


@dataclass(frozen=True, slots=True)
class Route:
    """What answers one method at one path."""

    method: str
    path: str
    """`{name}` stands for one part of a path."""
    answer: Callable[[Call], Response]
    summary: str
    """One sentence, for the documentation."""
    public: bool = False
    """Whether anybody may ask, without a caller being known."""
    by_generation: bool = False
    """Whether the answer changes only with the index, so that clients may keep it until then."""
    content_type: str = JSON
    calls_tool: bool = False
    """Whether `{name}` in the path is that of a tool."""
    parameters: tuple[str, ...] = ()
    """What the query string may have."""
    models: Callable[[], tuple[type[Contract] | None, type[Contract]]] | None = None
    """Imports and returns the models of the body and of the answer, for the documentation."""
    failures: tuple[type[TribalError], ...] = ()
    """What it may answer with beside what every route may."""

    def values_in(self, path: str) -> dict[str, str] | None:
        """What stands in a path for each name; `None` when the path is not of this route."""
        wanted, given = self.path.split("/"), path.split("/")
        if len(wanted) != len(given):
            return None
        values: dict[str, str] = {}
        for pattern, part in zip(wanted, given, strict=True):
            if pattern.startswith("{"):
                values[pattern[1:-1]] = part
            elif pattern != part:
                return None
        return None if "" in values.values() else values


def template_of(path: str, routes: Sequence[Route]) -> str | None:
    """The path of the route that a path is of, for logs and metrics; `None` when there is none."""
    return next((route.path for route in routes if route.values_in(_plain(path)) is not None), None)


def find_route(method: str, path: str, routes: Sequence[Route]) -> tuple[Route, dict[str, str]]:
    """The route of a request, and what stands in its path for each name; slashes at the end are ignored.

    Raises:
        PathUnknown: when no route has the path.
        MethodRefused: when some have it, with other methods, which its context lists as `allowed`.
    """
    at_path = [(route, values) for route in routes if (values := route.values_in(_plain(path))) is not None]
    if not at_path:
        raise PathUnknown("there is nothing at this path; GET /docs and GET /openapi.json tell what there is")
    wanted = "GET" if method == "HEAD" else method
    for route, values in at_path:
        if route.method == wanted:
            return route, values
    allowed = allowed_methods(route for route, _ in at_path)
    refused = MethodRefused(f"the path has no such method; it has {', '.join(allowed)}")
    refused.context = {"allowed": list(allowed)}
    raise refused


def largest_body(path: str, routes: Sequence[Route], tools: Registry) -> int:
    """How many bytes the body of a request to a path may have."""
    for route in routes:
        values = route.values_in(_plain(path)) if route.calls_tool else None
        if values is not None and values["name"] in tools.tools:
            return tools.tools[values["name"]].largest_input_bytes or LARGEST_BODY_BYTES
    return LARGEST_BODY_BYTES


def allowed_methods(routes: Iterable[Route]) -> tuple[str, ...]:
    """The methods of routes at one path, as the header `Allow` lists them."""
    methods = {route.method for route in routes}
    return tuple(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _plain(path: str) -> str:
    return path.rstrip("/") or "/"

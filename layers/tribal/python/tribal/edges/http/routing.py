"""Finds the route of a request by its method and path."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from tribal.edges.http.messages import JSON, Request, Response
from tribal.errors import MethodRefused, PathUnknown, TribalError

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal.tools.registry import Registry
    from tribal_contracts import Contract

LARGEST_BODY_BYTES = 64 * 1024
"""Default limit for a tool's input: the longest question has 2,000 characters."""


@dataclass(frozen=True, slots=True)
class Call:
    """A request with its route and the application that answers it."""

    request: Request
    app: Application
    tools: Registry
    values: Mapping[str, str] = field(default_factory=dict)
    """The values in the path, by name in the route's path."""
    routes: Sequence[Route] = ()
    """Every route of the server."""


class BodyReceiver(Protocol):
    """Takes a body piece by piece."""

    def feed(self, data: bytes) -> None:
        """Take the next bytes; raises a `TribalError` to refuse the rest."""
        ...

    def finish(self) -> Response:
        """Answer, after the last bytes."""
        ...


@dataclass(frozen=True, slots=True)
class Route:
    """Answers one method at one path."""

    method: str
    path: str
    """`{name}` matches one segment."""
    answer: Callable[[Call], Response]
    summary: str
    """One sentence, for the documentation."""
    public: bool = False
    """Whether it needs no caller."""
    by_generation: bool = False
    """Whether the answer changes only with the index, so that clients may cache it."""
    content_type: str = JSON
    other_types: tuple[str, ...] = ()
    """Other types that it may answer with."""
    status: int = 200
    """Of a successful answer."""
    body_type: str = JSON
    largest_body_bytes: int | None = None
    """Limit for its body, if larger than the default."""
    calls_tool: bool = False
    """Whether `{name}` in the path is a tool."""
    parameters: tuple[str, ...] = ()
    """The query parameters."""
    models: Callable[[], tuple[type[Contract] | None, type[Contract]]] | None = None
    """Imports and returns the models of body and answer, for the documentation."""
    failures: tuple[type[TribalError], ...] = ()
    """Errors that it may answer with, besides those of every route."""
    receives: Callable[[Request, Application, Hashable], AbstractContextManager[BodyReceiver]] | None = None
    """In `tribal serve`, takes the body as it arrives, in place of `answer`: of a request without its body, and what
    identifies the requests that share a slot. Raises a `TribalError` before anything is read."""
    sweep: Callable[[Application], None] | None = None
    """Removes what a killed process left behind; called when a server starts."""

    @property
    def types(self) -> tuple[str, ...]:
        """All types that it may answer with."""
        return (self.content_type, *self.other_types)

    def values_in(self, path: str) -> dict[str, str] | None:
        """The values in a path, by name; `None` when the path does not match."""
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
    """The path template that matches a path, for logs and metrics; `None` when no route matches."""
    return next((route.path for route in routes if route.values_in(_plain(path)) is not None), None)


def find_route(method: str, path: str, routes: Sequence[Route]) -> tuple[Route, dict[str, str]]:
    """The route of a request and the values in its path; trailing slashes are ignored.

    Raises:
        PathUnknown: when no route has the path.
        MethodRefused: when the path has other methods, which the context lists as `allowed`.
    """
    at_path = [(route, values) for route in routes if (values := route.values_in(_plain(path))) is not None]
    if not at_path:
        raise PathUnknown("unknown path; see GET /docs or GET /openapi.json")
    wanted = "GET" if method == "HEAD" else method
    for route, values in at_path:
        if route.method == wanted:
            return route, values
    allowed = allowed_methods(route for route, _ in at_path)
    refused = MethodRefused(f"the path does not support this method, only {', '.join(allowed)}")
    refused.context = {"allowed": list(allowed)}
    raise refused


def receiving_route(method: str, path: str, routes: Sequence[Route]) -> Route | None:
    """The route that takes the body of a request as it arrives; `None` if it is to be received whole."""
    found = (each for each in routes if each.receives is not None and each.method == method)
    return next((each for each in found if each.values_in(_plain(path)) is not None), None)


def largest_body(path: str, routes: Sequence[Route], tools: Registry) -> int:
    """The maximum size of a body in bytes, by path."""
    for route in routes:
        values = route.values_in(_plain(path)) if route.calls_tool or route.largest_body_bytes else None
        if values is not None and route.largest_body_bytes:
            return route.largest_body_bytes
        if values is not None and values["name"] in tools.tools:
            return tools.tools[values["name"]].largest_input_bytes or LARGEST_BODY_BYTES
    return LARGEST_BODY_BYTES


def allowed_methods(routes: Iterable[Route]) -> tuple[str, ...]:
    """The methods of the routes at one path, for the `Allow` header."""
    methods = {route.method for route in routes}
    return tuple(sorted(methods | ({"HEAD"} if "GET" in methods else set())))


def _plain(path: str) -> str:
    return path.rstrip("/") or "/"

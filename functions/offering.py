"""The tools that an environment offers, and the function for each."""

from __future__ import annotations

from tribal.capabilities import capabilities
from tribal.edges.http.routes import ROUTES, capability_routes
from tribal.edges.http.routing import Route
from tribal.settings import read_environment
from tribal.settings.deployment import MODEL_VARIABLE, sections_of
from tribal.tools.registry import Registry, offered

RETRIEVER = "retriever"


def answered_by() -> dict[str, tuple[str, ...]]:
    """The tools of each function besides the retriever."""
    tools: dict[str, tuple[str, ...]] = {}
    for use in (use for each in capabilities() for use in each.uses):
        if use.function != RETRIEVER and use.tools:
            tools[use.function] = (*tools.get(use.function, ()), *use.tools)
    return tools


def offered_tools() -> Registry:
    """The tools that the environment offers."""
    values = read_environment()
    sections = sections_of(values)
    named = any(section.has_models for section in sections.values())
    return offered(sections, has_model=named or bool(values.get(MODEL_VARIABLE)))


def tools_of(function: str) -> Registry:
    """The offered tools that a function answers.

    Raises:
        ConfigurationError: when the environment offers none of them.
    """
    offered_here, own = offered_tools(), answered_by()[function]
    return offered_here.narrowed([name for name in own if name in offered_here.tools] or own)


def routes_of(function: str) -> tuple[Route, ...]:
    """The routes of the capability that a function belongs to, after those of every function with tools."""
    owners = [each for each in capabilities() if any(spec.name == function and spec.routes for spec in each.functions)]
    own = capability_routes(owners)
    return (*ROUTES, *own) if own else ROUTES


def fault_metric_of(function: str) -> str | None:
    """The metric that counts a function's answers with a status of 500 or more."""
    specs = [spec for each in capabilities() for spec in each.functions if spec.name == function]
    return specs[0].fault_metric if specs else None

"""The capabilities of the product, one package each. They do not import each other."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tribal.ports.capability import Capability, FunctionUse

NAMES = (
    "retrieval",
    "chat",
    "interrogation",
    "memory",
    "knowledge",
    "contribution",
    "proposals",
)
"""Every capability, in the order in which its tools are listed."""


@cache
def capability(name: str) -> Capability:
    """The manifest of a capability."""
    found: Capability = import_module(f"tribal.capabilities.{name}.manifest").CAPABILITY
    return found


def capabilities() -> tuple[Capability, ...]:
    """The manifests of all capabilities, in order."""
    return tuple(map(capability, NAMES))


def uses_of(function: str, among: Sequence[Capability]) -> list[FunctionUse]:
    """How some capabilities use a function: their own uses, and those of the ports that it asks."""
    uses = [use for each in among for use in each.uses]
    asked = {port for use in uses if use.function == function for port in use.asks}
    return [use for use in uses if use.function == function or use.port in asked]

"""The registry of capabilities and their tools."""

from __future__ import annotations

from functools import cached_property

from tribal.ports.tool import Capability, ToolSpec
from tribal.retrieval.tools import RETRIEVAL


class Registry:
    """The tools of a set of capabilities, under unique names.

    Raises:
        ValueError: when two tools have the same name or command.
    """

    def __init__(self, capabilities: tuple[Capability, ...]) -> None:
        self.capabilities = capabilities
        specs = [spec for capability in capabilities for spec in capability.tools]
        for names in ([spec.name for spec in specs], [spec.command for spec in specs if spec.command]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"several tools are called {twice[0]!r}")

    @cached_property
    def tools(self) -> dict[str, ToolSpec]:
        """Every tool by name, in order of declaration."""
        return {spec.name: spec for capability in self.capabilities for spec in capability.tools}

    @cached_property
    def commands(self) -> dict[str, ToolSpec]:
        """The tools that have a command, by command."""
        return {spec.command: spec for spec in self.tools.values() if spec.command is not None}

    @cached_property
    def read_rights(self) -> frozenset[str]:
        """The rights that together allow reading everything and changing nothing."""
        specs = self.tools.values()
        reading = {spec.right for spec in specs if spec.effect.read_only}
        return frozenset(reading - {spec.right for spec in specs if not spec.effect.read_only})

    def capability_of(self, name: str) -> Capability:
        """The capability that a tool belongs to.

        Raises:
            KeyError: when there is no tool of that name.
        """
        return self._capabilities[name]

    @cached_property
    def _capabilities(self) -> dict[str, Capability]:
        return {spec.name: capability for capability in self.capabilities for spec in capability.tools}


REGISTRY = Registry((RETRIEVAL,))
"""Every tool of the package."""

"""The registry of capabilities and their tools."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.syncing.tools import CAPABILITY as SYNC
from tribal.capabilities.knowledge.tools import CAPABILITY as KNOWLEDGE
from tribal.capabilities.memory.tools import CAPABILITY as MEMORY
from tribal.capabilities.retrieval.tools import RETRIEVAL
from tribal.ports.tool import Capability, ToolSpec

if TYPE_CHECKING:
    from tribal.ports.application import Application
    from tribal_contracts import KnowledgeSettings, MemorySettings


class Registry:
    """The tools of a set of capabilities, under unique names.

    Raises:
        ValueError: when two tools have the same name or command.
    """

    def __init__(self, capabilities: tuple[Capability, ...]) -> None:
        self.capabilities = capabilities
        specs = [spec for capability in capabilities for spec in (*capability.tools, *capability.internal)]
        for names in ([spec.name for spec in specs], [spec.command for spec in specs if spec.command]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"several tools are called {twice[0]!r}")

    @cached_property
    def tools(self) -> dict[str, ToolSpec]:
        """Every tool that is offered, by name, in order of declaration."""
        return {spec.name: spec for capability in self.capabilities for spec in capability.tools}

    @cached_property
    def callable(self) -> dict[str, ToolSpec]:
        """Every tool by name, with those that are offered to nobody."""
        internal = {spec.name: spec for capability in self.capabilities for spec in capability.internal}
        return {**self.tools, **internal}

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

    def narrowed(self, names: Sequence[str]) -> Registry:
        """The registry with some of its tools; each name is that of a tool or of a capability, and none means all.

        Raises:
            ConfigurationError: when there is neither of a name.
        """
        from tribal.errors import ConfigurationError

        known = {*self.tools, *(capability.name for capability in self.capabilities)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ConfigurationError(f"there is no tool {unknown[0]!r}; there are {', '.join(sorted(known))}")
        kept = (
            replace(
                capability, tools=tuple(spec for spec in capability.tools if {spec.name, capability.name} & {*names})
            )
            for capability in self.capabilities
        )
        return Registry(tuple(capability for capability in kept if capability.tools)) if names else self

    def prepare(self, app: Application) -> None:
        """Have what answers need read and derived.

        Raises:
            TribalError: when there is nothing yet to read.
        """
        for capability in self.capabilities:
            capability.prepare(app)

    def capability_of(self, name: str) -> Capability:
        """The capability that a tool belongs to.

        Raises:
            KeyError: when there is no tool of that name.
        """
        return self._capabilities[name]

    @cached_property
    def _capabilities(self) -> dict[str, Capability]:
        return {
            spec.name: capability
            for capability in self.capabilities
            for spec in (*capability.tools, *capability.internal)
        }


REGISTRY = Registry((RETRIEVAL,))
"""The tools that are offered everywhere."""
EVERYTHING = Registry((RETRIEVAL, MEMORY, KNOWLEDGE, SYNC))
"""Every tool of the package."""


def offered(memory: MemorySettings | None, knowledge: KnowledgeSettings | None) -> Registry:
    """The tools that a server offers: those of memory and of knowledge where these are configured."""
    of_memory = () if memory is None else (MEMORY,)
    of_knowledge = () if knowledge is None else (KNOWLEDGE, SYNC)
    return Registry((RETRIEVAL, *of_memory, *of_knowledge))

"""The registry of tools."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from tribal.capabilities import capabilities
from tribal.ports.tool import ToolGroup, ToolSpec

if TYPE_CHECKING:
    from tribal.ports.application import Application


class Registry:
    """Groups of tools, under unique names.

    Raises:
        ValueError: when two tools have the same name or command.
    """

    def __init__(self, groups: tuple[ToolGroup, ...]) -> None:
        self.groups = groups
        specs = [spec for group in groups for spec in (*group.tools, *group.internal)]
        for names in ([spec.name for spec in specs], [spec.command for spec in specs if spec.command]):
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice:
                raise ValueError(f"several tools are called {twice[0]!r}")

    @cached_property
    def tools(self) -> dict[str, ToolSpec]:
        """Every tool that is offered, by name, in order of declaration."""
        return {spec.name: spec for group in self.groups for spec in group.tools}

    @cached_property
    def callable(self) -> dict[str, ToolSpec]:
        """All tools by name, including internal ones."""
        internal = {spec.name: spec for group in self.groups for spec in group.internal}
        return {**self.tools, **internal}

    @cached_property
    def commands(self) -> dict[str, ToolSpec]:
        """The tools that have a command, by command."""
        return {spec.command: spec for spec in self.tools.values() if spec.command is not None}

    @cached_property
    def read_rights(self) -> frozenset[str]:
        """The rights that together allow reading everything, changing nothing and spending nothing."""
        reading = {spec.right for spec in self.tools.values() if spec.effect.read_only}
        return frozenset(reading - self._changing_rights - self.spending_rights)

    @cached_property
    def spending_rights(self) -> frozenset[str]:
        """The rights to spend money on models."""
        return frozenset(spec.spends for spec in self.tools.values() if spec.spends is not None)

    @cached_property
    def asking_rights(self) -> frozenset[str]:
        """The rights to spend money on models without changing anything."""
        return self.spending_rights - self._changing_rights

    @cached_property
    def _changing_rights(self) -> frozenset[str]:
        return frozenset(spec.right for spec in self.tools.values() if not spec.effect.read_only)

    def narrowed(self, names: Sequence[str]) -> Registry:
        """The registry restricted to the named tools and groups; without names, all tools.

        Raises:
            ConfigurationError: when a name is unknown.
        """
        from tribal.errors import ConfigurationError

        known = {*self.tools, *(group.name for group in self.groups)}
        unknown = [name for name in names if name not in known]
        if unknown:
            raise ConfigurationError(f"unknown tool {unknown[0]!r}; the tools are {', '.join(sorted(known))}")
        kept = (
            replace(group, tools=tuple(spec for spec in group.tools if {spec.name, group.name} & {*names}))
            for group in self.groups
        )
        return Registry(tuple(group for group in kept if group.tools)) if names else self

    def prepare(self, app: Application) -> None:
        """Load and derive in advance what answers need.

        Raises:
            TribalError: when there is no data yet.
        """
        for group in self.groups:
            group.prepare(app)

    def group_of(self, name: str) -> ToolGroup:
        """The group that a tool belongs to.

        Raises:
            KeyError: when there is no tool of that name.
        """
        return self._groups_by_tool[name]

    @cached_property
    def _groups_by_tool(self) -> dict[str, ToolGroup]:
        return {spec.name: group for group in self.groups for spec in (*group.tools, *group.internal)}


def offered(configured: Collection[str], *, has_model: bool = False) -> Registry:
    """The tools that a server offers.

    Args:
        configured: the capabilities whose section of `databases.yaml` is present.
        has_model: whether there is a model to ask; tools that may ask one then reach beyond this installation.
    """
    groups = [
        group for capability in capabilities() if capability.is_configured(configured) for group in capability.groups
    ]
    return Registry(tuple(map(with_model, groups) if has_model else groups))


def with_model(group: ToolGroup) -> ToolGroup:
    """The group where a model is configured."""
    tools = tuple(
        spec if spec.spends is None else replace(spec, effect=replace(spec.effect, open_world=True))
        for spec in group.tools
    )
    return replace(group, tools=tools)


REGISTRY = offered(())
"""The tools that are offered everywhere."""
EVERYTHING = Registry(tuple(group for capability in capabilities() for group in capability.groups))
"""Every tool of the package."""

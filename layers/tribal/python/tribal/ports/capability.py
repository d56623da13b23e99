"""Declarations of capabilities. The command line, HTTP, MCP, the functions and `infra/` are derived from them.

A declaration is data. It names modules as text or imports them in functions, so that reading it loads no use case.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tribal.ports.tool import ToolGroup, ToolSpec

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings


@dataclass(frozen=True, kw_only=True)
class CommandSpec:
    """A command of `tribal` that is not derived from a tool."""

    name: str
    target: str
    """`module:name` of a function, or of a `typer.Typer` with subcommands."""
    help: str | None = None
    """Of a command with subcommands; a function has a docstring."""


@dataclass(frozen=True, kw_only=True)
class FunctionSpec:
    """A function in AWS that answers tools. It is deployed where its capability is configured."""

    name: str
    package: str = "capability"
    """The folder in `functions/` with its handler."""
    layers: tuple[str, ...] = ()
    """Dependency layers that it needs besides those of every function with tools."""
    fault_metric: str | None = None
    """The metric that counts its answers with a status of 500 or more."""
    memory_mb: int = 1769
    timeout_seconds: int = 25
    """API Gateway waits 29 s. Only a function with a schedule may take longer."""
    has_schedule: bool = False


@dataclass(frozen=True, kw_only=True)
class FunctionUse:
    """What a capability has a function do, and the rights that this takes. A function may serve several capabilities.

    Patterns are keys of the store, where `*` stands for any text.
    """

    function: str
    tools: tuple[str, ...] = ()
    asks_index: bool = True
    """Whether it reads the index of tables."""
    reads: tuple[str, ...] = ()
    reads_without_search: tuple[str, ...] = ()
    """Read only in environments without a search domain, where indexes are files."""
    writes: tuple[str, ...] = ()
    removes: tuple[str, ...] = ()
    writes_memories: bool = False
    """Whether it writes memories and their index."""
    secret: str | None = None
    """The setting that names a secret which it reads."""
    loads: str = ""
    """Python statements that import what it loads only when it is called; packaging runs them."""


@dataclass(frozen=True, kw_only=True)
class Capability:
    """Everything that the edges, the functions and `infra/` need to know about a capability."""

    name: str
    groups: tuple[ToolGroup, ...] = ()
    section: Callable[[], type[CapabilitySettings]] | None = None
    """Imports the model of its section in `databases.yaml`, which has the capability's name. Its tools are offered
    where that section is present; without a section they are always offered."""
    errors: str
    """The module with its errors."""
    write_rights: tuple[str, ...] = ()
    """Rights to change something that a caller gets who signs for IAM, or on a server that allows writing."""
    commands: tuple[CommandSpec, ...] = ()
    extras: tuple[str, ...] = ()
    """The optional dependencies that it needs."""
    functions: tuple[FunctionSpec, ...] = ()
    uses: tuple[FunctionUse, ...] = ()

    def is_configured(self, sections: Collection[str]) -> bool:
        """Whether its tools are offered where these sections are present."""
        return self.section is None or self.name in sections

    @property
    def tools(self) -> tuple[ToolSpec, ...]:
        """Its tools, as they are offered."""
        return tuple(spec for group in self.groups for spec in group.tools)

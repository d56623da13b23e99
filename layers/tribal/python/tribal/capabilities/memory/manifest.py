"""The manifest of memory: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.memory.tools import MEMORY, WRITE_MEMORY
from tribal.ports.tool import Capability, CommandSpec, FunctionSpec, FunctionUse

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings

_OBJECTS = "memory/*"
_LOADS = """
from tribal.adapters.journal.memories import JournalMemories
from tribal.adapters.opensearch.memories import OpenSearchMemories
OpenSearchMemories(opensearch_client("https://localhost", region="eu-central-1"), 256).close()
JournalMemories(S3ObjectStore(aws_client("s3"), "bucket")).close()
"""


def _section() -> type[CapabilitySettings]:
    from tribal_contracts import MemorySettings

    return MemorySettings


CAPABILITY = Capability(
    name="memory",
    groups=(MEMORY,),
    section=_section,
    errors="tribal.capabilities.memory.errors",
    write_rights=(WRITE_MEMORY,),
    commands=(
        CommandSpec(
            name="memory", target="tribal.edges.cli.commands.memory:memory", help="Look after what is remembered."
        ),
    ),
    functions=(FunctionSpec(name="memory", fault_metric="MemoryFaults"),),
    uses=(
        # With a search domain, one search may query tables and memories.
        FunctionUse(function="retriever", reads_without_search=(_OBJECTS,)),
        FunctionUse(function="interrogator", reads_without_search=(_OBJECTS,)),
        FunctionUse(function="chat", reads_without_search=(_OBJECTS,)),
        FunctionUse(
            function="memory",
            tools=tuple(spec.name for spec in MEMORY.tools),
            reads=(_OBJECTS,),
            writes=(_OBJECTS,),
            removes=(_OBJECTS,),
            writes_memories=True,
            loads=_LOADS,
        ),
    ),
)

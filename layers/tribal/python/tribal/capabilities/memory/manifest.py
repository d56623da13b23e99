"""The manifest of memory: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.memory.tools import MEMORY, WRITE_MEMORY
from tribal.ports.capability import (
    USE_STORE,
    AlarmSpec,
    Capability,
    ChartSpec,
    CommandSpec,
    FunctionSpec,
    FunctionUse,
    Measure,
)

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings

_OBJECTS = "memory/*"
_FAULTS = Measure(function="memory", name="MemoryFaults")
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
    page="memory.md",
    builder="tribal.app.memory:build",
    write_rights=(WRITE_MEMORY,),
    commands=(
        CommandSpec(
            name="memory",
            target="tribal.edges.cli.commands.memory:memory",
            heading="Administer",
            example="tribal memory export memories.jsonl",
            help="Look after what is remembered.",
            here_only="no route shows or changes the memories of others; remember, recall and forget work with your "
            f"own. For all of them, {USE_STORE}",
        ),
    ),
    functions=(FunctionSpec(name="memory", fault_metric="MemoryFaults"),),
    uses=(
        # With a search domain, one search may query tables and memories.
        FunctionUse(port="guidance", reads_without_search=(_OBJECTS,)),
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
    # Over MCP, such calls are no server errors of the API.
    alarms=(
        AlarmSpec(
            name="memory-faults",
            measures=(_FAULTS,),
            says="Memory could not be read or written; see docs/operating.md",
        ),
    ),
    charts=(
        ChartSpec(title="Memory: calls that failed", measures=(Measure(function="memory", name="ToolErrors"), _FAULTS)),
    ),
)

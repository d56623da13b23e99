"""The manifest of knowledge: data only."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.syncing.tools import RIGHT_TO_SYNC, SYNC
from tribal.capabilities.knowledge.tools import KNOWLEDGE
from tribal.ports.capability import AlarmSpec, Capability, ChartSpec, CommandSpec, FunctionSpec, FunctionUse, Measure

if TYPE_CHECKING:
    from tribal_contracts import CapabilitySettings

_SNAPSHOT = ("knowledge/manifest.json", "knowledge/projections/*")
"""The objects that are searched, and shown at tables."""
_ITEMS = "knowledge/items/*"
_ALL = "knowledge/*"
_SYNC_RECORD = "progress/sync.json"
_SYNC_LEASE = "progress/sync-lease.json"
_MEMORIES = "memory/*"
_DONE = Measure(function="syncer", name="SyncsDone")
_FAILED = Measure(function="syncer", name="SyncsFailed")
_UNUSABLE = Measure(function="syncer", name="ItemsFailed")
_FAULTS = Measure(function="checker", name="CheckFaults")
_LOADS_SNAPSHOT = """
from tribal.capabilities.knowledge.query import query, show
from tribal.capabilities.knowledge.guidance import KnowledgeGuidance
from tribal.capabilities.knowledge.syncing.record import status
"""
_LOADS_LITTLE = """
assert not {"re2", "bracex", "markdown_it", "sqlglot", "dulwich"} & {*sys.modules}
"""
_LOADS_CHECKS = """
from tribal.capabilities.knowledge.check import check_request
from tribal.capabilities.knowledge.policies.patterns import expression, path_glob
from tribal.sql.statements import references_in
assert path_glob("*.py")("a/b.py")
assert expression("a+").is_whole("aaa")
assert references_in("SELECT 1 FROM t", "postgres").tables
"""
_LOADS_SQL_CHECKS = """
from tribal.capabilities.knowledge.check import SqlPolicyChecker
from tribal.sql.checking.check import check
"""
_LOADS_SYNC = """
from tribal.adapters.journal.memories import JournalMemories
from tribal.adapters.opensearch.memories import OpenSearchMemories
from tribal.capabilities.knowledge.syncing.sync import sync
from tribal.adapters.git.knowledge import GitKnowledge
from tribal.capabilities.knowledge.items.item_file import read_item
from dulwich.client import HttpGitClient
HttpGitClient("https://localhost/decisions.git")
"""


def _section() -> type[CapabilitySettings]:
    from tribal_contracts import KnowledgeSettings

    return KnowledgeSettings


CAPABILITY = Capability(
    name="knowledge",
    groups=(KNOWLEDGE, SYNC),
    section=_section,
    errors="tribal.capabilities.knowledge.errors",
    page="knowledge.md",
    builder="tribal.app.knowledge:build",
    write_rights=(RIGHT_TO_SYNC,),
    commands=(
        CommandSpec(
            name="decisions",
            target="tribal.edges.cli.decisions.command:decisions",
            heading="Remember",
            example="tribal decisions 'which database do new services use'\n"
            "tribal decisions no-mysql --include-history",
        ),
        CommandSpec(
            name="comply",
            target="tribal.edges.cli.comply.command:comply",
            heading="Check",
            example="tribal comply --changed",
            here_only="it reads the files of a checkout, and git, on this machine; run `tribal sync` in a folder with "
            "the same `knowledge` in its databases.yaml, then comply there. Agents check a text in the environment "
            "with the tool knowledge_check",
        ),
    ),
    extras=("knowledge",),
    functions=(
        FunctionSpec(name="checker", layers=("deps-policies",), fault_metric="CheckFaults"),
        FunctionSpec(
            name="syncer",
            package="syncer",
            layers=("deps-sync",),
            timeout_seconds=600,
            schedule="Sync",
        ),
    ),
    uses=(
        FunctionUse(port="guidance", reads=_SNAPSHOT, loads=_LOADS_SNAPSHOT),
        FunctionUse(port="policies", reads=(_ITEMS,), loads=_LOADS_SQL_CHECKS),
        FunctionUse(
            function="memory",
            tools=("knowledge_query", "knowledge_show", "sync_status"),
            reads=(*_SNAPSHOT, _ITEMS, _SYNC_RECORD),
            loads=_LOADS_SNAPSHOT + _LOADS_LITTLE,
        ),
        FunctionUse(function="checker", tools=("knowledge_check",), reads=(*_SNAPSHOT, _ITEMS), loads=_LOADS_CHECKS),
        FunctionUse(
            function="syncer",
            tools=("sync_now",),
            asks_index=False,
            reads=(_MEMORIES, _ALL, _SYNC_RECORD, _SYNC_LEASE),
            writes=(_MEMORIES, _ALL, _SYNC_RECORD, _SYNC_LEASE),
            removes=(_MEMORIES, _ALL),
            writes_memories=True,
            secrets=("token_secret",),
            loads=_LOADS_SYNC,
        ),
    ),
    alarms=(
        AlarmSpec(
            name="sync-failed",
            measures=(_FAILED,),
            says="Decisions could not be synced; see docs/operating.md",
        ),
        AlarmSpec(
            name="sync-items-failed",
            measures=(_UNUSABLE,),
            says="Files of decisions could not be used; sync_status names them",
        ),
        AlarmSpec(
            name="check-faults",
            measures=(_FAULTS,),
            says="Changes could not be checked against decisions; see docs/operating.md",
        ),
        AlarmSpec(
            name="sync-missing",
            measures=(_DONE,),
            says="Decisions were not synced for {hours} hours",
            silent_hours="alarm_hours",
        ),
    ),
    charts=(
        ChartSpec(title="Syncs", measures=(_DONE, _FAILED, _UNUSABLE)),
        ChartSpec(
            title="Checks: calls that failed", measures=(Measure(function="checker", name="ToolErrors"), _FAULTS)
        ),
    ),
)

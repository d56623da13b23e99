"""Which tools an environment offers, and which of them each function answers."""

from __future__ import annotations

from tribal.settings import read_environment
from tribal.settings.deployment import KNOWLEDGE_VARIABLE, MEMORY_VARIABLE, part_of
from tribal.tools.registry import Registry, offered
from tribal_contracts import KnowledgeSettings, MemorySettings

ANSWERED_BY = {
    "memory": ("memory_add", "memory_search", "memory_delete", "knowledge_query", "knowledge_show", "sync_status"),
    "checker": ("knowledge_check",),
    "syncer": ("sync_now",),
}
"""The tools of each function that has some of its own; the retriever has all others."""


def offered_tools() -> Registry:
    """The tools that the environment offers."""
    values = read_environment()
    return offered(
        part_of(values, MEMORY_VARIABLE, MemorySettings), part_of(values, KNOWLEDGE_VARIABLE, KnowledgeSettings)
    )


def tools_of(function: str) -> Registry:
    """Those of them that a function answers, and no others.

    Raises:
        ConfigurationError: when the environment offers none of them.
    """
    offered_here = offered_tools()
    own = [name for name in ANSWERED_BY[function] if name in offered_here.tools]
    return offered_here.narrowed(own or ANSWERED_BY[function])

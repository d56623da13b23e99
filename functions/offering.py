"""Which tools an environment offers: those of memory where it has that part."""

from __future__ import annotations

from tribal.settings import read_environment
from tribal.settings.deployment import KNOWLEDGE_VARIABLE, MEMORY_VARIABLE, part_of
from tribal.tools.registry import Registry, offered
from tribal_contracts import KnowledgeSettings, MemorySettings

MEMORY = "memory"
"""The capability that the function `memory` answers."""


def offered_tools() -> Registry:
    """The tools that the environment offers."""
    values = read_environment()
    return offered(
        part_of(values, MEMORY_VARIABLE, MemorySettings), part_of(values, KNOWLEDGE_VARIABLE, KnowledgeSettings)
    )

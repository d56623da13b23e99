"""Which tools an environment offers: those of memory where it has that part."""

from __future__ import annotations

from tribal.settings import read_environment
from tribal.settings.deployment import MEMORY_VARIABLE
from tribal.tools.registry import Registry, offered

MEMORY = "memory"
"""The capability that the function `memory` answers."""


def offered_tools() -> Registry:
    """The tools that the environment offers."""
    return offered(memory=bool(read_environment().get(MEMORY_VARIABLE)))

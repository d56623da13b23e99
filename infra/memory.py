"""The part `memory` of an environment: what agents remember, and who of them may write where.

The same keys as `memory` in `databases.yaml`, written anew because what deploys imports nothing of what is deployed; a
test holds the two together.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from infra.model import Part

MEMORY_TOOLS = ("memory_add", "memory_search", "memory_delete")
"""The tools behind API resources of their own, which the function `memory` answers; a test compares the registry."""

Layer = Literal["agent", "user", "session", "project", "team", "org", "company"]


class Memory(Part):
    """Memory; without this part its tools are not deployed."""

    company: Annotated[str, Field(min_length=1, max_length=200, pattern=r"^\S(.*\S)?$")] | None = None
    """The company that the environment belongs to, and with it all of its callers."""
    writable_layers: list[Layer] = Field(default_factory=lambda: list[Layer](("agent", "user", "session", "project")))
    """Layers that tools may write to."""
    writes_per_minute: int = Field(default=60, ge=0, le=100_000)
    """How often a caller may write; 0 lifts the limit."""
    session_days: float = Field(default=7.0, gt=0, le=3_650)
    """When a session's memories end after its last use."""

    @property
    def variables(self) -> dict[str, str]:
        """The environment variables by which functions are told."""
        company = {} if self.company is None else {"TRIBAL_COMPANY": self.company}
        return {"TRIBAL_MEMORY": self.model_dump_json(exclude={"company"}), **company}

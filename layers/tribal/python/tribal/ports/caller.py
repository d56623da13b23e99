"""Who asks."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.catalog.scope import EVERYTHING, Scope


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks. Settings or a token tell it, never the input of a tool."""

    subject: str
    """The user or the principal, for what is recorded."""
    scope: Scope = EVERYTHING
    rights: frozenset[str] | None = None
    """Rights such as `documentation:read`; `None` means all."""

    def may(self, right: str) -> bool:
        """Whether the caller has a right."""
        return self.rights is None or right in self.rights

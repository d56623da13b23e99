"""The caller of a tool."""

from __future__ import annotations

from dataclasses import dataclass

from tribal.identity.scope import EVERYTHING, Scope
from tribal.ports.remembering.identity import UNIDENTIFIED, Identity


@dataclass(frozen=True, slots=True)
class Caller:
    """The caller of a tool, identified by settings or a token and never by the tool's input."""

    subject: str
    """The user or principal, as recorded in logs and records."""
    scope: Scope = EVERYTHING
    rights: frozenset[str] | None = None
    """Rights such as `documentation:read`; `None` means all."""

    identity: Identity = UNIDENTIFIED
    """Who the caller is in the layers of memory."""
    owner: str | None = None
    """The person who created its token, as `user:name@host`; `None` if that is not known."""

    @property
    def person(self) -> str:
        """Who acts, as `kind:subject`: the owner of its token, otherwise the subject."""
        return self.owner or f"subject:{self.subject}"

    def may(self, right: str) -> bool:
        """Whether the caller has this right."""
        return self.rights is None or right in self.rights

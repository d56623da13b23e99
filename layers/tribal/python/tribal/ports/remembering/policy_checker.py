"""Checks SQL against the policies of the company."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from tribal.ports.caller import Caller
    from tribal_contracts import DatabaseType
    from tribal_contracts.knowledge import KnowledgeCheckOutput


class PolicyChecker(Protocol):
    """Checks SQL against the accepted policies that apply to a caller."""

    def check_sql(self, sql: str, database: DatabaseType, caller: Caller) -> KnowledgeCheckOutput | None:
        """Check one text of SQL, written for this kind of database; `None` where no one keeps decisions.

        Raises:
            NothingPublished: when decisions are kept, but were not synced yet.
            SourceFailed: when the snapshot is damaged. Retryable.
        """
        ...

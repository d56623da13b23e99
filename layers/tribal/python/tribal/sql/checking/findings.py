"""What a check reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from tribal.sql.references import TableName

if TYPE_CHECKING:
    from tribal.sql.checking.language.recursion import Tracking

FindingCode = Literal[
    "parse_error",
    "unknown_table",
    "unknown_column",
    "ambiguous_column",
    "value_not_allowed",
    "unlisted_value",
    "not_a_query",
    "unsafe_sql",
    "limit_exceeded",
    "policy_blocked",
    "fan_out",
    "join_without_key",
    "partial_key",
    "policy_warning",
]
WARNINGS: frozenset[FindingCode] = frozenset(
    {"unlisted_value", "fan_out", "join_without_key", "partial_key", "policy_warning"}
)
"""Findings with which the server still runs the query."""


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """Something wrong with a query.

    Attributes:
        line: from 1.
        column: from 1.
        suggestion: what to write instead, if that is known.
    """

    line: int
    column: int
    code: FindingCode
    message: str
    suggestion: str | None = None

    @property
    def is_error(self) -> bool:
        """Whether the query cannot be right."""
        return self.code not in WARNINGS


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check.

    Attributes:
        findings: in the order of the text.
        tables: fully qualified names of the tables that the query uses.
        columns: the columns that it uses, each behind the fully qualified name of its table.
        not_checked: what the check cannot judge, as sentences.
        partitions: that the query names, each with the table that it is documented with.
    """

    findings: Sequence[Finding] = ()
    tables: Sequence[str] = ()
    columns: Sequence[tuple[str, str]] = ()
    not_checked: Sequence[str] = ()
    partitions: Sequence[tuple[TableName, TableName]] = ()

    @property
    def is_valid(self) -> bool:
        """Whether no finding is an error."""
        return not any(each.is_error for each in self.findings)


@dataclass(slots=True)
class Notes:
    """Collects the parts of a result.

    Args:
        text: the SQL that is checked.
        start: where it begins in a larger text: what stands before it.
    """

    text: str
    start: int = 0
    findings: dict[Finding, None] = field(default_factory=dict)
    tables: dict[str, None] = field(default_factory=dict)
    columns: dict[tuple[str, str], None] = field(default_factory=dict)
    not_checked: dict[str, None] = field(default_factory=dict)
    partitions: dict[tuple[TableName, TableName], None] = field(default_factory=dict)
    tracking: Mapping[int, Tracking] = field(default_factory=dict)
    """SEARCH and CYCLE of recursive queries, by the offset of the query's name."""

    def report(self, offset: int, code: FindingCode, message: str, suggestion: str | None = None) -> None:
        """Add a finding about the text at an offset."""
        before = self.text[self.start : max(offset, self.start)]
        line, column = before.count("\n") + 1, len(before) - before.rfind("\n")
        self.findings[Finding(line, column, code, message, suggestion)] = None

    def checked(self) -> Checked:
        """The result."""
        findings = sorted(self.findings, key=_place)
        return Checked(findings, [*self.tables], [*self.columns], [*self.not_checked], [*self.partitions])


def _place(finding: Finding) -> tuple[int, int, str, str]:
    return finding.line, finding.column, finding.code, finding.message

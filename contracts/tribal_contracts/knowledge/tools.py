"""Inputs and outputs of `knowledge_query`, `knowledge_check` and `knowledge_show`.

Bounds and the refusal of unknown fields are ours: docs/contracts.md, Knowledge.

Source: memory specification, section 4.
"""

from __future__ import annotations

from collections.abc import Sized
from typing import Annotated, Literal, TypeVar

from pydantic import AfterValidator, Field

from tribal_contracts.core.camel import CamelContract, ClosedCamelContract
from tribal_contracts.core.knowledge_settings import KnowledgeLayer, KnowledgeType
from tribal_contracts.core.shape import Count, Unset, optional
from tribal_contracts.knowledge.constraints import Severity
from tribal_contracts.knowledge.items import (
    HistoryEntry,
    KnowledgeStatus,
    ShownItem,
)

MAX_QUERY_CHARS = 2_000
MAX_ITEMS = 100
MAX_FILES = 100
MAX_DEPENDENCIES = 1_000
MAX_FILE_CHARS = 1_000_000
MAX_PATH_CHARS = 1_000
MAX_ID_CHARS = 200
MAX_VIOLATIONS = 200


Counted = TypeVar("Counted", bound=Sized)


def _not_blank(text: str) -> str:
    if not text.strip():
        raise ValueError("must not be blank")
    return text


def _at_most(count: int, what: str = "characters") -> AfterValidator:
    """A limit that the list of tools does not mention: the error message states it."""

    def check(value: Counted) -> Counted:
        if len(value) > count:
            raise ValueError(f"has {len(value):,} {what}; at most {count:,} are taken")
        return value

    return AfterValidator(check)


_Tag = Annotated[str, _at_most(64), AfterValidator(_not_blank)]
_ItemName = Annotated[str, _at_most(MAX_ID_CHARS), AfterValidator(_not_blank)]
_Short = Annotated[str, _at_most(MAX_ID_CHARS)]


class KnowledgeQueryInput(ClosedCamelContract):
    """Source: memory specification, section 4, knowledge_query."""

    query: Annotated[str, _at_most(MAX_QUERY_CHARS), AfterValidator(_not_blank)] | Unset = optional("Search query")
    type: KnowledgeType | Unset = optional("Filter by type")
    layer: KnowledgeLayer | Unset = optional("Filter by layer")
    tags: Annotated[list[_Tag], _at_most(20, "items")] | Unset = optional("Filter by tags")
    status: Annotated[list[KnowledgeStatus], Field(min_length=1)] = Field(
        default_factory=lambda: list[KnowledgeStatus](("accepted",)),
        description="Filter by status",
        json_schema_extra={"default": ["accepted"]},
    )
    limit: Annotated[int, Field(ge=1, le=MAX_ITEMS)] = Field(default=10, description="Maximum results")


class KnowledgeSummary(CamelContract):
    """Source: memory specification, section 4, knowledge_query."""

    id: str = Field(description="Item ID")
    type: KnowledgeType = Field(description="Item type")
    layer: KnowledgeLayer = Field(description="Layer")
    title: str = Field(description="Title")
    summary: str = Field(description="Summary")
    status: KnowledgeStatus = Field(description="Status")
    tags: list[str] = Field(description="Tags")
    has_constraints: bool = Field(description="Whether item has constraints")


class KnowledgeQueryOutput(CamelContract):
    """Source: memory specification, section 4, knowledge_query."""

    success: Literal[True] = Field(default=True, description="Whether the operation succeeded")
    items: list[KnowledgeSummary] = Field(description="Matching knowledge items (summaries only)")
    total_count: Count = Field(description="Total count")
    returned: Count | Unset = optional("Extension: how many items this answer holds.")
    truncated: bool | Unset = optional("Extension: true when items were left out.")
    warnings: list[str] | Unset = optional("Extension: what to know about this answer.")


class CheckedFile(ClosedCamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    path: Annotated[str, _at_most(MAX_PATH_CHARS), AfterValidator(_not_blank)]
    content: Annotated[str, _at_most(MAX_FILE_CHARS)]


class CheckedDependency(ClosedCamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    name: Annotated[str, _at_most(MAX_ID_CHARS), AfterValidator(_not_blank)]
    version: _Short | Unset = optional()


class KnowledgeCheckInput(ClosedCamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    files: Annotated[list[CheckedFile], _at_most(MAX_FILES, "items")] | Unset = optional("Files to check")
    dependencies: Annotated[list[CheckedDependency], _at_most(MAX_DEPENDENCIES, "items")] | Unset = optional(
        "Dependencies to check"
    )
    min_severity: Severity = Field(default="warn", description="Minimum severity to report")
    knowledge_item_ids: Annotated[list[_ItemName], _at_most(MAX_ITEMS, "items")] | Unset = optional(
        "Specific items to check"
    )
    complete: bool = Field(default=False, description="Extension: nothing was left out.")
    tables: Annotated[list[_Short], _at_most(MAX_FILES, "items")] | Unset = optional(
        "Extension: documented tables, as globs."
    )


class CheckedConstraint(CamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    operator: str
    target: str
    pattern: str


class ViolationPlace(CamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    file: str
    line: Annotated[int, Field(ge=1)] | Unset = optional()


class PolicyViolation(CamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    knowledge_item_id: str = Field(description="Knowledge item that defines this constraint")
    knowledge_item_title: str = Field(description="Knowledge item title")
    constraint: CheckedConstraint = Field(description="Constraint that was violated")
    severity: Severity = Field(description="Severity")
    message: str = Field(description="Human-readable message")
    location: ViolationPlace | Unset = optional("Where the violation occurred")


class SeverityCounts(CamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    info: Count
    warn: Count
    block: Count


class KnowledgeCheckOutput(CamelContract):
    """Source: memory specification, section 4, knowledge_check."""

    passed: bool = Field(description="Whether all blocking constraints pass")
    violations: list[PolicyViolation] = Field(description="Violations found")
    summary: SeverityCounts = Field(description="Summary counts")
    returned: Count | Unset = optional("Extension: how many items this answer holds.")
    truncated: bool | Unset = optional("Extension: true when items were left out.")
    warnings: list[str] | Unset = optional("Extension: what to know about this answer.")


class KnowledgeShowInput(ClosedCamelContract):
    """Source: memory specification, section 4, knowledge_show."""

    id: _ItemName = Field(description="Knowledge item ID")
    include_constraints: bool = Field(default=True, description="Include constraint definitions")
    include_history: bool = Field(default=False, description="Include version history")


class KnowledgeShowOutput(CamelContract):
    """Source: memory specification, section 4, knowledge_show."""

    success: Literal[True] = Field(default=True, description="Whether the operation succeeded")
    item: ShownItem
    history: list[HistoryEntry] | Unset = optional("Version history (if requested)")

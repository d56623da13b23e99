"""Input and output of `get_lineage`. An extension: the specification has no such tool."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Contract, FullyQualifiedTableName, Unset, optional
from tribal_contracts.documentation.lineage import LineageVia
from tribal_contracts.retrieval.tools import TableName, ToolOutput

LineageDirection = Literal["upstream", "downstream", "both"]
MOST_STEPS = 10


class GetLineageInput(ClosedContract):
    """What to follow."""

    table: TableName
    column: str | Unset = optional("Only this column.")
    direction: Annotated[LineageDirection, Field(description="What it is made from, or what is.")] = "both"
    depth: Annotated[int, Field(ge=1, le=MOST_STEPS, description="Steps.")] = 3
    cursor: str | Unset = optional("Extension: `next_cursor` of an earlier answer.")


class LineageNode(Contract):
    """A table or view on the way."""

    table: FullyQualifiedTableName
    kind: str
    """A `TableKind`."""


class LineageEnd(Contract):
    """One end of an edge."""

    table: FullyQualifiedTableName
    column: str | Unset = optional()
    """Missing where the whole table is meant."""


class LineageEdge(Contract):
    """From what is read to what reads it."""

    from_: LineageEnd = Field(alias="from")
    to: LineageEnd
    via: LineageVia


class UnresolvedTable(Contract):
    """A view whose columns could not be followed."""

    table: FullyQualifiedTableName
    reason: str


class GetLineageOutput(ToolOutput):
    """Nearest edges first."""

    table: str
    column: str | Unset = optional()
    nodes: list[LineageNode]
    edges: list[LineageEdge] = Field(description="via filter: it only decides on rows.")
    unresolved: list[UnresolvedTable]
    """Views whose SQL could not be read, known by table alone."""
    notes: list[str] | Unset = optional("Extension: what to know about the table that was asked for.")
    next_cursor: str | Unset = optional()

"""Input and output of `propose_description`, and the list of proposals. Extension contracts."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from tribal_contracts.core.shape import (
    ClosedContract,
    Contract,
    Count,
    FullyQualifiedTableName,
    ISOTimestamp,
    Unset,
    optional,
)
from tribal_contracts.documentation.corrections import LONGEST_WORDS
from tribal_contracts.proposals.records import ProposalId, ProposalOutcome
from tribal_contracts.retrieval.tools import TableName, ToolOutput


class ProposeDescriptionInput(ClosedContract):
    """A better description of a table or a column."""

    table: TableName
    column: str | Unset = optional("A column of the table; leave it out to describe the table.")
    description: Annotated[
        str, Field(max_length=LONGEST_WORDS, description="The whole new text, without personal data or secrets.")
    ]


class ProposeDescriptionOutput(ToolOutput):
    """A proposal that waits for a person."""

    id: ProposalId
    table: FullyQualifiedTableName
    column: str | Unset = optional("The column that it describes.")
    message: str


class ListedProposal(Contract):
    """An open proposal."""

    id: ProposalId
    table: FullyQualifiedTableName
    column: str | Unset = optional("The column that it describes; unset, the table.")
    before: str
    """The documented text when it was proposed; empty where the caller may not see it."""
    description: str
    by: str
    """Subject of the caller who proposed it."""
    at: ISOTimestamp


class ProposalList(Contract):
    """The open proposals that a caller may see, newest first."""

    proposals: list[ListedProposal]
    total: Count


class ClosedProposal(Contract):
    """A proposal that was closed."""

    id: ProposalId
    outcome: ProposalOutcome

"""Records of proposed descriptions and of decisions on them. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import StringConstraints

from tribal_contracts.core.shape import Contract, FullyQualifiedTableName, ISOTimestamp, Unset, optional

PROPOSAL_ID_PATTERN = r"^prop_[0-9a-f]{24}$"

ProposalId = Annotated[str, StringConstraints(pattern=PROPOSAL_ID_PATTERN)]
ProposalOutcome = Literal["accepted", "edited", "rejected", "withdrawn"]
"""`edited` was accepted with other words; `withdrawn` was rejected by its own caller."""


class DescriptionProposal(Contract):
    """A description that a caller proposes. File: `proposals/{id}.json`, written once."""

    schema_version: Literal["1.0"] = "1.0"
    id: ProposalId
    """A hash of caller, table, column and text: proposing the same again is the same proposal."""
    table: FullyQualifiedTableName
    column: str | Unset = optional("The column that it describes; unset, the table.")
    before: str
    """The documented text when it was proposed."""
    description: str
    by: str
    """Subject of the caller."""
    at: ISOTimestamp


class ProposalClosing(Contract):
    """The decision on a proposal. File: `proposals/closed/{id}.json`, written once; without it, a proposal is open."""

    schema_version: Literal["1.0"] = "1.0"
    id: ProposalId
    outcome: ProposalOutcome
    by: str
    """Subject of the caller who decided."""
    at: ISOTimestamp

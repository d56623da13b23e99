"""Contracts of proposals: descriptions that agents suggest, and what became of them."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.proposals.records import DescriptionProposal, ProposalClosing
from tribal_contracts.proposals.tools import (
    ListedProposal,
    ProposalList,
    ProposeDescriptionInput,
    ProposeDescriptionOutput,
)

EXPORTED: dict[str, type[BaseModel]] = {
    "description-proposal": DescriptionProposal,
    "proposal-closing": ProposalClosing,
    "proposal-list": ProposalList,
    "propose-description-input": ProposeDescriptionInput,
    "propose-description-output": ProposeDescriptionOutput,
}
"""The contracts exported as JSON Schema, by file name."""

__all__ = [
    "EXPORTED",
    "DescriptionProposal",
    "ListedProposal",
    "ProposalClosing",
    "ProposalList",
    "ProposeDescriptionInput",
    "ProposeDescriptionOutput",
]

"""What every capability shares: shapes, identities, error codes, records of runs, where an environment is."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.core.runs import LeaseRecord, RunRecord
from tribal_contracts.core.shape import AgentError

EXPORTED: dict[str, type[BaseModel]] = {
    "agent-error": AgentError,
    "run-record": RunRecord,
    "lease-record": LeaseRecord,
}
"""The contracts that are exported as JSON Schema, by the name of their file."""

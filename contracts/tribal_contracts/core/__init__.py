"""Contracts shared by every capability: base models, error codes, run records, profiles of environments."""

from __future__ import annotations

from pydantic import BaseModel

from tribal_contracts.core.access import AccessTokens
from tribal_contracts.core.model_tests import ModelTests
from tribal_contracts.core.runs import CoverageRecord, LeaseRecord, RunRecord, SourceRecord
from tribal_contracts.core.shape import AgentError

EXPORTED: dict[str, type[BaseModel]] = {
    "agent-error": AgentError,
    "run-record": RunRecord,
    "coverage-record": CoverageRecord,
    "lease-record": LeaseRecord,
    "source-record": SourceRecord,
    "access-tokens": AccessTokens,
    "model-tests": ModelTests,
}
"""The contracts exported as JSON Schema, by file name."""

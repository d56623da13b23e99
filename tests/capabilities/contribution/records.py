"""Records and hand-offs of cycles, made by hand."""

from __future__ import annotations

import json
from functools import cache
from typing import Any

from jsonschema import Draft7Validator

from tests import ROOT
from tribal_contracts import agent_error
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.handoffs import AgentName, OfferedDescription, SearchStats

NOW = "2026-11-29T10:00:00Z"
SWARM = "6a1f03b2-0000-4000-8000-000000000000"
SPECIFICATION = ROOT / "tests" / "contracts" / "contribution_specification"
"""Schemas generated from the specification's TypeScript by `ts-json-schema-generator --additional-properties`."""
INTERFACES: dict[AgentName, str] = {agent: kind.__name__ for agent, (_, kind) in HANDOFFS.items()}


@cache
def specified(interface: str) -> Draft7Validator:
    """What the specification says of an interface."""
    schema = json.loads((SPECIFICATION / f"{interface}.json").read_text(encoding="utf-8"))
    return Draft7Validator(schema)


def require_specified(interface: str, file: bytes) -> None:
    """Check a file against the specification's own types."""
    specified(interface).validate(json.loads(file))


def cycle_record(**changes: Any) -> CycleRecord:
    """A cycle that has begun."""
    values = {
        "swarm_id": SWARM,
        "cycle": 1,
        "prepared_by": "user:ada@here",
        "started_at": NOW,
        "updated_at": NOW,
        "repository": "migrations",
        "database": "shop",
        "recipe": "flyway",
        "base_commit": "0" * 40,
        "issue_url": "tribal://gap/0123456789ab",
        "descriptions": [
            OfferedDescription(schema_name="billing", table="invoice", text="An invoice.", source="human")
        ],
        "search_stats": SearchStats(total_searched=1, filtered_out=0, candidates_found=1),
    }
    return CycleRecord(**{**values, **changes})


def failure(code: str = "CON_FORGE_UNREACHABLE") -> Any:
    """An error of an agent."""
    return agent_error(code, "it did not work", timestamp=NOW)

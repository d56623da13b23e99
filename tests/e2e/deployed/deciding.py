"""Decisions of a deployed environment: what is in their repository, and who asks about them."""

from __future__ import annotations

import json
from typing import Any

from tests.e2e.deployed_system import COMPANY, DeployedSystem
from tribal_contracts import CallerRecord, IdentityRecord, ToolCall, ToolCallEvent

POLICY = """\
---
title: Database drivers
severity: block
constraints:
  - {{operator: must_not_use, target: dependency, pattern: mysql2}}
---
{reason}
"""
ADR = """\
# 1. Payments stay

Status: accepted

## Decision

Rows of company.billing.payment are never deleted.
"""
FIRST = {
    "company/policies/drivers.md": POLICY.format(reason="We use PostgreSQL."),
    "company/adrs/0001-payments.md": ADR,
    "teams/billing/patterns/dunning.md": "---\ntitle: Dunning\n---\nRemind three times.\n",
}
CHANGED = {"company/policies/drivers.md": POLICY.format(reason="We use PostgreSQL, since it runs everywhere.")}
MYSQL = {"dependencies": [{"name": "mysql2"}], "tables": ["company.billing.*"]}


def asked_by(system: DeployedSystem, teams: tuple[str, ...], function: str, tool: str, arguments: Any) -> Any:
    """What a function answers to the function for MCP, asked for a caller of these teams."""
    identity = IdentityRecord(user="alice", teams=list(teams), company=COMPANY)
    caller = CallerRecord(subject="alice", rights=["knowledge:read", "memory:read"], identity=identity)
    call = ToolCallEvent(tool_call=ToolCall(tool=tool, arguments=arguments, caller=caller))
    prefix = system.environment.prefix
    role = system.account.client("lambda").get_function(FunctionName=f"{prefix}-mcp")["Configuration"]["Role"]
    answer = system.account.client("lambda", role).invoke(
        FunctionName=f"{prefix}-{function}", Payload=call.to_compact_json()
    )
    return json.loads(answer["Payload"].read())


def ids(answer: Any) -> set[str]:
    """Of the items of an answer."""
    return {each["id"] for each in answer["items"]}


def forget_projections(system: DeployedSystem) -> None:
    """Remove what is searched of decisions, as if the sync had been killed before it wrote that."""
    s3 = system.account.client("s3")
    for found in s3.list_objects_v2(Bucket=system.bucket, Prefix="knowledge/projections/")["Contents"]:
        s3.delete_object(Bucket=system.bucket, Key=found["Key"])

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
AGAIN = {"company/policies/drivers.md": POLICY.format(reason="PostgreSQL runs everywhere.")}
MYSQL = {"dependencies": [{"name": "mysql2"}], "tables": ["company.billing.*"]}


def asked_by(system: DeployedSystem, team: str, function: str, tool: str, arguments: Any) -> Any:
    """What a function answers to the function for MCP, asked for a caller of this team."""
    identity = IdentityRecord(user="alice", teams=[team], company=COMPANY)
    caller = CallerRecord(subject="alice", rights=["knowledge:read", "memory:read"], identity=identity)
    call = ToolCallEvent(tool_call=ToolCall(tool=tool, arguments=arguments, caller=caller))
    prefix, owner = system.environment.prefix, system.account.client("lambda")
    role = owner.get_function(FunctionName=f"{prefix}-mcp")["Configuration"]["Role"]
    asked = owner.get_function(FunctionName=f"{prefix}-{function}")["Configuration"]["FunctionArn"]
    answer = system.account.client("lambda", role).invoke(FunctionName=asked, Payload=call.to_compact_json())
    return json.loads(answer["Payload"].read())


def over_mcp(system: DeployedSystem, tool: str, arguments: Any = None) -> Any:
    """What a tool answers over MCP."""
    asked = {"name": tool, "arguments": arguments or {}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
    return system.request("POST", "/mcp", call).json()["result"]["structuredContent"]


def seen_by(system: DeployedSystem, team: str) -> tuple[set[str], str | None]:
    """Ids of what a caller of a team finds, and how a check against the one of the team billing fails."""
    found = asked_by(system, team, "memory", "knowledge_query", {})
    checked = asked_by(system, team, "checker", "knowledge_check", {"knowledgeItemIds": ["dunning"]})
    assert "Dunning" not in json.dumps(checked)
    return {each["id"] for each in found["items"]}, checked.get("errorCode")


EVERYWHERE = {
    "found": ["drivers"],
    "history": ["Say it better", "Say why", "Decide"],
    "content": "PostgreSQL runs everywhere.",
    "guidance": [("0001-payments", "adr")],
    "points": True,
    "healthy": True,
}
"""Where a changed decision shows."""


def shown_everywhere(system: DeployedSystem) -> dict[str, Any]:
    """What the tools tell of the decisions after the last sync."""
    shown = system.ask("knowledge_show", {"id": "drivers", "includeHistory": True})
    guidance = system.ask("get_table_schema", {"table": "billing.payment"})["guidance"]
    found = system.ask("memory_search", {"query": "Database drivers", "threshold": 0, "layers": ["company"]})
    asked = system.ask("knowledge_query", {"query": "database drivers", "type": "policy"})
    return {
        "found": [each["id"] for each in asked["items"]],
        "history": [each["message"] for each in shown["history"]],
        "content": shown["item"]["content"].strip(),
        "guidance": [(each["id"], each["kind"]) for each in guidance],
        "points": "knowledge:drivers" in {each.get("source") for each in found["results"]},
        "healthy": system.ask("sync_status", {})["healthy"],
    }


def forget_projections(system: DeployedSystem) -> None:
    """Remove what is searched of decisions, as if the sync had been killed before it wrote that."""
    s3 = system.account.client("s3")
    for found in s3.list_objects_v2(Bucket=system.bucket, Prefix="knowledge/projections/")["Contents"]:
        s3.delete_object(Bucket=system.bucket, Key=found["Key"])

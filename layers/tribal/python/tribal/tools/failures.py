"""Answers of tools that failed: the inputs echoed, lists empty, texts empty, the error set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tribal_contracts import (
    AgentError,
    GetDomainOverviewOutput,
    GetJoinPathOutput,
    GetTableSchemaOutput,
    ListDomainsOutput,
    SearchTablesOutput,
    ToolOutput,
)

MAX_ECHO_CHARS = 2_000
"""Characters of an input that are echoed."""


def failure_output(model: type[ToolOutput], arguments: Mapping[str, Any], error: AgentError) -> ToolOutput:
    """The answer of a tool that failed; `arguments` are what the caller sent, checked or not."""

    def echo(name: str) -> str:
        value = arguments.get(name)
        # What cannot be written as UTF-8 could not be answered either.
        return value[:MAX_ECHO_CHARS].encode("utf-8", "replace").decode() if isinstance(value, str) else ""

    own: dict[type[ToolOutput], dict[str, Any]] = {
        SearchTablesOutput: {"tables": [], "total_matches": 0},
        GetTableSchemaOutput: {},
        GetJoinPathOutput: {"path_found": False, "source": echo("source_table"), "target": echo("target_table")},
        GetDomainOverviewOutput: {"domain": echo("domain"), "description": "", "databases": [], "tables": []},
        ListDomainsOutput: {"domains": []},
    }
    return model(success=False, tokens_used=0, error=error, **own[model])

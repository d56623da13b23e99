"""Input and output of the tool that checks SQL. Source: docs/contracts.md, Checking SQL."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.shape import ClosedContract, Contract, Unset, optional
from tribal_contracts.retrieval.tools import ToolOutput


class CheckSqlInput(ClosedContract):
    """One query, and the database that it is for."""

    sql: Annotated[str, Field(description="One SELECT.")]
    database: str | Unset = Field(
        default=None,
        exclude_if=lambda value: value is None,
        description="The documented database; needed only where there are several.",
    )
    schema_: str | Unset = Field(
        default=None,
        alias="schema",
        exclude_if=lambda value: value is None,
        description="Where names without a schema are.",
    )


class SqlFinding(Contract):
    """Something wrong with a query."""

    severity: Literal["error", "warning"]
    code: str
    message: str
    line: int
    column: int
    suggestion: str | Unset = optional()


class CheckSqlOutput(ToolOutput):
    """What is wrong with a query, and what it uses."""

    valid: bool
    findings: list[SqlFinding]
    tables: list[str]
    columns: list[str]
    not_checked: list[str]
    notes: list[str] | Unset = optional("Extension: what to know about the tables, such as whose partition one is.")

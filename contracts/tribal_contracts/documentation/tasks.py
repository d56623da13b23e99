"""Messages between the state machine of a documentation run and its functions: pointers, never content.

Extension contracts; the state of an execution stays small regardless of the number of tables.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tribal_contracts.core.models import ModelUsage, WrittenTexts
from tribal_contracts.core.shape import (
    AgentError,
    AgentStatus,
    ClosedContract,
    Contract,
    Count,
    DomainName,
    Unset,
    optional,
)

Name = Annotated[str, Field(min_length=1)]


class RunRequest(ClosedContract):
    """A request for a documentation run from an operator or the schedule; empty lists select everything."""

    databases: list[Name] = Field(default_factory=list)
    domains: list[DomainName] = Field(default_factory=list)
    units: list[Name] = Field(default_factory=list)
    force: bool = False
    retry_failed: bool = False
    replan: bool = False
    new_prose: bool = False


class OpenTask(Contract):
    """The first task of an execution."""

    execution: Name
    """ARN of the execution; the same when a start is repeated."""
    started_at: str
    request: RunRequest
    databases_at_once: Annotated[int, Field(ge=1)]
    """The most databases that the environment reads at once."""


class DatabasePointer(Contract):
    """A database to read, and the network that its planner and documenters work in."""

    name: Name
    network: Name


class OpenedRun(Contract):
    """A run that holds the lease."""

    run_id: Name
    databases: list[DatabasePointer]
    databases_at_once: Annotated[int, Field(ge=1)]
    """How many of them are read at once, so that no server gets more connections than its limit."""
    request: RunRequest


class ReadTask(Contract):
    """Read the structure of one database."""

    run_id: Name
    database: Name


class ReadResult(Contract):
    """The outcome of reading one database; the reading itself is in the store."""

    database: Name
    status: Literal["reachable", "unreachable"]


class ComposeTask(Contract):
    """Compose the plan from the readings."""

    run_id: Name
    request: RunRequest


class Wave(Contract):
    """Units that can be documented at the same time: a list of `UnitItem`s in the store."""

    key: Name
    units: Count


class ComposedRun(Contract):
    """A published plan, cut into waves."""

    units: Count
    waves: list[Wave]
    units_at_once: Annotated[int, Field(ge=1)]


class UnitItem(Contract):
    """An item of the map: one work unit."""

    unit_id: Name
    network: Name


class DocumentTask(Contract):
    """Document a work unit, or resume one."""

    run_id: Name
    unit_id: Name
    request: RunRequest


class FailedTask(Contract):
    """A unit whose documenter failed for good: its error is recorded as data."""

    run_id: Name
    unit_id: Name
    error: Name
    cause: str


class FinishTask(Contract):
    """Publish the documents of the run."""

    run_id: Name


class CloseTask(Contract):
    """Record how the run ended, and release its lease."""

    run_id: Name
    status: AgentStatus
    error: str | Unset = optional("Name of the error that ended the run early.")
    cause: str | Unset = optional()


class UnitCounts(Contract):
    """Number of tables of one unit by outcome in one run. File: `progress/runs/{run_id}/counts/{unit_id}.json`."""

    documented: Count
    unchanged: Count
    failed: Count
    usage: ModelUsage | Unset = optional("What the model used for the unit in the run.")
    texts: WrittenTexts | Unset = optional("What the model wrote about the unit in the run.")


class UnitFailure(Contract):
    """A unit that could not be documented. File: `progress/runs/{run_id}/failures/{unit_id}.json`."""

    unit_id: Name
    error: AgentError

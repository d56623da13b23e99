"""What calls of models have cost, and who may make how many of them. Extension contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from tribal_contracts.core.shape import Contract, Count, ISOTimestamp, Unset, optional


class BudgetSpend(Contract):
    """Money that is gone."""

    settled_nanodollars: Count = 0
    """By the usage that the provider reported."""
    unsettled_nanodollars: Count = 0
    """At worst prices: calls whose result is unknown, and what holders that died had reserved."""

    @property
    def nanodollars(self) -> int:
        """All of it."""
        return self.settled_nanodollars + self.unsettled_nanodollars


class BudgetHolder(Contract):
    """A process or function that asks models, and its share of the money and of the calls at once."""

    reserved_nanodollars: Count
    """What it may still spend or has spent since `renewed_at`."""
    calls_granted: Count
    calls_wanted: Count
    """Calls in progress, and waiting to start."""
    renewed_at: ISOTimestamp
    account: str | Unset = optional("The account that its calls are booked to; unset for the run of the record.")
    calls_at_once: Count | Unset = optional("Its setting; the largest of all holders applies.")


class BudgetAccount(Contract):
    """Spending of something other than a run: a session, an exam, a caller's chat, an upload or a cycle."""

    spend: BudgetSpend
    """All of it; of a chat, today's."""
    day_spend: BudgetSpend
    updated_at: ISOTimestamp


class ModelPause(Contract):
    """Until when a model is not called."""

    wait_until: ISOTimestamp | Unset = optional("No call begins before: the provider asked for fewer.")
    open_until: ISOTimestamp | Unset = optional("Calls fail at once before: too many in a row have failed.")


class BudgetRecord(Contract):
    """Spending of the day, of the run and of other accounts.

    File: `progress/budget.json`, changed only by conditional put.
    """

    schema_version: Literal["1.0"]
    day: Annotated[str, StringConstraints(pattern=r"^\d{4}-\d{2}-\d{2}$")]
    """UTC."""
    day_spend: BudgetSpend
    run_id: str
    run_spend: BudgetSpend
    holders: dict[str, BudgetHolder] = Field(default_factory=dict)
    """By name."""
    accounts: dict[str, BudgetAccount] = Field(default_factory=dict)
    """By name, such as `session:ID`."""
    models: dict[str, ModelPause] = Field(default_factory=dict)
    """By provider and model, for models that are paused."""
    wait_until: ISOTimestamp | Unset = optional("Ignored: only in records from before `models`.")
    open_until: ISOTimestamp | Unset = optional("Ignored: only in records from before `models`.")
    stopped: str | Unset = optional("Why no call of the run can succeed, and what to do about it.")

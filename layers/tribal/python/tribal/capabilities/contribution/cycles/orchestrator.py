"""Decides what a cycle does next, from its files alone. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from tribal_contracts.contribution.cycles import CycleOutcome, CycleRecord
from tribal_contracts.contribution.handoffs import AgentName, Handoff
from tribal_contracts.contribution.reviews import ReviewActivity

STAGES: tuple[tuple[AgentName, ...], ...] = (
    ("agent-1-scout",),
    ("agent-2-analyst",),
    ("agent-3-explorer",),
    ("agent-4-coder",),
    ("agent-5-tester", "agent-6-docs"),
)
"""The agents that prepare, in order; those of one stage run side by side."""
PUBLISHER: AgentName = "agent-7-pr"
REVIEWER: AgentName = "agent-8-reviews"
MOST_RETRIES = 2
"""How often an agent is run again after an error that may pass. Source: docs/contracts.md, Contribution."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a cycle does next."""

    kind: Literal["run", "compose", "wait", "end", "answer"]
    agents: tuple[AgentName, ...] = ()
    """Those that run; of a cycle that ends, the one that ended it."""
    retried: tuple[AgentName, ...] = ()
    """Those of them that failed before."""
    outcome: CycleOutcome | None = None


def next_step(record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> Step:
    """Decide what a cycle does next."""
    if record.state in ("waiting", "following", "ended"):
        return Step("wait")
    if record.state == "publishing":
        if record.follow_up is not None:
            return Step("answer", (REVIEWER,))
        return _after(PUBLISHER, record, handoffs) or Step("wait")
    for stage in STAGES:
        steps = [step for agent in stage if (step := _after(agent, record, handoffs)) is not None]
        ends = [step for step in steps if step.kind == "end"]
        if ends:
            return ends[0]
        if steps:
            return Step(
                "run",
                tuple(agent for step in steps for agent in step.agents),
                tuple(agent for step in steps for agent in step.retried),
            )
    return Step("compose")


def outcome_of(review: ReviewActivity) -> CycleOutcome | None:
    """How a followed cycle ended; `None` while it is open."""
    result = None if review.final_outcome is None else review.final_outcome.result
    return "declined" if result == "closed" else result


def _after(agent: AgentName, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> Step | None:
    """The step that an agent's hand-off requires; `None` once it is done."""
    found = handoffs.get(agent)
    if found is None:
        return Step("run", (agent,))
    if found.errors:
        may_pass = all(error.recoverable for error in found.errors)
        if may_pass and record.retries.get(agent, 0) < MOST_RETRIES:
            return Step("run", (agent,), (agent,))
        return Step("end", (agent,), outcome="failed")
    if found.blockers:
        return Step("end", (agent,), outcome="blocked")
    return None

"""What a cycle does next follows from its files."""

from __future__ import annotations

from collections import Counter
from typing import Literal

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.capabilities.contribution.records import (
    INTERFACES,
    NOW,
    cycle_record,
    failure,
    require_specified,
    specified,
)
from tests.cases import each_case
from tests.plugins.verify import examples
from tribal.capabilities.contribution.agents.failures import blocked_handoff, failed_handoff
from tribal.capabilities.contribution.cycles.orchestrator import MOST_RETRIES, PUBLISHER, STAGES, next_step
from tribal.capabilities.contribution.cycles.status import swarm_status
from tribal_contracts.contribution.handoffs import AgentName, Handoff

AGENTS = [agent for stage in STAGES for agent in stage]
Result = Literal["done", "may pass", "refused", "blocked"]


def handoff(agent: AgentName, result: Result) -> Handoff:
    """What an agent made."""
    record = cycle_record()
    if result == "blocked":
        return blocked_handoff(agent, record, "the repository does not allow it", NOW)
    code = {"may pass": "CON_FORGE_UNREACHABLE", "refused": "CON_FORGE_REFUSED"}.get(result, "CON_INTERNAL")
    made = failed_handoff(agent, record, failure(code), NOW)
    return made if result != "done" else made.model_copy(update={"status": "completed", "errors": []})


@each_case("agent", list(INTERFACES))
def test_hand_offs_of_failed_and_blocked_agents_are_as_specified(agent: AgentName) -> None:
    for result in ("may pass", "blocked"):
        file = handoff(agent, result).to_json()
        require_specified(INTERFACES[agent], file)


def test_the_specification_is_not_met_by_anything() -> None:
    assert not specified("CurrentIssue").is_valid({"agent": "agent-1-scout"})


@given(st.lists(st.sampled_from(["done", "may pass", "refused", "blocked"]), min_size=30, max_size=30))
@settings(max_examples=examples(60, 600))
def test_every_cycle_ends_or_waits_whatever_agents_do(results: list[Result]) -> None:
    record, handoffs, runs = cycle_record(), dict[AgentName, Handoff](), Counter[AgentName]()
    for _ in range(50):
        step = next_step(record, handoffs)
        status = swarm_status([record], handoffs, record.swarm_id, step.agents if step.kind == "run" else ())
        require_specified("SwarmStatus", status.to_json())
        if step.kind != "run":
            break
        for agent in step.agents:
            runs[agent] += 1
            handoffs[agent] = handoff(agent, results.pop())
        retries = {**record.retries, **{each: record.retries.get(each, 0) + 1 for each in step.retried}}
        record = record.model_copy(update={"retries": retries})
    assert (step.kind, step.outcome) in {("compose", None), ("end", "failed"), ("end", "blocked")}
    assert step.kind != "compose" or all(not handoffs[each].errors and not handoffs[each].blockers for each in AGENTS)
    assert max(runs.values()) <= 1 + MOST_RETRIES


def test_tester_and_docs_run_side_by_side_and_only_the_one_that_failed_again() -> None:
    handoffs = {agent: handoff(agent, "done") for agent in AGENTS[:4]}
    assert next_step(cycle_record(), handoffs).agents == ("agent-5-tester", "agent-6-docs")
    handoffs |= {
        "agent-5-tester": handoff("agent-5-tester", "done"),
        "agent-6-docs": handoff("agent-6-docs", "may pass"),
    }
    again = next_step(cycle_record(), handoffs)
    assert (again.agents, again.retried) == (("agent-6-docs",), ("agent-6-docs",))


def test_nothing_is_published_before_it_is_approved() -> None:
    handoffs = {agent: handoff(agent, "done") for agent in AGENTS}
    assert next_step(cycle_record(), handoffs).kind == "compose"
    assert next_step(cycle_record(state="waiting"), handoffs).kind == "wait"
    assert next_step(cycle_record(state="publishing"), handoffs).agents == (PUBLISHER,)

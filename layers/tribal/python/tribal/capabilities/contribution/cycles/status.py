"""The status of all contributions, derived from their records and hand-offs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tribal.capabilities.contribution.cycles.orchestrator import PUBLISHER, REVIEWER
from tribal_contracts.contribution import HANDOFFS
from tribal_contracts.contribution.cycles import (
    AgentActivity,
    AgentState,
    CycleRecord,
    Phase,
    SwarmStats,
    SwarmStatus,
)
from tribal_contracts.contribution.handoffs import AgentName, Handoff
from tribal_contracts.contribution.reviews import PRCreated

_PHASES: dict[AgentName, Phase] = {
    "agent-1-scout": "discovery",
    "agent-2-analyst": "analysis",
    "agent-3-explorer": "exploration",
    "agent-4-coder": "development",
    "agent-5-tester": "development",
    "agent-6-docs": "development",
    "agent-7-pr": "pr_creation",
    "agent-8-reviews": "review_monitoring",
}


def swarm_status(
    records: Sequence[CycleRecord],
    handoffs: Mapping[AgentName, Handoff],
    swarm_id: str,
    running: Sequence[AgentName] = (),
) -> SwarmStatus:
    """The status of the newest cycle, and counts over all.

    Args:
        records: of all cycles, oldest first.
        handoffs: of the newest cycle.
        swarm_id: of the store.
        running: the agents that are at work.
    """
    newest = records[-1] if records else None
    pull_request = handoffs.get(PUBLISHER)
    published = isinstance(pull_request, PRCreated) and not pull_request.errors
    return SwarmStatus(
        swarm_id=swarm_id,
        cycle=0 if newest is None else newest.cycle,
        started_at="" if newest is None else newest.started_at,
        current_phase=_phase(newest, running),
        agents={agent: _activity(agent, newest, handoffs.get(agent), agent in running) for agent in HANDOFFS},
        current_issue=None if newest is None else newest.issue_url,
        current_pr=pull_request.pr.url if isinstance(pull_request, PRCreated) and published else None,
        stats=SwarmStats(
            cycles_completed=sum(each.outcome not in (None, "failed", "aborted") for each in records),
            prs_created=sum(each.published_commit is not None for each in records),
            prs_merged=sum(each.outcome == "merged" for each in records),
            issues_contributed=list(dict.fromkeys(each.issue_url for each in records if each.published_commit)),
        ),
        prepared_by=None if newest is None else newest.prepared_by,
    )


def _phase(record: CycleRecord | None, running: Sequence[AgentName]) -> Phase:
    if record is None or record.state == "ended":
        return "idle"
    if record.state == "following" or record.follow_up is not None:
        return "review_monitoring"
    if record.state in ("waiting", "publishing"):
        return "pr_creation"
    return _PHASES[running[0]] if running else "discovery"


def _activity(agent: AgentName, record: CycleRecord | None, handoff: Handoff | None, is_running: bool) -> AgentActivity:
    state: AgentState = "idle"
    if is_running:
        state = "running"
    elif record is not None and _is_waiting(agent, record):
        state = "waiting"
    elif handoff is not None:
        state = "failed" if handoff.errors else "completed"
    return AgentActivity(status=state, last_run=None if handoff is None else handoff.timestamp)


def _is_waiting(agent: AgentName, record: CycleRecord) -> bool:
    return (agent == PUBLISHER and record.state == "waiting") or (agent == REVIEWER and record.state == "following")

"""Takes a cycle from agent to agent: a job that is saved after every step and can be killed at any point."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from tribal.capabilities.contribution.agents.analyst import analyst
from tribal.capabilities.contribution.agents.coder import coder
from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.agents.docs import docs
from tribal.capabilities.contribution.agents.explorer import explorer
from tribal.capabilities.contribution.agents.failures import blocked_handoff, failed_handoff
from tribal.capabilities.contribution.agents.scout import scout
from tribal.capabilities.contribution.agents.tester import tester
from tribal.capabilities.contribution.cycles.files import ContributionFiles
from tribal.capabilities.contribution.cycles.orchestrator import PUBLISHER, REVIEWER, Step, next_step, outcome_of
from tribal.capabilities.contribution.cycles.status import swarm_status
from tribal.capabilities.contribution.errors import ApprovalMissing, ApprovalStale, ContributionFailed, HandoffInvalid
from tribal.capabilities.contribution.gate.diffs import changed_lines
from tribal.capabilities.contribution.offers.sources import AGENT_SECONDS, open_source
from tribal.capabilities.contribution.offers.texts import read_relations
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.publishing.pr import publish
from tribal.capabilities.contribution.publishing.publication import (
    address_warnings,
    changes_checks,
    diffs_in,
    patch_of,
    problems_of,
    publication_hash,
    publication_of,
)
from tribal.capabilities.contribution.publishing.replies import publish_answers
from tribal.capabilities.contribution.publishing.reviews import review
from tribal.capabilities.contribution.recipes.recipe import Relation
from tribal.errors import RepositoryUnusable, RunError, StoreUnwritable, TribalError, describe_unexpected
from tribal.jobs.job import Job
from tribal.ports import Application, StopToken
from tribal_contracts import DatabaseType
from tribal_contracts.contribution.changes import CodeChanges
from tribal_contracts.contribution.cycles import AnsweredComment, CycleRecord
from tribal_contracts.contribution.handoffs import AgentName, CodebaseMap, Handoff
from tribal_contracts.contribution.reviews import PRCreated, ReviewActivity

Agent = Callable[[AgentContext], Handoff]
_BY_RECIPE: Mapping[AgentName, Agent] = {
    "agent-1-scout": scout,
    "agent-2-analyst": analyst,
    "agent-3-explorer": explorer,
    "agent-4-coder": coder,
    "agent-5-tester": tester,
    "agent-6-docs": docs,
    REVIEWER: review,
}
_NOTHING: tuple[DatabaseType, Mapping[tuple[str, str], Relation]] = ("postgres", {})
"""The tables of a cycle for an issue: it has none."""


@dataclass(frozen=True, slots=True)
class CycleRunner:
    """Runs cycles of one store; the caller holds the lease `contribution`."""

    app: Application
    parts: ContributionParts
    stop: StopToken
    report: Callable[[str], None] = lambda _: None
    """Called with a line before each step."""

    @property
    def files(self) -> ContributionFiles:
        """The files of contributions."""
        return ContributionFiles(self.app.store())

    def run(self, cycle: int) -> CycleRecord:
        """Prepare or publish a cycle until it waits or has ended.

        Raises:
            CycleUnknown: when there is no such cycle.
            JobEnded: when there is nothing for this process to do.
            StoreError: when the store refuses a write; the cycle can be resumed.
        """
        file = self.files.record_file(cycle)
        job = Job(
            read=file.read,
            replace=file.replace,
            has_ended=lambda record: record.state not in self.parts.states,
            stop=self.stop,
            step_seconds=AGENT_SECONDS,
            failed=self._failed,
        )
        try:
            return job.run(self._step)
        finally:
            self.show_status()

    def follow(self, record: CycleRecord) -> CycleRecord:
        """Look what became of a published contribution, and note it."""
        handoffs = self.files.handoffs(record.cycle)
        review_activity = self._run_agent(REVIEWER, record, handoffs)
        self.files.put_handoff(REVIEWER, review_activity)
        changes: dict[str, Any] = {"updated_at": review_activity.timestamp, "error": None}
        if review_activity.errors:
            changes["error"] = review_activity.errors[0]
        elif isinstance(review_activity, ReviewActivity) and (outcome := outcome_of(review_activity)) is not None:
            changes |= {"state": "ended", "outcome": outcome, "follow_up": None}
        elif isinstance(review_activity, ReviewActivity):
            changes |= self._answers(record, handoffs, review_activity)
        changed = self.change(record.cycle, **changes)
        self.show_status()
        return changed

    def _answers(
        self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff], reviewed: ReviewActivity
    ) -> dict[str, Any]:
        """Have answers to reviewers prepared, if a model wrote the change; what they change in the record."""
        if record.recipe is not None or not (reviewed.current_status.comments_pending or record.follow_up is not None):
            return {}
        from tribal.capabilities.contribution.writing.review_answers import answers_to_review

        try:
            with self.context(record, handoffs) as context:
                return answers_to_review(context)
        except (RunError, StoreUnwritable):
            raise
        except TribalError as error:
            return {"error": error.to_agent_error(self.app.clock.published())}
        except Exception as error:  # noqa: BLE001 - others are followed all the same
            return {"error": ContributionFailed(describe_unexpected(error)).to_agent_error(self.app.clock.published())}

    def change(self, cycle: int, **changes: Any) -> CycleRecord:
        """Change fields of a record."""
        file = self.files.record_file(cycle)
        return file.change(lambda latest: latest.model_copy(update=changes), file.read().record)

    def show_status(self, running: Sequence[AgentName] = ()) -> None:
        """Write the status, and the copies of the newest cycle's hand-offs."""
        records = self.files.records()
        handoffs = self.files.handoffs(records[-1].cycle) if records else {}
        if records:
            self.files.show_running(handoffs)
        self.files.put_status(swarm_status(records, handoffs, self.files.swarm_id(records), running))

    @contextmanager
    def context(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> Iterator[AgentContext]:
        """What an agent works with; the repository is opened for it.

        Raises:
            RepositoryUnusable, RepositoryUnreadable: when the repository cannot be used.
        """
        entry = self.parts.settings.entry(record.repository)
        if entry is None:
            raise RepositoryUnusable(
                f"repository {record.repository!r} is no longer configured; add it to contribution.repositories, or run"
                f" `tribal contribute abort {record.cycle}`"
            )
        wanted = {(each.schema_name, each.table) for each in record.descriptions}
        described = read_relations(self.app.store(), record.database, wanted) if record.database else _NOTHING
        with open_source(self.parts, entry, self.app.clock) as source:
            yield AgentContext(
                record=record,
                handoffs=handoffs,
                source=source,
                parts=self.parts,
                dialect=described[0],
                relations=described[1],
                taken=self.taken(record.repository, record.cycle),
                now=self.app.clock.published(),
            )

    def taken(self, repository: str, but: int) -> frozenset[str]:
        """The paths that other contributions to a repository add, and that are not merged yet."""
        found: set[str] = set()
        for record in self.files.records():
            if record.repository == repository and record.cycle != but and record.state != "ended":
                changes = self.files.handoffs(record.cycle).get("agent-4-coder")
                if isinstance(changes, CodeChanges):
                    found |= {each.file for each in changes.changes if each.action == "created"}
        return frozenset(found)

    def _step(self, record: CycleRecord) -> CycleRecord:
        handoffs = self.files.handoffs(record.cycle)
        step = next_step(record, handoffs)
        if step.kind == "run":
            return self._run(record, handoffs, step)
        if step.kind == "compose":
            return self._compose(record, handoffs)
        if step.kind == "answer":
            return self._answer(record, handoffs)
        if step.kind == "wait":
            # An agent has published what was approved.
            return self._published(record, handoffs)
        return self._ended(record, handoffs, step)

    def _run(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff], step: Step) -> CycleRecord:
        self.show_status(step.agents)
        self.report(" and ".join(each.split("-", 2)[2] for each in step.agents))
        with ThreadPoolExecutor(len(step.agents)) as threads:
            made = dict(zip(step.agents, threads.map(self._agent(record, handoffs), step.agents), strict=True))
        for agent, handoff in made.items():
            self.files.put_handoff(agent, handoff)
        retries = {**record.retries, **{each: record.retries.get(each, 0) + 1 for each in step.retried}}
        return record.model_copy(update={"retries": retries, "updated_at": self.app.clock.published()})

    def _agent(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> Callable[[AgentName], Handoff]:
        return lambda agent: self._run_agent(agent, record, handoffs)

    def _run_agent(self, agent: AgentName, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> Handoff:
        """Run an agent; an error becomes its hand-off."""
        now = self.app.clock.published()
        try:
            with self.context(record, handoffs) as context:
                if agent == PUBLISHER:
                    return publish(context, self._approval(record))
                return _agents(record)[agent](context)
        except (RunError, StoreUnwritable):
            raise
        except RepositoryUnusable as blocker:
            if agent == REVIEWER:
                return failed_handoff(agent, record, blocker.to_agent_error(now), now, handoffs.get(agent))
            return blocked_handoff(agent, record, blocker.message, now)
        except TribalError as error:
            return failed_handoff(agent, record, error.to_agent_error(now), now, handoffs.get(agent))
        except Exception as error:  # noqa: BLE001 - the failure of an agent is its hand-off
            failure = ContributionFailed(describe_unexpected(error)).to_agent_error(now)
            return failed_handoff(agent, record, failure, now, handoffs.get(agent))

    def _approval(self, record: CycleRecord) -> Any:
        approval = self.files.approval(record.cycle, record.approvals)
        if approval is None:
            raise ApprovalMissing(f"contribution {record.cycle} was not approved; run `tribal contribute approve`")
        return approval

    def _compose(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> CycleRecord:
        """Put together what would be published, and have it wait for approval."""
        with self.context(record, handoffs) as context:
            publication, patch = publication_of(context), patch_of(handoffs)
            code = context.earlier(CodeChanges)
            problems = problems_of(publication, patch, [record.swarm_id, *code.identifiers])
            warnings = [*code.warnings, *address_warnings(context, patch)]
            explored = context.earlier(CodebaseMap)
            warnings += [*explored.insights.potential_gotchas, *context.source.state.warnings]
            if record.recipe is None:
                warnings += [f"it changes {each}, which says what the checks are" for each in changes_checks(handoffs)]
            if not context.may_publish:
                warnings.append("the repository is public; publishing needs `public: true` in its entry")
            problems += _over_limit(context)
        self.files.put_patch(record.cycle, patch)
        changes: dict[str, Any] = {
            "publication": publication,
            "sha256": publication_hash(publication, patch),
            "warnings": list(dict.fromkeys(warnings)),
            "sign_off_required": bool(explored.sign_off),
            "updated_at": self.app.clock.published(),
            "state": "waiting",
            "stopped_by": PUBLISHER,
        }
        if problems:
            changes |= {"state": "ended", "outcome": "blocked", "blockers": problems}
        return record.model_copy(update=changes)

    def _published(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> CycleRecord:
        created = handoffs.get(PUBLISHER)
        if not isinstance(created, PRCreated):
            raise HandoffInvalid(f"pr-created.json of contribution {record.cycle} is missing")
        changes = {
            "state": "following",
            "stopped_by": REVIEWER,
            "published_commit": created.commits[0].sha,
            "published_at": created.timestamp,
            "updated_at": self.app.clock.published(),
            "error": None,
        }
        return record.model_copy(update=changes)

    def _answer(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> CycleRecord:
        """Publish approved answers to a review; if that fails, they wait again."""
        follow_up, now = record.follow_up, self.app.clock.published()
        assert follow_up is not None
        changes: dict[str, Any] = {"state": "following", "updated_at": now}
        try:
            with self.context(record, handoffs) as context:
                changes["published_commit"] = publish_answers(context, follow_up, self._approval(record))
        except (RunError, StoreUnwritable):
            raise
        except TribalError as error:
            # Stale ones are prepared again by the next look at the pull request.
            kept = None if isinstance(error, ApprovalStale) else follow_up
            return record.model_copy(update={**changes, "error": error.to_agent_error(now), "follow_up": kept})
        done = [AnsweredComment(comment=each.comment, kind=each.kind, at=now) for each in follow_up.answers]
        changes |= {"follow_up": None, "answered": [*record.answered, *done], "error": None}
        return record.model_copy(update=changes)

    def _ended(self, record: CycleRecord, handoffs: Mapping[AgentName, Handoff], step: Step) -> CycleRecord:
        agent = step.agents[0]
        handoff = handoffs[agent]
        changes: dict[str, Any] = {
            "stopped_by": agent,
            "blockers": handoff.blockers,
            "error": handoff.errors[0] if handoff.errors else None,
            "updated_at": self.app.clock.published(),
            "state": "ended",
            "outcome": step.outcome,
        }
        if agent == PUBLISHER and step.outcome == "failed":
            # What was approved can still be published.
            changes |= {"state": "waiting", "outcome": None}
        return record.model_copy(update=changes)

    def _failed(self, record: CycleRecord, error: BaseException) -> CycleRecord:
        """The record of a cycle that an error ended outside of its agents, or at which processes died."""
        now = self.app.clock.published()
        if not isinstance(error, TribalError):
            error = ContributionFailed(describe_unexpected(error) if isinstance(error, Exception) else str(error))
        changes = {"state": "ended", "outcome": "failed", "error": error.to_agent_error(now), "updated_at": now}
        return record.model_copy(update=changes)


def _over_limit(context: AgentContext) -> list[str]:
    """Whether what a model wrote has too many lines altogether; each agent knows its own only."""
    if context.record.recipe is not None:
        return []
    lines = changed_lines(diffs_in(context.handoffs).values())
    limit = context.limits.issue_lines
    return [] if lines <= limit else [f"it changes {lines:,} lines; contribution.limits.issue_lines is {limit}"]


def _agents(record: CycleRecord) -> Mapping[AgentName, Agent]:
    """The agents of a cycle: those that follow a recipe, or those that ask a model."""
    if record.recipe is not None:
        return _BY_RECIPE
    # Loads what cycles of descriptions do not need.
    from tribal.capabilities.contribution.writing import analyst, authors, scout

    return {
        **_BY_RECIPE,
        "agent-1-scout": scout.scout,
        "agent-2-analyst": analyst.analyst,
        "agent-4-coder": authors.coder,
        "agent-5-tester": authors.tester,
        "agent-6-docs": authors.docs,
    }

"""Contributions and offers as tools answer with them and commands print them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from tribal.capabilities.contribution.contributions import Contributions
from tribal.capabilities.contribution.errors import CheckFailed, PatchInvalid, error_of
from tribal.capabilities.contribution.offers.batches import Batch
from tribal.capabilities.contribution.offers.offers import Offer
from tribal.capabilities.contribution.publishing.publication import checks_in, follow_up_hash, patch_of
from tribal.errors import RepositoryUnusable, TribalError
from tribal.identity.table_names import TableIdentity
from tribal.identity.targets import target_name
from tribal.rendering.words import listing, number
from tribal_contracts.contribution.cycles import CycleRecord
from tribal_contracts.contribution.handoffs import AgentName, Handoff
from tribal_contracts.contribution.reviews import PRCreated, ReviewActivity
from tribal_contracts.contribution.tools import (
    ContributionOutput,
    ListContributionsInput,
    ListContributionsOutput,
    ListedCycle,
    ListedDescription,
    ListedRepository,
)


def contribution_output(service: Contributions, record: CycleRecord) -> ContributionOutput:
    """A contribution with what it would publish."""
    handoffs, answers = service.files.handoffs(record.cycle), record.follow_up
    problem = problem_of(record)
    return ContributionOutput(
        success=problem is None,
        error=None if problem is None else problem.to_agent_error(record.updated_at),
        cycle=record.cycle,
        state=record.state,
        outcome=record.outcome,
        publication=record.publication if answers is None else answers.publication,
        sha256=record.sha256 if answers is None else follow_up_hash(answers),
        diff=(patch_of(handoffs) if answers is None else answers.patch) or None,
        checks=checks_in(handoffs) if answers is None else answers.checks,
        warnings=record.warnings,
        blockers=record.blockers,
        descriptions=record.descriptions,
        answers=[] if answers is None else answers.answers,
        left_to_you=[each.left for each in record.answered if each.left],
        message=message_of(record, handoffs, in_background=service.parts.launch is not None),
    )


def message_of(record: CycleRecord, handoffs: Mapping[AgentName, Handoff], *, in_background: bool = False) -> str:
    """Say how far a contribution is, and what a person can do next unless it is resumed in the background."""
    cycle, failed = record.cycle, record.error.message if record.error is not None else ""
    if record.state == "waiting":
        text = f"Nothing is published yet. A person looks at it and approves it: `tribal contribute approve {cycle}`"
        return f"{text}. The last attempt failed: {failed}" if failed else text
    if record.state == "following":
        waits = f"Answers to the review wait for approval: `tribal contribute approve {cycle}`. "
        text = f"{waits if record.follow_up is not None else ''}{_waiting(record, handoffs)}"
        return f"{text}. The last look failed: {failed}" if failed else text
    if record.state != "ended" and in_background:
        return "It is worked on in the background, and resumed if it is interrupted."
    if record.state != "ended":
        return f"If it was interrupted: `tribal contribute {_RESUMED[record.state]}`"
    return _ended(record, handoffs) if record.outcome != "failed" else failed


def _waiting(record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> str:
    """Where a contribution waits, and what reviewers and checks said."""
    url = _page(handoffs)
    if not url:
        branch = record.publication.branch if record.publication else ""
        return f"Branch {branch} waits for review. When it is merged: `tribal contribute follow`"
    seen = handoffs.get("agent-8-reviews")
    if not isinstance(seen, ReviewActivity):
        return f"It waits for review: {url}"
    status = seen.current_status
    said = [
        number(status.reviews_received, "review"),
        number(status.approvals, "approval"),
        f"{status.changes_requested} asking for changes",
        f"{number(status.comments_pending, 'comment')} unanswered",
    ]
    return f"It waits for review: {url} ({', '.join(said)}; checks: {status.ci_status})"


def _ended(record: CycleRecord, handoffs: Mapping[AgentName, Handoff]) -> str:
    """How a contribution ended; what exists stays."""
    url = _page(handoffs)
    branch = record.publication.branch if record.publication else ""
    undo = f"Branch {branch} stays; to remove it: `git branch -D {branch}`"
    if url:
        undo = f"The pull request stays; close it there: {url}"
    again = "; --again offers its descriptions again" if record.recipe is not None else ""
    closed = "Its pull request was closed" if url else "Its branch was deleted"
    reads = "After the migration, `tribal run` reads the descriptions back." if record.recipe is not None else ""
    return {
        "merged": reads,
        "declined": f"{closed} without being merged{again}.",
        "aborted": undo if record.published_commit else "Nothing was published.",
        "blocked": "It ended; nothing was published.",
        "abandoned": f"No one answered in two weeks. {undo}",
    }.get(record.outcome or "", "It has ended.")


def _page(handoffs: Mapping[AgentName, Handoff]) -> str:
    """The address of the pull request; empty without one."""
    created = handoffs.get("agent-7-pr")
    return created.pr.url if isinstance(created, PRCreated) else ""


def problem_of(record: CycleRecord) -> TribalError | None:
    """The error that a call ends with after a contribution; `None` if it was prepared or published."""
    if record.error is not None:
        return error_of(record.error)
    if record.outcome != "blocked":
        return None
    message = f"contribution {record.cycle} is blocked: {listing(record.blockers)}"
    if any(each.startswith("check ") for each in record.blockers):
        return CheckFailed(message)
    return PatchInvalid(message) if record.publication is not None else RepositoryUnusable(message)


_RESUMED = {"preparing": "prepare", "publishing": "follow"}


def list_output(service: Contributions, request: ListContributionsInput) -> ListContributionsOutput:
    """The offers and contributions that a caller may see."""
    found = service.offers(model_prose=request.model_prose)
    offers = sorted((offer for batch in found for offer in batch.offers), key=lambda each: each.rank)
    if request.table is not None:
        from tribal.capabilities.contribution.offers.batches import named_tables, restricted

        tables = named_tables(found, [request.table])
        offers = sorted((o for batch in found for o in restricted(batch, tables)), key=lambda each: each.rank)
    counts = Counter(each.state for each in offers)
    chosen = [each for each in offers if request.state in (None, each.state)]
    shown = chosen[request.offset : request.offset + request.limit]
    return ListContributionsOutput(
        success=True,
        descriptions=[_listed(each) for each in shown],
        repositories=_repositories(found),
        cycles=[_cycle(each) for each in reversed(service.records())],
        counts=dict(sorted(counts.items())),
        total=len(chosen),
        returned=len(shown),
        truncated=request.offset + len(shown) < len(chosen),
    )


def _listed(offer: Offer) -> ListedDescription:
    written, said = offer.written, offer.said
    identity = TableIdentity(written.database, written.relation.schema, written.relation.name)
    return ListedDescription(
        table=target_name(identity),
        column=written.column,
        text=written.text,
        source=written.source,
        state=offer.state,
        repository=offer.repository,
        questions=offer.questions,
        repository_says=said.text if said is not None else None,
        where=f"{said.path}:{said.line}" if said is not None else None,
        reason=offer.reason,
        cycle=offer.cycle,
    )


def _repositories(found: Sequence[Batch]) -> list[ListedRepository]:
    return [
        ListedRepository(
            name=each.entry.name,
            location=each.entry.location,
            database=each.database,
            recipe=each.recipe,
            folder=each.folder or None,
            problem=each.problem.message if each.problem is not None else None,
        )
        for each in found
    ]


def _cycle(record: CycleRecord) -> ListedCycle:
    return ListedCycle(
        cycle=record.cycle,
        state=record.state,
        outcome=record.outcome,
        title=record.publication.title if record.publication else "",
        repository=record.repository,
        branch=record.publication.branch if record.publication else "",
        descriptions=len(record.descriptions),
        started_at=record.started_at,
    )

"""What callers do with contributions: list, prepare, look at, approve, follow and abort them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tribal.capabilities.contribution.agents.context import AgentContext, edit_context, edits_of
from tribal.capabilities.contribution.cycles.files import LEASE, ContributionFiles, unknown_cycle
from tribal.capabilities.contribution.cycles.orchestrator import PUBLISHER
from tribal.capabilities.contribution.cycles.running import CycleRunner
from tribal.capabilities.contribution.errors import (
    ApprovalMissing,
    ApprovalStale,
    ContributionForbidden,
    CycleLocked,
    CycleUnsuitable,
    LimitExceeded,
)
from tribal.capabilities.contribution.offers import batches
from tribal.capabilities.contribution.offers.batches import Batch
from tribal.capabilities.contribution.offers.offers import Offer
from tribal.capabilities.contribution.offers.sources import open_source
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.publishing.approving import TYPED, current_hash, is_valid, new_approval
from tribal.capabilities.contribution.publishing.publication import patch_of
from tribal.errors import RepositoryUnusable, RunLocked
from tribal.identity.table_names import TableIdentity
from tribal.jobs.lease import RunLease
from tribal.ports import Application, StopToken
from tribal.ports.caller import Caller
from tribal_contracts.contribution.cycles import CycleRecord, SwarmStatus
from tribal_contracts.contribution.tools import PrepareContributionInput


@dataclass(frozen=True, slots=True)
class Review:
    """What a person is asked to approve."""

    record: CycleRecord
    patch: str
    sha256: str
    """Of what would be published now."""
    is_approved: bool
    """Whether an approval of it is still valid."""
    sign_off: str | None
    """The line that the repository asks the approving person for."""


@dataclass(frozen=True, slots=True)
class Contributions:
    """Contributions of one store, for one caller."""

    app: Application
    parts: ContributionParts
    caller: Caller
    name: str
    """The caller, as `kind:subject`."""
    stop: StopToken = field(default_factory=StopToken)
    report: Callable[[str], None] = lambda _: None

    @property
    def files(self) -> ContributionFiles:
        """The files of contributions."""
        return ContributionFiles(self.app.store())

    @property
    def _runner(self) -> CycleRunner:
        return CycleRunner(self.app, self.parts, self.stop, self.report)

    def offers(self, *, model_prose: bool = False) -> list[Batch]:
        """Every description that could be contributed, or why it cannot, by repository and database."""
        records = self.files.records()
        return batches.collect(self.app, self.parts, self.caller, records, model_prose=model_prose)

    def records(self) -> list[CycleRecord]:
        """The contributions that the caller may see, oldest first."""
        return [each for each in self.files.records() if self._may_see(each)]

    def record(self, cycle: int | None) -> CycleRecord:
        """A contribution; without a number, the newest one.

        Raises:
            CycleUnknown: when it does not exist, or the caller may not see it.
        """
        if cycle is None:
            found = self.records()
            if not found:
                raise CycleUnsuitable("nothing was prepared yet; start with `tribal contribute prepare`")
            return found[-1]
        record = self.files.record(cycle)
        if not self._may_see(record):
            raise unknown_cycle(cycle)
        return record

    def status(self) -> SwarmStatus:
        """The status, derived from all contributions.

        Raises:
            HandoffInvalid: when a file is damaged.
        """
        with self._lease("status"):
            self._runner.show_status()
        status = self.files.status()
        assert status is not None
        return status

    def patch(self, record: CycleRecord) -> str:
        """The diff of a contribution; empty before it is prepared."""
        return patch_of(self.files.handoffs(record.cycle))

    def prepare(self, request: PrepareContributionInput) -> CycleRecord | None:
        """Prepare a contribution, or finish preparing one that was interrupted; `None` if there is nothing to do.

        What a repository says against a change ends a contribution; the next candidate is then tried, unless tables or
        a repository are named.

        Raises:
            RepositoryNotAllowed: when a name is unknown.
            RepositoryUnusable, LimitExceeded: when what is named cannot be contributed.
            CycleLocked: when another process prepares.
        """
        with self._lease("prepare"):
            for unfinished in [each for each in self.files.records() if each.state == "preparing"]:
                record = self._runner.run(unfinished.cycle)
                if self._may_see(record):
                    return record
            return self._prepare_next(request)

    def review(self, cycle: int) -> Review:
        """What would be published now, for a person to approve.

        Raises:
            CycleUnsuitable: when it is not waiting for approval.
            ApprovalStale: when the base branch has changed what it changes.
        """
        record = self.record(cycle)
        if record.state not in ("waiting", "publishing"):
            raise CycleUnsuitable(f"contribution {cycle} is {_said(record)}; there is nothing to approve")
        with self._context(record) as context:
            sha256 = current_hash(context)
            approval = self.files.approval(cycle, record.approvals)
            return Review(
                record,
                patch_of(context.handoffs),
                sha256,
                is_valid(approval, sha256, self.app.clock.real()),
                (context.source.state.author or self.parts.signer()) if record.sign_off_required else None,
            )

    def approve(self, review: Review, typed: str) -> CycleRecord:
        """Publish what a person has approved by typing the start of its hash; with a valid approval, that is used.

        Raises:
            ApprovalMissing: when something else was typed.
            ApprovalStale: when what would be published has changed meanwhile.
        """
        cycle = review.record.cycle
        with self._lease("approve"):
            record = self.record(cycle)
            if not review.is_approved:
                if typed.strip().lower() != review.sha256[:TYPED]:
                    raise ApprovalMissing("these are not the first 8 characters of the hash; nothing was published")
                with self._context(record) as context:
                    if current_hash(context) != review.sha256:
                        raise ApprovalStale(f"contribution {cycle} has changed; look at it again and approve it")
                record = self._approved(record, review.sha256, review.sign_off or "")
            return self._publish(record)

    def accept(self, cycle: int, sha256: str) -> CycleRecord:
        """Approve over HTTPS what someone else has prepared; it is published next, in the background if there is one.

        Raises:
            CycleUnknown: when it does not exist, or the caller may not see it.
            ContributionForbidden: when the caller has prepared it.
            ApprovalMissing: when the repository asks for a sign-off, which needs a name and address.
            ApprovalStale: when the hash is not that of what would be published now.
        """
        with self._lease("approve"):
            record = self.record(cycle)
            if record.prepared_by == self.name:
                raise ContributionForbidden("you have prepared this contribution; someone else approves it")
            if record.state != "waiting":
                raise CycleUnsuitable(f"contribution {cycle} is {_said(record)}; there is nothing to approve")
            if record.sign_off_required:
                raise ApprovalMissing("the repository asks for a sign-off; approve the contribution at a terminal")
            with self._context(record) as context:
                if current_hash(context) != sha256:
                    raise ApprovalStale(f"contribution {cycle} has another hash now; look at it and approve that")
            record = self._started(self._approved(record, sha256, ""))
            if self.parts.launch is None:
                return self._runner.run(cycle)
        self.parts.launch(cycle)
        return record

    def follow(self, cycle: int | None = None) -> list[CycleRecord]:
        """Look what became of published contributions, and finish publishing those whose approval is still valid.

        Raises:
            CycleUnsuitable: when the named one is neither published nor approved.
        """
        with self._lease("follow"):
            records = self.records() if cycle is None else [self.record(cycle)]
            followed = [found for each in records if (found := self._follow(each)) is not None]
        if cycle is not None and not followed:
            raise CycleUnsuitable(f"contribution {cycle} is {_said(records[0])}; there is nothing to follow")
        return followed

    def abort(self, cycle: int) -> CycleRecord:
        """End a contribution. Nothing that was published is closed or deleted.

        Raises:
            CycleUnsuitable: when it has ended.
        """
        with self._lease("abort"):
            record = self.record(cycle)
            if record.state == "ended":
                raise CycleUnsuitable(f"contribution {cycle} is {_said(record)}")
            now = self.app.clock.published()
            changed = self._runner.change(cycle, state="ended", outcome="aborted", updated_at=now)
            self._runner.show_status()
            return changed

    def _follow(self, record: CycleRecord) -> CycleRecord | None:
        if record.state == "following":
            return self._runner.follow(record)
        if record.state not in ("waiting", "publishing") or not record.approvals:
            return None
        with suppress(ApprovalStale), self._context(record) as context:
            approval = self.files.approval(record.cycle, record.approvals)
            if is_valid(approval, current_hash(context), self.app.clock.real()):
                return self._publish(record)
        return None

    def _approved(self, record: CycleRecord, sha256: str, signed_off_as: str) -> CycleRecord:
        """Write the caller's approval."""
        approval = new_approval(record, sha256, self.name, self.app.clock.real(), signed_off_as)
        self.files.put_approval(approval)
        return self._runner.change(record.cycle, approvals=approval.number)

    def _publish(self, record: CycleRecord) -> CycleRecord:
        return self._runner.run(self._started(record).cycle)

    def _started(self, record: CycleRecord) -> CycleRecord:
        """Have the publisher run next, also where it failed before."""
        self.files.discard_failed(record.cycle, PUBLISHER)
        retries = {agent: count for agent, count in record.retries.items() if agent != PUBLISHER}
        return self._runner.change(record.cycle, state="publishing", retries=retries)

    def _prepare_next(self, request: PrepareContributionInput) -> CycleRecord | None:
        is_named = bool(request.tables) or request.repository is not None
        blocked: set[tuple[str, str]] = set()
        last: CycleRecord | None = None
        while True:
            records = self.files.records()
            found = batches.collect(self.app, self.parts, self.caller, records, model_prose=request.model_prose)
            candidates = self._candidates(found, request)
            candidates = [each for each in candidates if (each.entry.name, each.database) not in blocked]
            if not candidates:
                return last
            chosen = candidates[0]
            try:
                batches.require_room(records, chosen.entry, self.parts.settings.limits, self.app.clock.published())
                record = self._begin(chosen, found, records)
            except (LimitExceeded, RepositoryUnusable):
                if is_named or len(candidates) == 1:
                    raise
                blocked.add((chosen.entry.name, chosen.database))
                continue
            last = self._runner.run(record.cycle)
            if is_named or last.outcome != "blocked":
                return last
            blocked.add((chosen.entry.name, chosen.database))

    def _candidates(self, found: Sequence[Batch], request: PrepareContributionInput) -> list[Batch]:
        """The batches with something to contribute, the best first, reduced to what is named."""
        named = [each for each in found if request.repository in (None, each.entry.name)]
        if request.repository is not None and not named:
            raise batches.unknown_repository(request.repository, self.parts.settings)
        problems = [each.problem for each in named if each.problem is not None]
        tables: set[TableIdentity] = set()
        if request.tables:
            usable = [each for each in named if each.problem is None]
            if problems and not usable:
                raise problems[0]
            tables = batches.named_tables(usable, request.tables)
        elif request.repository is not None and problems and len(problems) == len(named):
            raise problems[0]
        chosen = []
        for batch in named:
            offers = batches.restricted(batch, tables) if request.tables else batch.offers
            states = {"open", "declined"} if request.again else {"open"}
            offers = batches.ordered([each for each in offers if each.state in states])
            if offers:
                chosen.append(batch.with_offers(offers))
        if request.tables and not chosen:
            batches.require_contributable([e for batch in named for e in batches.restricted(batch, tables)])
        return sorted(chosen, key=lambda each: min(offer.rank for offer in each.offers))

    def _begin(self, chosen: Batch, found: Sequence[Batch], records: list[CycleRecord]) -> CycleRecord:
        """Create the record of a new cycle."""
        now = self.app.clock.published()
        draft = CycleRecord(
            swarm_id=self.files.swarm_id(records),
            cycle=records[-1].cycle + 1 if records else 1,
            prepared_by=self.name,
            started_at=now,
            updated_at=now,
            repository=chosen.entry.name,
            database=chosen.database,
            recipe=chosen.required_recipe,
            base_commit=chosen.base_commit,
            issue_url="",
            descriptions=[],
            alternatives=batches.alternatives_to(chosen, found),
            search_stats=batches.search_stats(found),
        )
        offers = self._fitting(draft, chosen)
        record = draft.model_copy(
            update={
                "descriptions": [batches.described(each) for each in offers],
                "issue_url": batches.issue_url(chosen.database, chosen.entry.name, offers),
            }
        )
        return self.files.record_file(record.cycle).create(record).record

    def _fitting(self, draft: CycleRecord, chosen: Batch) -> list[Offer]:
        taken = self._runner.taken(chosen.entry.name, draft.cycle)
        with open_source(self.parts, chosen.entry, self.app.clock) as source:
            recipe = source.recipe(chosen.dialect, draft.base_commit)
            context = edit_context(draft, taken)
            return batches.fitting(
                chosen.offers,
                self.parts.settings.limits,
                lambda offers: edits_of(recipe, [each.offered() for each in offers], context),
            )

    @contextmanager
    def _context(self, record: CycleRecord) -> Iterator[AgentContext]:
        with self._runner.context(record, self.files.handoffs(record.cycle)) as context:
            yield context

    @contextmanager
    def _lease(self, purpose: str) -> Iterator[None]:
        """Hold the lease under which contributions change."""
        lease = RunLease.of(self.app, LEASE, f"contribution-{purpose}", self.stop)
        try:
            lease.acquire()
        except RunLocked as locked:
            raise CycleLocked(
                "another process prepares or publishes a contribution; try again when it has ended",
                context=locked.context,
            ) from locked
        try:
            yield
        finally:
            lease.release()

    def _may_see(self, record: CycleRecord) -> bool:
        return all(self.caller.scope.allows(record.database, each.schema_name) for each in record.descriptions)


def _said(record: CycleRecord) -> str:
    return record.state if record.outcome is None else record.outcome

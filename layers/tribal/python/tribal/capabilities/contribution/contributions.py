"""What callers do with contributions: list, prepare, look at, approve, follow and abort them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from tribal.capabilities.contribution.agents.context import AgentContext
from tribal.capabilities.contribution.cycles.files import LEASE, ContributionFiles, unknown_cycle
from tribal.capabilities.contribution.cycles.orchestrator import PUBLISHER
from tribal.capabilities.contribution.cycles.running import CycleRunner
from tribal.capabilities.contribution.errors import (
    ApprovalMissing,
    ApprovalStale,
    ContributionForbidden,
    CycleLocked,
    CycleUnsuitable,
)
from tribal.capabilities.contribution.offers import batches
from tribal.capabilities.contribution.offers.batches import Batch
from tribal.capabilities.contribution.parts import ContributionParts
from tribal.capabilities.contribution.preparing import Preparation
from tribal.capabilities.contribution.publishing.approving import current_hash, is_valid, new_approval, require_typed
from tribal.errors import RunLocked
from tribal.identity.scope import EVERYTHING
from tribal.jobs.lease import RunLease
from tribal.ports import Application, StopToken
from tribal.ports.caller import Caller
from tribal_contracts import ModelQuote
from tribal_contracts.contribution.cycles import CycleRecord, SwarmStatus
from tribal_contracts.contribution.tools import PrepareContributionInput


@dataclass(frozen=True, slots=True)
class Review:
    """What a person is asked to approve."""

    record: CycleRecord
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

    def prepare(
        self,
        request: PrepareContributionInput,
        model: str | None = None,
        confirm: Callable[[ModelQuote], None] = lambda _: None,
    ) -> CycleRecord | None:
        """Prepare a contribution, or finish preparing one that was interrupted; `None` if there is nothing to do.

        What a repository says against a change ends a contribution; the next candidate is then tried, unless tables, a
        repository or an issue are named.

        Args:
            request: what to prepare.
            model: an entry of `models` for what an issue asks for, instead of the configured one.
            confirm: called with the quote before a model is asked; an error that it raises ends the call.

        Raises:
            RepositoryNotAllowed: when a name is unknown, or an issue's repository is not configured.
            RepositoryUnusable, LimitExceeded: when what is named cannot be contributed.
            CycleLocked: when another process prepares.
        """
        record = self._prepare(request, model or self.parts.settings.model, confirm)
        if record is not None and record.state == "preparing" and self.parts.launch is not None:
            self.parts.launch(record)
        return record

    def _prepare(
        self, request: PrepareContributionInput, model: str | None, confirm: Callable[[ModelQuote], None]
    ) -> CycleRecord | None:
        with self._lease("prepare"):
            for unfinished in [each for each in self.files.records() if each.state == "preparing"]:
                if unfinished.recipe is None and not self._may_see(unfinished):
                    raise CycleLocked("another contribution is not prepared yet; try again when it is")
                self.report(f"contribution {unfinished.cycle} was interrupted; it is finished first")
                record = self._runner.run(unfinished.cycle)
                if self._may_see(record):
                    return record
            return Preparation(self.app, self.caller, self.name, self._runner, request, model, confirm).run()

    def review(self, cycle: int) -> Review:
        """What would be published now, for a person to approve.

        Raises:
            CycleUnsuitable: when it is not waiting for approval.
            ApprovalStale: when the base branch has changed what it changes.
        """
        record = _approvable(self.record(cycle))
        with self._context(record) as context:
            sha256 = current_hash(context)
            approval = self.files.approval(cycle, record.approvals)
            return Review(
                record,
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
            record = _approvable(self.record(cycle))
            if not review.is_approved:
                require_typed(review.sha256, typed)
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
            if record.state != "waiting" and not _has_answers(record):
                raise CycleUnsuitable(f"contribution {cycle} is {_said(record)}; there is nothing to approve")
            if record.sign_off_required:
                raise ApprovalMissing("the repository asks for a sign-off; approve the contribution at a terminal")
            with self._context(record) as context:
                if current_hash(context) != sha256:
                    raise ApprovalStale(f"contribution {cycle} has another hash now; look at it and approve that")
            record = self._started(self._approved(record, sha256, ""))
            if self.parts.launch is None:
                return self._runner.run(cycle)
        self.parts.launch(record)
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

    def publish_approved(self, cycle: int) -> CycleRecord | None:
        """Publish what a valid approval is for; `None` without one."""
        with self._lease("publish"):
            record = self.record(cycle)
            return self._publish(record) if self._is_approved(record) else None

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
            changed = self._runner.change(cycle, state="ended", outcome="aborted", follow_up=None, updated_at=now)
            self._runner.show_status()
            return changed

    def _follow(self, record: CycleRecord) -> CycleRecord | None:
        if self._is_approved(record):
            record = self._publish(record)
            if record.state != "following" or record.error is None:
                return record
        if record.state != "following":
            return None
        # Answers that could not be published do not keep anyone from seeing what became of it.
        failed, followed = record.error, self._runner.follow(record)
        if failed is not None and _has_answers(followed) and followed.error is None:
            return self._runner.change(record.cycle, error=failed)
        return followed

    def _is_approved(self, record: CycleRecord) -> bool:
        """Whether this process can publish what a valid approval is for."""
        awaits = record.state in ("waiting", "publishing") or _has_answers(record)
        if not (awaits and record.approvals and "publishing" in self.parts.states):
            return False
        with suppress(ApprovalStale), self._context(record) as context:
            approval = self.files.approval(record.cycle, record.approvals)
            return is_valid(approval, current_hash(context), self.app.clock.real())
        return False

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
        if record.recipe is None:
            return self.caller.scope == EVERYTHING
        return all(self.caller.scope.allows(record.database, each.schema_name) for each in record.descriptions)


def _approvable(record: CycleRecord) -> CycleRecord:
    """A contribution that can be approved.

    Raises:
        CycleUnsuitable: when it does not wait for approval.
    """
    if record.state not in ("waiting", "publishing") and not _has_answers(record):
        raise CycleUnsuitable(f"contribution {record.cycle} is {_said(record)}; there is nothing to approve")
    return record


def _has_answers(record: CycleRecord) -> bool:
    """Whether answers to a review wait for approval."""
    return record.state == "following" and record.follow_up is not None


def _said(record: CycleRecord) -> str:
    return record.state if record.outcome is None else record.outcome

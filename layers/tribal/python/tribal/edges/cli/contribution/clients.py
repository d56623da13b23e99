"""Contributions as commands use them: on this machine, or in the environment of `--profile`."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import typer

from tribal.edges.cli.hints import stop_watching
from tribal.edges.cli.options import client_of, opened_folder

if TYPE_CHECKING:
    from tribal.capabilities.contribution.contributions import Contributions, Review
    from tribal.edges.cli.profile.client import Client
    from tribal_contracts import Contract, ModelQuote
    from tribal_contracts.contribution.cycles import CycleRecord
    from tribal_contracts.contribution.tools import (
        ContributionOutput,
        ListContributionsInput,
        ListContributionsOutput,
        ListedCycle,
        PrepareContributionInput,
    )

Confirm = Callable[[str], None]
"""Asks a person before a model costs money; takes what it may cost."""


@dataclass(frozen=True, slots=True)
class Shown:
    """A contribution for a person to approve."""

    contribution: ContributionOutput
    sha256: str
    is_approved: bool = False
    """Whether an earlier approval is still valid."""
    sign_off: str | None = None
    """The name and address that approving signs off with, if the repository asks for that."""
    review: Review | None = None
    """On this machine, what the approval is for."""


@dataclass(frozen=True, slots=True)
class StatusLine:
    """A contribution in the list of all."""

    cycle: int
    state: str
    repository: str
    title: str
    reason: str
    """Why it waits or has ended."""


@dataclass(frozen=True, slots=True)
class Status:
    """All contributions, newest first."""

    lines: Sequence[StatusLine]
    counts: Sequence[str]
    data: Contract
    """The same for machines."""


class ContributionsClient(Protocol):
    """The contributions of one caller."""

    def offers(self, request: ListContributionsInput) -> ListContributionsOutput:
        """List descriptions to contribute, and the contributions."""
        ...

    def prepare(
        self, request: PrepareContributionInput, model: str | None, confirm: Confirm
    ) -> ContributionOutput | None:
        """Prepare a contribution; `None` if there is nothing to contribute."""
        ...

    def contribution(self, cycle: int | None) -> ContributionOutput:
        """A contribution; without a number, the newest one."""
        ...

    def review(self, cycle: int) -> Shown:
        """Return the contribution as it would be published now, for a person to approve."""
        ...

    def approve(self, shown: Shown, typed: str) -> ContributionOutput:
        """Have published what a person has approved by typing the start of its hash."""
        ...

    def follow(self, cycle: int | None) -> list[ContributionOutput]:
        """Return published contributions with their state."""
        ...

    def status(self) -> Status:
        """Return all contributions, each with the reason why it waits."""
        ...


@contextmanager
def opened_contributions(
    context: typer.Context, project: Path, *, quiet: bool = False
) -> Iterator[ContributionsClient]:
    """The contributions of a command's caller; unless quiet, progress goes to standard error."""

    def report(line: str) -> None:
        if not quiet:
            typer.echo(f"  {line}", err=True)

    if context.obj is not None:
        yield DeployedContributions(client_of(context), context.obj, report)
        return
    with opened_service(project, report) as service:
        yield LocalContributions(service)


@contextmanager
def opened_service(project: Path, report: Callable[[str], None] = lambda _: None) -> Iterator[Contributions]:
    """The contributions of a folder."""
    from tribal.capabilities.contribution.contributions import Contributions
    from tribal.capabilities.contribution.parts import contribution_parts

    with opened_folder(project) as (app, caller):
        yield Contributions(app, contribution_parts(app), caller, caller.person, report=report)


@dataclass(frozen=True, slots=True)
class LocalContributions:
    """Contributions that are prepared, published and followed by this process."""

    service: Contributions

    def offers(self, request: ListContributionsInput) -> ListContributionsOutput:
        """List descriptions to contribute."""
        from tribal.capabilities.contribution.views import list_output

        return list_output(self.service, request)

    def prepare(
        self, request: PrepareContributionInput, model: str | None, confirm: Confirm
    ) -> ContributionOutput | None:
        """Prepare a contribution to its end."""
        record = self.service.prepare(request, model, lambda quote: confirm(self._cost(quote)))
        return None if record is None else self._output(record)

    def contribution(self, cycle: int | None) -> ContributionOutput:
        """A contribution."""
        return self._output(self.service.record(cycle))

    def review(self, cycle: int) -> Shown:
        """Return the contribution as it would be published now."""
        review = self.service.review(cycle)
        return Shown(self._output(review.record), review.sha256, review.is_approved, review.sign_off, review)

    def approve(self, shown: Shown, typed: str) -> ContributionOutput:
        """Publish what was approved."""
        assert shown.review is not None
        return self._output(self.service.approve(shown.review, typed))

    def follow(self, cycle: int | None) -> list[ContributionOutput]:
        """Look at the forge, and return published contributions with their state."""
        return [self._output(each) for each in self.service.follow(cycle)]

    def status(self) -> Status:
        """All contributions, from their files."""
        found = self.service.status()
        lines = [self._line(each) for each in reversed(self.service.records())]
        counts = [f"{found.stats.prs_created} published", f"{found.stats.prs_merged} merged"]
        return Status(lines, counts, found)

    def _cost(self, quote: ModelQuote) -> str:
        from tribal.edges.cli.views.model import dollars, quote_text
        from tribal_contracts import NANODOLLARS

        limit = dollars(round(self.service.parts.settings.per_cycle_usd * NANODOLLARS))
        return f"The model's part is estimated at {quote_text(quote)}; it stops at {limit}."

    def _output(self, record: CycleRecord) -> ContributionOutput:
        from tribal.capabilities.contribution.views import contribution_output

        return contribution_output(self.service, record)

    def _line(self, record: CycleRecord) -> StatusLine:
        from tribal.capabilities.contribution.views import message_of

        return StatusLine(
            record.cycle,
            record.state if record.outcome is None else record.outcome,
            record.repository,
            record.publication.title if record.publication else record.issue_url,
            record.blockers[0] if record.blockers else message_of(record, self.service.files.handoffs(record.cycle)),
        )


@dataclass(frozen=True, slots=True)
class DeployedContributions:
    """Contributions of an environment, which prepares, publishes and follows them in the background."""

    client: Client
    profile: str
    report: Callable[[str], None]

    def offers(self, request: ListContributionsInput) -> ListContributionsOutput:
        """List descriptions to contribute."""
        from tribal.edges.cli.profile.client import sent

        found: ListContributionsOutput = self.client.ask("list_contributions", sent(request))
        return found

    def prepare(
        self, request: PrepareContributionInput, model: str | None, confirm: Confirm
    ) -> ContributionOutput | None:
        """Have a contribution prepared, and wait for it; what an issue asks for, a model of the environment does."""
        from tribal.edges.cli.profile.client import sent

        assert model is None, "refused before"
        if request.issue is not None:
            confirm("A model of the environment does it, for at most `contribution.per_cycle_usd`.")
        started: ContributionOutput = self.client.ask("prepare_contribution", sent(request))
        return None if started.cycle is None else self._ended(started, "preparing")

    def contribution(self, cycle: int | None) -> ContributionOutput:
        """A contribution, also one that failed."""
        from tribal.tools.call import succeeded
        from tribal_contracts.contribution.tools import ContributionOutput

        found = self.client.call("get_contribution", {} if cycle is None else {"cycle": cycle})
        assert isinstance(found, ContributionOutput)
        if found.cycle is None:
            succeeded("get_contribution", found)
        return found

    def review(self, cycle: int) -> Shown:
        """Return the contribution that waits for approval."""
        from tribal.capabilities.contribution.errors import CycleUnsuitable

        found = self.contribution(cycle)
        if found.sha256 is None or (found.state != "waiting" and not found.answers):
            said = found.state if found.outcome is None else found.outcome
            raise CycleUnsuitable(f"contribution {cycle} is {said}; there is nothing to approve")
        return Shown(found, found.sha256)

    def approve(self, shown: Shown, typed: str) -> ContributionOutput:
        """Approve it, and wait until the environment has published it."""
        from tribal.capabilities.contribution.publishing.approving import require_typed
        from tribal.edges.http.contribution import APPROVAL
        from tribal_contracts.contribution.tools import ApprovalAccepted, ApprovalInput

        require_typed(shown.sha256, typed)
        path = APPROVAL.replace("{cycle}", str(shown.contribution.cycle))
        self.client.send("POST", path, ApprovalAccepted, ApprovalInput(sha256=shown.sha256))
        return self._ended(self.contribution(shown.contribution.cycle), "publishing")

    def follow(self, cycle: int | None) -> list[ContributionOutput]:
        """The state of published contributions, as the environment's schedule has seen them last."""
        if cycle is not None:
            return [self.contribution(cycle)]
        return [self.contribution(each.cycle) for each in self._cycles() if each.state == "following"]

    def status(self) -> Status:
        """Return all contributions; those that have not ended say why they wait."""
        from tribal_contracts.contribution.tools import ListContributionsOutput

        cycles = self._cycles()
        merged = sum(each.outcome == "merged" for each in cycles)
        data = ListContributionsOutput(success=True, cycles=cycles)
        return Status([self._line(each) for each in cycles], [f"{merged} merged"], data)

    def _cycles(self) -> list[ListedCycle]:
        from tribal_contracts.contribution.tools import ListContributionsInput

        return self.offers(ListContributionsInput(limit=1)).cycles

    def _line(self, cycle: ListedCycle) -> StatusLine:
        shown = self.contribution(cycle.cycle) if cycle.outcome is None else None
        reason = "" if shown is None else next(iter(shown.blockers), shown.message)
        return StatusLine(cycle.cycle, cycle.outcome or cycle.state, cycle.repository, cycle.title, reason)

    def _ended(self, found: ContributionOutput, state: str) -> ContributionOutput:
        """The contribution once it is no longer in a state."""
        from tribal.edges.cli.profile.client import POLL_SECONDS

        if found.state == state:
            self.report(f"{state} contribution {found.cycle} in the environment; Ctrl-C stops watching, not the work")
        try:
            while found.state == state:
                time.sleep(POLL_SECONDS)
                found = self.contribution(found.cycle)
        except KeyboardInterrupt:
            stop_watching(f"contribute show {found.cycle}", self.profile)
        return found

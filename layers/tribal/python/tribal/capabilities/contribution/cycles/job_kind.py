"""Contributions as a kind of job, for the process next to a server."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from tribal.capabilities.contribution.cycles.files import LEASE, ContributionFiles
from tribal.capabilities.contribution.errors import HandoffInvalid
from tribal.capabilities.contribution.parts import ContributionParts, contribution_parts
from tribal.errors import RunLocked, StoreError
from tribal.jobs.job import JobEnded
from tribal.jobs.lease import RunLease
from tribal.jobs.lease_file import is_running, read_lease
from tribal.ports import StopToken
from tribal.ports.capability import Waiting, Worked
from tribal_contracts.contribution.cycles import ContributionTask

if TYPE_CHECKING:
    from tribal.ports import Application
    from tribal_contracts import Contract

BUSY_SECONDS = 60
"""How long a cycle waits while another one is worked on. By judgement."""


class ContributionKind:
    """Cycles that are prepared or published; one at a time, under the lease `contribution`."""

    name = "contribution"

    def waiting(self, app: Application, ended: set[Contract]) -> Iterator[Waiting]:
        """The cycles that wait to be continued, oldest first."""
        if app.part(ContributionParts) is None:
            return
        with suppress(StoreError, HandoffInvalid):
            lease, _ = read_lease(app.store(), app.clock, LEASE)
            if lease is not None and is_running(lease, app.clock):
                return
            for record in ContributionFiles(app.store()).records():
                task = ContributionTask(cycle=record.cycle)
                if record.state not in ("preparing", "publishing"):
                    ended.discard(task)
                elif task not in ended:
                    yield Waiting(task, has_died=record.attempts > 0)

    def work(
        self,
        app: Application,
        task: ContributionTask,
        stop: StopToken,
        error: BaseException | None = None,
    ) -> Worked:
        """Continue a cycle until it waits or has ended; an error is left to the next command."""
        # Loads the recipes, which a server without approved contributions does not need.
        from tribal.capabilities.contribution.cycles.running import CycleRunner

        if error is not None:
            raise error
        lease = RunLease.of(app, LEASE, f"contribution-{task.cycle}", stop)
        try:
            lease.acquire()
        except RunLocked:
            return Worked("running", BUSY_SECONDS)
        parts = contribution_parts(app)
        try:
            record = CycleRunner(app, parts, stop).run(task.cycle)
        except JobEnded as ended:
            record = ended.record
        finally:
            lease.release()
        return Worked(record.state, None if record.state not in parts.states else BUSY_SECONDS)

    def leases(self, app: Application) -> list[str]:  # noqa: ARG002 - the lease is the same for all
        """The lease of all contributions."""
        return [LEASE]

    def launched_by(self, app: Application, wake: Callable[[], None]) -> Application | None:
        """The application that calls `wake` for an approved contribution; `None` without repositories."""
        parts = app.part(ContributionParts)
        return None if parts is None else app.with_part(replace(parts, launch=lambda _: wake()))


CONTRIBUTIONS = ContributionKind()

"""The work of the schedules in AWS: finish what was interrupted, follow what is published, prepare what is next."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

from tribal.capabilities.contribution.contributions import Contributions
from tribal.capabilities.contribution.cycles.job_kind import CONTRIBUTIONS
from tribal.capabilities.contribution.errors import CycleLocked
from tribal.errors import TribalError
from tribal_contracts.contribution.cycles import ContributionTask, CycleRecord
from tribal_contracts.contribution.tools import PrepareContributionInput

_LOG = logging.getLogger(__name__)


@dataclass
class ScheduledWork:
    """What became of the contributions that a schedule worked on."""

    records: list[CycleRecord] = field(default_factory=list)
    locked: int = 0
    """How many another process worked on."""
    failed: int = 0
    """How many ended in an error."""

    def do(self, work: Callable[[int], CycleRecord | None], cycle: int) -> None:
        """Work on one; an error leaves it to the next time."""
        try:
            record = work(cycle)
        except CycleLocked:
            self.locked += 1
        except TribalError as error:
            _LOG.warning("contribution %s: %s", cycle, error.message)
            self.failed += 1
        else:
            if record is not None:
                self.records.append(record)
                self.failed += record.error is not None


def follow_and_prepare(service: Contributions, *, prepares: bool) -> ScheduledWork:
    """Finish preparing what was interrupted, follow what is published, and prepare the next contribution if asked to.

    The next one is prepared only when a person has nothing to decide: no contribution waits, and the newest one was
    neither blocked nor failed.
    """
    done = ScheduledWork()
    for record in service.records():
        if record.state == "preparing":
            done.do(partial(_resume, service), record.cycle)
        elif record.state == "following":
            done.do(lambda cycle: service.follow(cycle)[0], record.cycle)
    if prepares and _is_nothing_to_decide(service.records()):
        try:
            prepared = service.prepare(PrepareContributionInput())
        except TribalError as error:
            # A limit, for example: what is published was followed all the same.
            _LOG.warning("nothing was prepared: %s", error.message)
        else:
            done.records += [] if prepared is None else [prepared]
    return done


def publish_approved(service: Contributions) -> ScheduledWork:
    """Finish publishing what was approved, where that failed or was interrupted, as long as the approval is valid."""
    done = ScheduledWork()
    for record in service.records():
        if record.state == "publishing":
            done.do(partial(_resume, service), record.cycle)
        elif record.approvals and record.state in ("waiting", "following"):
            done.do(service.publish_approved, record.cycle)
    return done


def _resume(service: Contributions, cycle: int) -> CycleRecord:
    """Continue a cycle, here as long as there is time, then in the background."""
    worked = CONTRIBUTIONS.work(service.app, ContributionTask(cycle=cycle), service.stop)
    record = service.record(cycle)
    if worked.again_in_seconds is not None and service.parts.launch is not None:
        service.parts.launch(record)
    return record


def _is_nothing_to_decide(records: list[CycleRecord]) -> bool:
    if not records:
        return True
    is_busy = any(each.state in ("preparing", "waiting", "publishing") for each in records)
    return not is_busy and records[-1].outcome not in ("blocked", "failed")

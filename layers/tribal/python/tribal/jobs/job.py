"""The loop of a job that can be killed: claim, take steps, save after each, hand back.

A job is a record in a file of its own, which every change replaces by conditional put. Whichever process claims it
continues from its record, so it ends with the same bytes however often it was killed.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Generic, TypeVar

from tribal.errors import PreconditionFailed, RunError, TribalError
from tribal.jobs.holding import HolderInside
from tribal.ports import StopToken
from tribal.store import Stored
from tribal_contracts import Contract

Record = TypeVar("Record", bound=Contract)
Step = Callable[[Record], Record]

MOST_DEATHS = 5
"""After how many processes in a row that die without progress a job fails. By judgement."""
_ATTEMPTS = 10
"""How often a change is tried again when other processes change the same record."""


@dataclass(eq=False)
class JobHeld(Exception):
    """Another process works on the job."""

    record: Any


@dataclass(eq=False)
class JobEnded(Exception):
    """The job had ended before."""

    record: Any


class TooManyDeaths(Exception):
    """One process after another died while it worked on the job, without progress."""


@dataclass(eq=False)
class NotNow(Exception):
    """Raised by a step to have the job resumed later."""

    seconds: int = 0
    """How long to wait at least."""
    changed: Contract | None = None
    """The record as the step leaves it, if it changed."""
    error: TribalError | None = None
    """Raised to the caller of `Job.run` once the record is saved."""


def _no_report(_: Contract) -> None:
    return None


@dataclass(kw_only=True)
class Job(Generic[Record]):
    """A job for this process to work on, under a lease file next to its record or with a holder inside it.

    A field that a step changed is written over what other processes wrote meanwhile; theirs stay in all other fields.
    """

    read: Callable[[], Stored[Record]]
    """Reads the record."""
    replace: Callable[[Stored[Record], Record], Stored[Record]]
    """Writes its next state by conditional put; writes nothing if it is the same."""
    has_ended: Callable[[Record], bool]
    lease: AbstractContextManager[object] = field(default_factory=nullcontext)
    """A `RunLease`, which may serve several jobs that take turns. Losing it requests the stop that it was given."""
    holder: HolderInside[Record] | None = None
    stop: StopToken = field(default_factory=StopToken)
    """A requested stop, and its deadline, hand the job back before the next step."""
    step_seconds: float = 0.0
    """No step begins with less time than this before the deadline."""
    failed: Callable[[Record, BaseException], Record] | None = None
    """Notes in a record the error that ends it, which may take further steps. Its field `attempts` then counts the
    processes in a row that died, `MOST_DEATHS` of which are such an error. `None` if errors only interrupt the job."""
    report: Callable[[Record], None] = _no_report
    """Called with the record after each step."""
    again_in_seconds: int | None = None
    """After `run`: how long the job has to wait at least; `None` once it has ended."""
    _stored: Stored[Record] = field(init=False, repr=False)

    @property
    def record(self) -> Record:
        """The record as it was read or written last."""
        return self._stored.record

    def run(self, step: Step[Record], error: BaseException | None = None) -> Record:
        """Take steps until the job has ended, or the rest has to wait; returns its record.

        Args:
            step: changes the record; raises `NotNow` when it cannot.
            error: to end the job with, as failed.

        Raises:
            RunLocked: when another process has the lease file.
            JobHeld: when another process is the holder, or has taken it over.
            JobEnded: when it had ended before.
            Exception: whatever a step raises that may pass; the job can be resumed. Other errors end it as failed.
        """
        with self.lease:
            self._claim(error)
            try:
                self._take_steps(step)
            except JobHeld:
                raise
            except BaseException as caught:
                # A process that dies without saying why counts.
                is_explained = isinstance(caught, (Exception, KeyboardInterrupt))
                with suppress(TribalError, JobHeld):
                    self._hand_back(is_explained=is_explained)
                raise
        return self.record

    def note_progress(self) -> None:
        """Note that a long step got on, so that processes that died before no longer count."""
        if _attempts_of(self.record) > 1:
            self._save(lambda latest: self._written(_with(latest, attempts=1)))

    def _claim(self, error: BaseException | None) -> None:
        for _ in range(_ATTEMPTS):
            stored = self.read()
            if self.has_ended(stored.record):
                raise JobEnded(stored.record)
            if self.holder is not None and not self.holder.is_free(stored.record):
                raise JobHeld(stored.record)
            with suppress(PreconditionFailed):
                self._stored = self.replace(stored, self._written(self._begun(stored.record, error)))
                return
        raise JobHeld(stored.record)

    def _begun(self, record: Record, error: BaseException | None) -> Record:
        if self.failed is None:
            return record
        attempts = _attempts_of(record)
        if error is None and attempts >= MOST_DEATHS:
            error = TooManyDeaths()
        return _with(record, attempts=attempts + 1) if error is None else self.failed(record, error)

    def _take_steps(self, step: Step[Record]) -> None:
        while self._refresh():
            try:
                if not self.stop.has_time_for(self.step_seconds):
                    raise NotNow
                changed = step(self.record)
            except NotNow as pause:
                self._pause(pause)
                return
            except (Exception, SystemExit) as error:  # noqa: BLE001 - one that does not pass is noted in the record
                changed = self._failed(error)
            self._save_step(changed)

    def _refresh(self) -> bool:
        """Read the record, which shows what other processes wrote; returns whether there is another step to take."""
        self._stored = self.read()
        if self.has_ended(self.record):
            return False
        self._require_own()
        if self.holder is not None and self.holder.is_due(self.record):
            self._save(self._written)
        return not self.has_ended(self.record)

    def _pause(self, pause: NotNow) -> None:
        self.again_in_seconds = pause.seconds
        if pause.changed is not None:
            self._save_step(pause.changed)
        if pause.error is not None:
            raise pause.error
        self._hand_back()
        if self.has_ended(self.record):
            self.again_in_seconds = None

    def _failed(self, error: BaseException) -> Record:
        """The record with the error that ends it; raises an error that may pass, or that occurs while it ends."""
        may_pass = isinstance(error, RunError) or (isinstance(error, TribalError) and error.retryable)
        changed = self.record if self.failed is None or may_pass else self.failed(self.record, error)
        if changed == self.record:
            raise error
        return changed

    def _save_step(self, changed: Contract) -> None:
        before = self.record
        changes = {
            name: value
            for name in type(before).model_fields
            if (value := getattr(changed, name)) != getattr(before, name)
        }
        if changes and self.failed is not None:
            changes["attempts"] = 1

        self._save(lambda latest: self._written(_with(latest, **changes)))
        self.report(self.record)

    def _written(self, record: Record) -> Record:
        """The record as it is written: held by this process until it has ended."""
        if self.has_ended(record):
            return self._released(record)
        return record if self.holder is None else self.holder.hold(record)

    def _released(self, record: Record, *, is_explained: bool = True) -> Record:
        released = record if self.holder is None else self.holder.without_holder(record)
        return _with(released, attempts=0) if is_explained and self.failed is not None else released

    def _hand_back(self, *, is_explained: bool = True) -> None:
        """Let another process resume the job at once."""
        if not self.has_ended(self.record):
            self._save(partial(self._released, is_explained=is_explained))

    def _save(self, change: Callable[[Record], Record]) -> None:
        """Save a change; an end that another process wrote stays.

        Raises:
            JobHeld: when another process has taken the job over.
        """
        for _ in range(_ATTEMPTS):
            try:
                self._stored = self.replace(self._stored, change(self.record))
            except PreconditionFailed:
                self._stored = self.read()
                if self.has_ended(self.record):
                    return
                self._require_own()
            else:
                return
        raise JobHeld(self.record)

    def _require_own(self) -> None:
        if self.holder is not None and not self.holder.is_own(self.record):
            raise JobHeld(self.record)


def _attempts_of(record: Contract) -> int:
    return getattr(record, "attempts", 0)


def _with(record: Record, **changes: Any) -> Record:
    return record.model_copy(update=changes)

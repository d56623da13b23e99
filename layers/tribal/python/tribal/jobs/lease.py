"""The right to write, held by one run at a time: by one process, or by the short-lived processes of a run."""

from __future__ import annotations

import os
import socket
import threading
from contextlib import suppress
from datetime import datetime, timedelta
from types import TracebackType
from typing import Self

from tribal.errors import LeaseLost, PreconditionFailed, StoreError
from tribal.jobs.lease_file import (
    LONGEST_TERM_SECONDS,
    LeaseFile,
    is_running,
    locked_error,
    lost_error,
    same_holding,
)
from tribal.ports import Application, ProcessLock, StopToken
from tribal_contracts import LeaseRecord

TERM_SECONDS = 60.0
_RENEWALS_A_TERM = 3


def process_name(process_id: int) -> str:
    """A process of this machine in the format of `LeaseRecord.holder`: `host/4711`."""
    return f"{socket.gethostname()}/{process_id}"


def this_process() -> str:
    """This process in the format of `LeaseRecord.holder`."""
    return process_name(os.getpid())


class RunLease:
    """A named lease on a store, kept in a file and changed only by conditional put.

    A daemon thread renews it after each third of its term. The lease of a dead process is taken over once it has
    expired, or immediately with an operating-system `lock`, which shows that a holder on this host is dead. As a
    context manager, it acquires and releases.

    Args:
        file: the lease's file.
        run_id: the run that holds it. lock: reveals a dead holder on this machine immediately. holder: name of the
        holder; host and id of this process by default. term_seconds: how long it lasts without renewal. stop: receives
        a stop request when the lease is lost.
    """

    def __init__(
        self,
        file: LeaseFile,
        run_id: str,
        *,
        lock: ProcessLock | None = None,
        holder: str | None = None,
        term_seconds: float = TERM_SECONDS,
        stop: StopToken | None = None,
    ) -> None:
        self._file = file
        self._stop = stop or StopToken()
        self._run_id = run_id
        self._process_lock = lock
        self._holder = holder or this_process()
        self._term = timedelta(seconds=term_seconds)
        self._state = threading.Lock()
        self._record: LeaseRecord | None = None
        self._etag = ""
        self._lost = False
        self._ended = threading.Event()
        self._renewer: threading.Thread | None = None

    @classmethod
    def of(cls, app: Application, name: str, run_id: str, stop: StopToken) -> Self:
        """A lease on the store of an application, with the lock of the same name."""
        return cls(LeaseFile(app.store(), app.clock, name), run_id, lock=app.locks(name), stop=stop)

    @property
    def run_id(self) -> str:
        """The run that this lease is for."""
        return self._run_id

    @property
    def fencing_token(self) -> int:
        """Incremented with every acquisition; 0 while the lease is not held."""
        return self._record.fencing_token if self._record else 0

    def acquire(self) -> None:
        """Acquire the lease and keep renewing it until `release`.

        Raises:
            RunLocked: when another run holds it; the message names the holder. Retryable.
            StoreError: when the lease's file cannot be read or written.
        """
        if self._process_lock is not None and not self._process_lock.try_acquire():
            raise locked_error(self._file.store, self._file.read()[0])
        try:
            self._take()
        except BaseException:
            if self._process_lock is not None:
                self._process_lock.release()
            raise
        self._ended.clear()
        self._renewer = threading.Thread(target=self._keep_renewing, name="lease-renewal", daemon=True)
        self._renewer.start()

    def check(self) -> None:
        """Re-read the lease, and renew it if it has expired; called before anything is published.

        Raises:
            LeaseLost: when this run no longer holds it.
        """
        with self._state:
            ours = self._require_held()
            present, _ = self._file.read()
            if present is None or not same_holding(present, ours):
                self._lost = True
                raise lost_error(self._run_id, present)
            if datetime.fromisoformat(present.expires_at) <= self._file.clock.real():
                self._renew(ours)

    def renew(self) -> None:
        """Restart the term.

        Raises:
            LeaseLost: when this run no longer holds the lease.
            StoreUnwritable: when the write fails; the lease remains valid until its term ends.
        """
        with self._state:
            self._renew(self._require_held())

    def release(self) -> None:
        """Release the lease; does nothing when it is not held, and leaves a lost lease with its new holder."""
        self._ended.set()
        if self._renewer is not None and self._renewer is not threading.current_thread():
            self._renewer.join()
        with self._state:
            if self._record is not None and not self._lost:
                # An unreleased lease expires by itself; an error here would hide how the run ended.
                with suppress(StoreError):
                    self._file.put(self._file.released(self._record), self._etag)
            self._record = None
        if self._process_lock is not None:
            self._process_lock.release()

    def __enter__(self) -> Self:
        self.acquire()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def _take(self) -> None:
        self._record, self._etag = self._file.take(
            self._run_id, self._holder, self._term, is_held=self._is_held, alone=self._process_lock is not None
        )
        self._lost = False

    def _is_held(self, present: LeaseRecord) -> bool:
        dead = self._process_lock is not None and _host(present.holder) == _host(self._holder)
        return not dead

    def _require_held(self) -> LeaseRecord:
        if self._record is None or self._lost:
            raise lost_error(self._run_id, None)
        return self._record

    def _renew(self, ours: LeaseRecord) -> None:
        renewed = self._file.renewed(ours, self._term)
        try:
            self._etag = self._file.put(renewed, self._etag)
        except PreconditionFailed as exc:
            present, etag = self._file.read()
            if present is None or etag is None or not same_holding(present, ours):
                self._lost = True
                raise lost_error(self._run_id, present) from exc
            # Our own put was reported as failed but took effect.
            self._etag = self._file.put(renewed, etag)
        self._record = renewed

    def _keep_renewing(self) -> None:
        pause_seconds = self._term.total_seconds() / _RENEWALS_A_TERM
        while not self._ended.wait(pause_seconds):
            try:
                self.renew()
            except LeaseLost as lost:
                self._stop.request(lost)
                return
            except StoreError:
                # The store may recover before the term ends; after that, `check` decides.
                continue


def _host(holder: str) -> str:
    return holder.rpartition("/")[0]


_SHARED_TERM_SECONDS = LONGEST_TERM_SECONDS
"""Longer than any process runs (15 minutes), so the lease only expires if the run is dead."""


class SharedLease:
    """The lease of a run whose stages are separate processes, identified only by the run's id.

    Nothing renews it in the background: each process checks it when it starts and before it publishes, and renews it if
    a third of the term has passed.
    """

    def __init__(
        self,
        file: LeaseFile,
        run_id: str,
        *,
        holder: str,
        term_seconds: float = _SHARED_TERM_SECONDS,
    ) -> None:
        self._file = file
        self._run_id = run_id
        self._holder = holder
        self._term = timedelta(seconds=term_seconds)

    @property
    def run_id(self) -> str:
        """The run that this lease is for."""
        return self._run_id

    def open(self) -> None:
        """Acquire the lease for the run; idempotent for the same run.

        Raises:
            RunLocked: when another run holds it.
        """
        present, _ = self._file.read()
        if present is not None and present.run_id == self._run_id and is_running(present, self._file.clock):
            return
        self._file.take(self._run_id, self._holder, self._term, is_held=lambda _: True)

    def check(self) -> None:
        """Make sure that the run still holds the lease, and renew it if a third of its term has passed.

        Raises:
            LeaseLost: when another run holds it or it was released.
        """
        present, etag = self._file.read()
        if present is None or present.run_id != self._run_id or present.released:
            raise lost_error(self._run_id, present)
        now = self._file.clock.real()
        if now - datetime.fromisoformat(present.renewed_at) < self._term / _RENEWALS_A_TERM:
            return
        self._renew(present, etag)

    def close(self) -> None:
        """Release the lease; does nothing when the run does not hold it."""
        present, etag = self._file.read()
        while present is not None and present.run_id == self._run_id and not present.released:
            try:
                self._file.put(self._file.released(present), etag)
            except PreconditionFailed:
                present, etag = self._file.read()
            else:
                return

    def _renew(self, present: LeaseRecord, etag: str | None) -> None:
        try:
            self._file.put(self._file.renewed(present, self._term), etag)
        except PreconditionFailed:
            # Another process was faster; read again to see whether it belongs to this run.
            again, _ = self._file.read()
            if again is None or again.run_id != self._run_id or again.released:
                raise lost_error(self._run_id, again) from None

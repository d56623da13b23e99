"""A lease shared by the short-lived processes of one run."""

from __future__ import annotations

from datetime import datetime, timedelta

from tribal.errors import PreconditionFailed
from tribal.runs.leases.lease_file import LONGEST_TERM_SECONDS, LeaseFile, is_running, lost_error
from tribal_contracts import LeaseRecord

SHARED_TERM_SECONDS = LONGEST_TERM_SECONDS
"""Longer than any process runs (15 minutes), so the lease only expires if the run is dead."""
_RENEWALS_A_TERM = 3


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
        term_seconds: float = SHARED_TERM_SECONDS,
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

"""Starts the process that works on jobs, one at a time for all processes of a server."""

from __future__ import annotations

import json
import pickle
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

from tribal.app.job_processes.worker import job_kinds
from tribal.jobs.clock import SystemClock
from tribal.jobs.working import AnyKind, release_leases, waiting_jobs
from tribal.ports import RunParameters
from tribal.ports.application import WorkerLaunch

if TYPE_CHECKING:
    from tribal.ports import Application
    from tribal.settings import Settings
    from tribal_contracts import Contract

LOOK_SECONDS = 60.0
"""How often the store is searched for jobs of dead processes: a lease of theirs lasts that long."""
LONGEST_PAUSE_SECONDS = 3_600.0
"""The longest pause while no job makes progress, for example because a server that embeds is down. By judgement."""
LEAVE_SECONDS = 10.0
"""How long a stopping server waits for the process to release its lease. By judgement."""
_LOCK = "uploads"
"""Named for the first kind of job, which it still keeps apart from processes of earlier versions."""
_LOCK_SECONDS = 1.0


class JobWorkers:
    """Has jobs worked on in a process of their own while a server runs; thread-safe.

    Args:
        app: the application of the server.
        kinds: of jobs.
        launch: how to start the process.
        look_seconds: how often the store is searched for jobs of dead processes.
    """

    def __init__(
        self, app: Application, kinds: Sequence[AnyKind], launch: WorkerLaunch, look_seconds: float = LOOK_SECONDS
    ) -> None:
        self._app = app
        self._kinds = kinds
        self._launch = launch
        self._look_seconds = look_seconds
        self._ended: set[Contract] = set()
        self._woken = threading.Event()
        self._stopping = threading.Event()
        self._mutex = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Work on jobs that were left, and from now on on new ones."""
        self._thread = threading.Thread(target=self._run, name="jobs", daemon=True)
        self._thread.start()

    def wake(self) -> None:
        """Have new jobs worked on soon."""
        self._woken.set()

    def close(self) -> None:
        """Stop; a job that is not finished is resumed later."""
        self._stopping.set()
        self._woken.set()
        with self._mutex:
            process = self._process
        if process is not None:
            _dismiss(process)
        if self._thread is not None:
            self._thread.join(LEAVE_SECONDS)

    def _run(self) -> None:
        pause, deaths = self._look_seconds, 0
        while not self._stopping.is_set():
            self._woken.clear()
            before: set[Contract] = set()
            died = died_at_work = False
            try:
                before = self._waiting()
                if before:
                    with self._alone() as is_alone:
                        if is_alone:
                            died, died_at_work = self._work()
                    self._waiting()
            except Exception as error:  # noqa: BLE001 - jobs resume with the next look, whatever this one met
                _log_failure(error)
            if died_at_work:
                continue
            deaths = deaths + 1 if died else 0
            if died:
                # It may have been killed while it started; one that cannot start is tried less and less often.
                self._woken.wait(min(2.0 ** min(deaths, 10), self._look_seconds))
                continue
            if before:
                has_progress = bool(before & self._ended)
                pause = self._look_seconds if has_progress else min(2 * pause, LONGEST_PAUSE_SECONDS)
            self._woken.wait(pause)

    def _waiting(self) -> set[Contract]:
        """The jobs that wait; also notes which ones have ended."""
        return {task for _, task in waiting_jobs(self._app, self._kinds, self._ended)}

    @contextmanager
    def _alone(self) -> Iterator[bool]:
        """Hold the lock of the server's processes; yields whether it was taken before the server stops."""
        lock = self._app.locks(_LOCK)
        if lock is None:
            yield not self._stopping.is_set()
            return
        is_taken = False
        try:
            while not self._stopping.is_set() and not is_taken:
                is_taken = lock.try_acquire()
                if not is_taken:
                    self._stopping.wait(_LOCK_SECONDS)
            yield is_taken
        finally:
            if is_taken:
                lock.release()

    def _work(self) -> tuple[bool, bool]:
        """Have a process work on what waits; returns whether it died, and whether it worked on a job then."""
        with self._mutex:
            if self._stopping.is_set():
                return False, False
            process = self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, as the composition root says
                self._launch.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                # Ctrl-C must reach only the server, which stops it.
                start_new_session=True,
            )
        assert process.stdin is not None
        # A server that stops closes it.
        with suppress(OSError, ValueError):
            pickle.dump(self._launch.blueprint, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
        process.wait()
        with self._mutex, suppress(OSError):
            self._process = None
            process.stdin.close()
        return process.returncode != 0, release_leases(self._app, self._kinds, process.pid)


def _dismiss(process: subprocess.Popen[bytes]) -> None:
    """Ask a process to end by closing its input; kill it if it does not."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        process.wait(LEAVE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _log_failure(error: Exception) -> None:
    line = {"time": SystemClock().published(), "level": "error", "event": "jobs", "error": type(error).__name__}
    sys.stderr.write(f"{json.dumps(line)}\n")
    sys.stderr.flush()


def with_job_workers(app: Application, settings: Settings) -> tuple[Application, JobWorkers | None]:
    """The application of a server whose jobs are worked on in a process of their own, and what starts the process.

    There is nothing to start if no capability can have jobs.
    """
    from tribal.app.local import Blueprint

    kinds = job_kinds()
    command = (sys.executable, "-P", "-m", "tribal.app.job_processes.worker")
    workers = JobWorkers(app, kinds, WorkerLaunch(command, blueprint=Blueprint(settings, RunParameters())))
    has_jobs = False
    for kind in kinds:
        launching = kind.launched_by(app, workers.wake)
        if launching is not None:
            app, has_jobs = launching, True
    return app, workers if has_jobs else None

"""Starts one sandbox, watches it, and returns when all of its processes have ended."""

from __future__ import annotations

import json
import os
import platform
import selectors
import shutil
import subprocess
import tarfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from tribal.adapters.bubblewrap.command_line import FILES, arguments, made_up_files
from tribal.adapters.bubblewrap.output import OutputTail
from tribal.adapters.bubblewrap.process_group import ProcessGroup
from tribal.adapters.bubblewrap.system_calls import system_call_filter
from tribal.errors import SandboxMissing
from tribal.ports.sandbox import KILLED, PackageIndex, SandboxLimit, SandboxLimits, SandboxResult

_UNPRIVILEGED = 65534
"""The user and group that root's sandboxes run as: limits on processes do not hold for root."""
_POLL_SECONDS = 0.05
_CHUNK_BYTES = 1 << 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """One command to run in a sandbox.

    Args:
        unpacked: an archive with the contents of /environment, copied into the sandbox.
        kept: gets such an archive if the command exits with 0.
        index: of an installation, which has the network.
    """

    files: Path
    command: str
    unpacked: Path | None = None
    kept: IO[bytes] | None = None
    index: PackageIndex | None = None


def run_call(program: str, call: Call, limits: SandboxLimits) -> SandboxResult:
    """Run a command in a sandbox of its own.

    Args:
        program: the path of bubblewrap.

    Raises:
        OSError: when the files or the archive cannot be read or written.
        SandboxMissing: when no sandbox can be started; the message is bubblewrap's.
    """
    deadline = time.monotonic() + limits.seconds
    with ThreadPoolExecutor(1) as pool, _started(program, call, limits) as run:
        sending = pool.submit(run.send, call)
        ended_by = run.watch(limits, deadline)
        run.group.kill()
        code = KILLED if ended_by else run.process.wait()
        # Another program may have killed bubblewrap itself.
        code = code if code >= 0 else 128 - code
        sending.result()
        if code and ended_by is None and run.group.is_disk_full(limits):
            ended_by = "disk"
    return SandboxResult(code, run.output.text(), ended_by)


@dataclass
class _Run:
    """A sandbox that has started and waits for its files."""

    process: subprocess.Popen[bytes]
    group: ProcessGroup
    answer: IO[bytes]
    errors: IO[bytes]
    output: OutputTail
    kept: IO[bytes] | None
    kept_bytes: int = field(default=0, init=False)

    def send(self, call: Call) -> None:
        """Write the files, and what was installed, to the sandbox. One that has ended needs no more."""
        assert self.process.stdin is not None
        with suppress(BrokenPipeError), self.process.stdin as pipe:
            with tarfile.open(fileobj=pipe, mode="w|", format=tarfile.GNU_FORMAT) as archive:
                archive.add(call.files, arcname=FILES, filter=_plain)
            if call.unpacked is not None:
                with call.unpacked.open("rb") as unpacked:
                    shutil.copyfileobj(unpacked, pipe)

    def watch(self, limits: SandboxLimits, deadline: float) -> SandboxLimit | None:
        """Read all that the sandbox writes, until its command ends or its processes reach the returned limit."""
        with selectors.DefaultSelector() as selector, _exit_of(self.process) as exited:
            selector.register(self.errors, selectors.EVENT_READ, self.output.add)
            selector.register(self.answer, selectors.EVENT_READ, self._keep)
            selector.register(exited, selectors.EVENT_READ)
            next_poll = 0.0
            while selector.get_map():
                for key, _ in selector.select(_POLL_SECONDS):
                    self._read(selector, key)
                now = time.monotonic()
                if now >= deadline:
                    return "time"
                if now >= next_poll:
                    next_poll = now + _POLL_SECONDS
                    if (limit := self.group.reached_limit(limits)) is not None:
                        return limit
                if self.kept_bytes > 2 * limits.disk_bytes:
                    return "disk"
        return None

    def _read(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        use: Callable[[bytes], None] | None = key.data
        if use is not None and (data := os.read(key.fd, _CHUNK_BYTES)):
            use(data)
            return
        selector.unregister(key.fd)
        if use is None:
            # Processes that the command left behind would keep the pipes open.
            self.group.kill()

    def _keep(self, data: bytes) -> None:
        if self.kept is not None:
            self.kept.write(data)
        self.kept_bytes += len(data)


@contextmanager
def _started(program: str, call: Call, limits: SandboxLimits) -> Iterator[_Run]:
    """Start a sandbox; at the end of the block, all of its processes have ended."""
    with ExitStack() as opened:
        files = {path: _open_data(opened, data) for path, data in made_up_files(call.index).items()}
        allowed = _open_data(opened, system_call_filter(platform.machine(), unix_sockets=call.index is None))
        (info, info_end), (answer, answer_end), (errors, errors_end) = (_open_pipe(opened) for _ in range(3))
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            user = {"user": _UNPRIVILEGED, "group": _UNPRIVILEGED, "extra_groups": ()}
            # So that the command can open /dev/stdout and /dev/stderr.
            os.fchown(errors_end.fileno(), _UNPRIVILEGED, _UNPRIVILEGED)
        process = subprocess.Popen(  # noqa: S603 - it runs bubblewrap, which runs the command
            [
                program,
                "--info-fd",
                str(info_end.fileno()),
                *arguments(call.command, limits, call.index, files, allowed),
            ],
            # The sandbox can read the environment of bubblewrap's own process in it.
            env={},
            cwd="/",
            stdin=subprocess.PIPE,
            stdout=answer_end,
            stderr=errors_end,
            pass_fds=(info_end.fileno(), allowed, *files.values()),
            start_new_session=True,
            **user,
        )
        opened.callback(_end, process)
        for end in (info_end, answer_end, errors_end):
            end.close()
        first = _first_process(info)
        if first is None or not answer.read(1):
            raise SandboxMissing(errors.read().decode(errors="replace").strip())
        group = opened.enter_context(ProcessGroup(first))
        yield _Run(process, group, answer, errors, OutputTail(limits.output_bytes), call.kept)


def _first_process(info: IO[bytes]) -> int | None:
    """Read the id of the sandbox's first process; `None` if it has none."""
    written = b""
    while not written.rstrip().endswith(b"}") and (data := info.read(_CHUNK_BYTES)):
        written += data
    return int(json.loads(written)["child-pid"]) if b"}" in written else None


def _open_pipe(opened: ExitStack) -> tuple[IO[bytes], IO[bytes]]:
    """Open a pipe: the end to read and the end to write."""
    reading, writing = os.pipe()
    end = opened.enter_context(os.fdopen(reading, "rb", buffering=0))
    return end, opened.enter_context(os.fdopen(writing, "wb", buffering=0))


def _open_data(opened: ExitStack, data: bytes) -> int:
    """Return an open file with this content, which bubblewrap reads once."""
    file = opened.enter_context(os.fdopen(os.memfd_create("sandbox"), "wb", buffering=0))
    file.write(data)
    file.seek(0)
    return file.fileno()


@contextmanager
def _exit_of(process: subprocess.Popen[bytes]) -> Iterator[int]:
    """A file descriptor that can be read once the process has ended."""
    descriptor = os.pidfd_open(process.pid)
    try:
        yield descriptor
    finally:
        os.close(descriptor)


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.wait()
    assert process.stdin is not None
    with suppress(BrokenPipeError):
        process.stdin.close()


def _plain(entry: tarfile.TarInfo) -> tarfile.TarInfo | None:
    """Copy files, folders and links; leave out devices, pipes and sockets."""
    return entry if entry.isreg() or entry.isdir() or entry.issym() or entry.islnk() else None

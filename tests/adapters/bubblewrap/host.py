"""A user of this machine who runs sandboxes, and programs that look for what a sandbox left behind."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from multiprocessing import Pipe
from multiprocessing.connection import Connection
from pathlib import Path
from typing import TypeVar

from tests.forked import exit_code, forked
from tests.waiting import LONGEST_SECONDS
from tribal.adapters.bubblewrap.sandbox import open_sandbox
from tribal.ports.sandbox import PackageIndex, SandboxLimits, SandboxResult

OTHER_USER = 12345
"""A user without an entry in passwd."""
USERS = (0, OTHER_USER) if os.geteuid() == 0 else (os.geteuid(),)
"""Users that tests can run as: root may become another one."""
SMALL = SandboxLimits(seconds=LONGEST_SECONDS, memory_bytes=150 << 20, processes=40, disk_bytes=30 << 20)

Result = TypeVar("Result")


def as_user(user: int, function: Callable[..., Result], *arguments: object) -> Result:
    """Call a function of a module in a process of that user, and return what it returns."""
    receiver, sender = Pipe(duplex=False)
    process = forked(_call, user, sender, function, arguments)
    process.start()
    sender.close()
    try:
        result: Result | Exception = receiver.recv()
    finally:
        exit_code(process)
    if isinstance(result, Exception):
        raise result
    return result


def become(user: int) -> None:
    """Make this process one of that user, for good."""
    if user != os.geteuid():
        os.setgroups([])
        os.setresgid(user, user, user)
        os.setresuid(user, user, user)


def _call(user: int, sender: Connection, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
    try:
        become(user)
        sender.send(function(*arguments))
    except Exception as error:  # noqa: BLE001 - raised again by the test
        sender.send(error)


def run(command: str, limits: SandboxLimits = SMALL) -> SandboxResult:
    """Run a command in a sandbox with one file of 100,000 bytes."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "file.txt").write_text("x" * 100_000)
        return open_sandbox(limits).run(Path(folder), command)


def install(command: str, then: str = "true", index: PackageIndex | None = None) -> tuple[SandboxResult, SandboxResult]:
    """Install with a command, and run another one with what was installed."""
    sandbox = open_sandbox(SMALL)
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as environment:
        installed = sandbox.install(Path(folder), command, Path(environment), index or PackageIndex())
        return installed, sandbox.run(Path(folder), then, Path(environment))


def processes_with(word: str) -> list[int]:
    """Processes of this machine with a word in their command line."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if word.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found

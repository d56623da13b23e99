"""The sandbox, and whether this machine can start one."""

from __future__ import annotations

import platform
import shutil
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from tribal.adapters.bubblewrap.running import Call, run_call
from tribal.adapters.bubblewrap.system_calls import MACHINES
from tribal.errors import SandboxMissing
from tribal.ports.sandbox import PackageIndex, SandboxLimits, SandboxResult

_ARCHIVE = "environment.tar"
"""The installed packages. It is never unpacked outside a sandbox: its contents come from the repository's command."""
_DEFAULT_LIMITS = SandboxLimits()
_LOCKS = {
    "kernel/apparmor_restrict_unprivileged_userns": "1",
    "kernel/unprivileged_userns_clone": "0",
    "user/max_user_namespaces": "0",
}
"""Settings below /proc/sys that forbid user namespaces with this value."""


class BubblewrapSandbox:
    """Runs each command in namespaces of its own.

    Args:
        program: the path of bubblewrap.
        limits: of each call.
    """

    def __init__(self, program: str, limits: SandboxLimits) -> None:
        self._program = program
        self._limits = limits

    def install(self, files: Path, command: str, environment: Path, index: PackageIndex) -> SandboxResult:
        """Run a command with access to the network, and keep what it writes to `/environment`; see `Sandbox`."""
        written = environment / f"{_ARCHIVE}.partial"
        try:
            with written.open("wb") as kept:
                result = run_call(
                    self._program, Call(files=files, command=command, kept=kept, index=index), self._limits
                )
            if result.exit_code == 0 and result.ended_by is None:
                written.replace(environment / _ARCHIVE)
        finally:
            written.unlink(missing_ok=True)
        return result

    def run(self, files: Path, command: str, environment: Path | None = None) -> SandboxResult:
        """Run a command without network; see `Sandbox`."""
        archive = environment / _ARCHIVE if environment is not None else None
        unpacked = archive if archive is not None and archive.exists() else None
        return run_call(self._program, Call(files=files, command=command, unpacked=unpacked), self._limits)


def open_sandbox(limits: SandboxLimits = _DEFAULT_LIMITS) -> BubblewrapSandbox:
    """Return a sandbox, after starting one that does nothing.

    Raises:
        SandboxMissing: when this machine cannot start one; the message says why, and what to do.
    """
    if sys.platform != "linux" or platform.machine() not in MACHINES:
        raise SandboxMissing(f"checks need a sandbox, which needs Linux on {' or '.join(MACHINES)}")
    program = shutil.which("bwrap")
    if program is None:
        raise SandboxMissing("checks need a sandbox, and bubblewrap is not installed; install the package `bubblewrap`")
    try:
        with tempfile.TemporaryDirectory(prefix="tribal-sandbox-") as empty:
            result = BubblewrapSandbox(program, _DEFAULT_LIMITS).run(Path(empty), "true")
    except SandboxMissing as missing:
        raise SandboxMissing(_explain(missing.message)) from missing
    except OSError as error:
        raise SandboxMissing(_explain(str(error))) from error
    if result.exit_code != 0:
        raise SandboxMissing(_explain(result.output.strip()))
    return BubblewrapSandbox(program, limits)


def _explain(failure: str) -> str:
    """Quote bubblewrap's message, and say how to fix the cause."""
    said = " ".join(failure.split()) or "it said nothing"
    if "Unknown option" in said:
        return f"bubblewrap is too old for a sandbox ({said}); install version 0.8 or newer"
    for name, value in _LOCKS.items():
        with suppress(OSError):
            if Path("/proc/sys", name).read_text().strip() == value:
                setting = name.replace("/", ".")
                return (
                    f"bubblewrap cannot start a sandbox ({said}), because {setting} is {value}; "
                    "see 'When it cannot be started' in docs/sandbox.md"
                )
    return f"bubblewrap cannot start a sandbox ({said}); see 'When it cannot be started' in docs/sandbox.md"

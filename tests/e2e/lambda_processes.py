"""Functions in processes of their own, as Lambda runs them: the deployed packages, its runtime client, nothing else.

Each process speaks Lambda's runtime API, by the runtime's own client or by what the function starts in its place.
"""

from __future__ import annotations

import compileall
import hashlib
import io
import json
import subprocess
import sys
import threading
import time
import uuid
import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement

from infra.installed import closure, copy_distribution
from infra.layer_contents import RUNTIME_BRINGS
from tests.fakes.runtime_api import Call, FakeRuntimeApi

_START_SECONDS = 60.0
# `-I -S`: neither the environment, nor the current folder, nor what is installed is on the path. Every file whose code
# is carried out is written down.
_LAUNCH = """
import sys
executed = open(sys.argv[1], "a", buffering=1)
sys.addaudithook(lambda event, given: event == "exec" and executed.write(given[0].co_filename + "\\n"))
sys.path[:0] = sys.argv[3].split("|")
from awslambdaric.__main__ import main
main(["bootstrap", sys.argv[2]])
"""
# The same for `-m MODULE`.
_RUN_MODULE = """
import runpy, sys
executed = open(sys.argv[1], "a", buffering=1)
sys.addaudithook(lambda event, given: event == "exec" and executed.write(given[0].co_filename + "\\n"))
assert sys.argv[2] == "-m"
runpy.run_module(sys.argv[3], run_name="__main__")
"""


@dataclass(frozen=True)
class Package:
    """What was deployed of one function."""

    name: str
    handler: str
    code: bytes
    layers: tuple[bytes, ...]
    variables: dict[str, str]
    timeout_seconds: int
    memory_mb: int
    arn: str


@dataclass(frozen=True)
class Invocation:
    """One call of a function, as it ended."""

    function: str
    event: Any
    seconds: float
    peak_bytes: int
    """The most memory that its process held, up to the end of the call."""
    answer: Any
    failed: bool


class Sandbox:
    """One process of a function: it takes one call after the other, and keeps what it imported."""

    def __init__(self, package: Package, folder: Path, path: list[Path], variables: dict[str, str]) -> None:
        self._api = FakeRuntimeApi(package.arn)
        self.executed = folder / f"executed-{uuid.uuid4().hex}.txt"
        self._log = (folder / "log.txt").open("ab")
        self._process = subprocess.Popen(
            _command(package, path, self.executed),
            env={**variables, "AWS_LAMBDA_RUNTIME_API": self._api.address, **_python_path(package, path)},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return self._process.poll() is None

    def invoke(self, event: Any, seconds: float) -> Call:
        """Have it handle an event: the call, ended."""
        return self.watch(self._api.call(event, seconds), seconds)

    def begin(self, event: Any, seconds: float) -> Call:
        """Have it handle an event: the call, whose pieces can be read as they arrive."""
        call = self._api.call(event, seconds)
        threading.Thread(target=self.watch, args=(call, seconds), daemon=True).start()
        return call

    def watch(self, call: Call, seconds: float) -> Call:
        """Wait for the end of a call, or end it as Lambda does; returns it."""
        end = time.monotonic() + seconds + _START_SECONDS
        while not call.ended.wait(0.02):
            if not self.alive:
                call.end(_error("Runtime.ExitError", "the process ended"), failed=True)
            elif time.monotonic() > end:
                self.kill()
                call.end(_error("Sandbox.Timedout", f"Task timed out after {seconds} seconds"), failed=True)
        assert self._api.violations == [], self._api.violations
        return call

    def kill(self) -> None:
        """End the process at once, as Lambda does with one that has no memory left."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it."""
        self.kill()
        self._api.stop()
        self._log.close()

    @property
    def peak_bytes(self) -> int:
        """The most memory that it has held."""
        with suppress(OSError):
            for line in Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return 0


class LambdaProcesses:
    """The processes of all functions: one a call that runs at the same time, kept for the next call."""

    def __init__(self, folder: Path, variables_of: Callable[[str], dict[str, str]]) -> None:
        self._folder = folder
        self._variables_of = variables_of
        self._runtime = folder / "runtime"
        _install_runtime(self._runtime)
        self._lock = threading.Lock()
        self._paths: dict[str, list[Path]] = {}
        self._idle: dict[str, list[Sandbox]] = {}
        self._all: list[tuple[str, Sandbox]] = []
        self.invocations: list[Invocation] = []
        self.before: Callable[[str, Any, Sandbox], object] | None = None
        """Called before a function is."""
        self.seconds_for: Callable[[str, Any], float | None] | None = None
        """Time that a call gets, where that is not the function's own."""

    def invoke(self, package: Package, event: Any, role: str) -> tuple[str, bool]:
        """Call a function: its answer or its error as JSON, and whether it failed."""
        sandbox = self._take(package, role)
        began = time.monotonic()
        seconds = self.seconds_for(package.name, event) if self.seconds_for else None
        if self.before is not None:
            self.before(package.name, event, sandbox)
        call = sandbox.invoke(event, package.timeout_seconds if seconds is None else seconds)
        took, peak = time.monotonic() - began, sandbox.peak_bytes
        answer = json.loads(call.answer or b"null")
        with self._lock:
            self.invocations.append(Invocation(package.name, event, took, peak, answer, call.failed))
            if sandbox.alive:
                self._idle.setdefault(package.name, []).append(sandbox)
        return call.answer.decode(), call.failed

    def stream(self, package: Package, event: Any, role: str) -> Iterator[bytes]:
        """Call a function whose answer is streamed: its pieces as they arrive, the first with status and headers."""
        sandbox = self._take(package, role)
        call = sandbox.begin(event, package.timeout_seconds)
        yield from call.pieces(package.timeout_seconds + _START_SECONDS)
        call.wait()
        assert not call.failed, call.answer
        assert call.error is None, call.error
        with self._lock:
            self._idle.setdefault(package.name, []).append(sandbox)

    def kill_busy(self, *functions: str) -> bool:
        """Kill the processes of some functions that handle a call; return whether there was one."""
        with self._lock:
            idle = [each for name in functions for each in self._idle.get(name, ())]
            busy = [each for name, each in self._all if name in functions and each.alive and each not in idle]
        for each in busy:
            each.kill()
        return bool(busy)

    def executed_files(self, function: str) -> set[str]:
        """Every file whose code ran in a process of a function."""
        files: set[str] = set()
        for name, sandbox in self._all:
            if name == function and sandbox.executed.is_file():
                files.update(sandbox.executed.read_text(encoding="utf-8").splitlines())
        return {file for file in files if not file.startswith("<")}

    def path_of(self, function: str) -> list[Path]:
        """Where a function finds what it imports: its code, then its layers one by one, then the runtime."""
        return self._paths[function]

    def log_of(self, function: str) -> str:
        """What a function has written."""
        return (self._folder / function / "log.txt").read_text(encoding="utf-8", errors="replace")

    def close(self) -> None:
        """End all."""
        for _, sandbox in self._all:
            sandbox.close()

    def _take(self, package: Package, role: str) -> Sandbox:
        with self._lock:
            idle = self._idle.setdefault(package.name, [])
            while idle:
                sandbox = idle.pop()
                if sandbox.alive:
                    return sandbox
            folder = self._folder / package.name
            if package.name not in self._paths:
                folder.mkdir()
                self._paths[package.name] = [
                    self._unzipped(package.code),
                    # Lambda lays the layers over each other in /opt; ours share no file.
                    *(self._unzipped(layer) / "python" for layer in package.layers),
                    self._runtime,
                ]
            path = self._paths[package.name]
            sandbox = Sandbox(package, folder, path, self._environment(package, path[0], role))
            self._all.append((package.name, sandbox))
            return sandbox

    def _unzipped(self, archive: bytes) -> Path:
        folder = self._folder / "unzipped" / hashlib.sha256(archive).hexdigest()[:16]
        if not folder.is_dir():
            with zipfile.ZipFile(io.BytesIO(archive)) as opened:
                opened.extractall(folder)
        return folder

    def _environment(self, package: Package, task: Path, role: str) -> dict[str, str]:
        region = package.arn.split(":")[3]
        return {
            "PATH": "/usr/bin:/bin",
            "LANG": "en_US.UTF-8",
            "TZ": ":UTC",
            "LAMBDA_TASK_ROOT": str(task),
            "AWS_REGION": region,
            "AWS_DEFAULT_REGION": region,
            "AWS_EXECUTION_ENV": f"AWS_Lambda_python{sys.version_info.major}.{sys.version_info.minor}",
            "AWS_LAMBDA_FUNCTION_NAME": package.name,
            "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(package.memory_mb),
            "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
            **package.variables,
            **self._variables_of(role),
        }


def _install_runtime(folder: Path) -> None:
    folder.mkdir(parents=True)
    for name in closure([Requirement("awslambdaric"), *map(Requirement, RUNTIME_BRINGS)]):
        copy_distribution(name, folder)
    compileall.compile_dir(folder, quiet=2)  # as in Lambda's own; each process would do it for itself


def _command(package: Package, path: list[Path], executed: Path) -> list[str]:
    """The command of the runtime's own client, handed to what the function starts in its place, if anything."""
    wrapper = package.variables.get("AWS_LAMBDA_EXEC_WRAPPER")
    if wrapper is None:
        places = "|".join(map(str, path))
        return [sys.executable, "-I", "-S", "-c", _LAUNCH, str(executed), package.handler, places]
    assert wrapper.startswith("/var/task/"), wrapper
    python = executed.with_suffix(".sh")
    python.write_text(
        f"#!/bin/sh\nexec {sys.executable} -P -S -c '{_RUN_MODULE}' {executed} \"$@\"\n", encoding="utf-8"
    )
    python.chmod(0o755)
    # Unzipping loses who may run a file; what is deployed keeps it.
    return ["/bin/sh", str(path[0] / wrapper.removeprefix("/var/task/")), str(python), "/var/runtime/bootstrap.py"]


def _python_path(package: Package, path: list[Path]) -> dict[str, str]:
    """Where a function finds its modules that is not started by the runtime's own client."""
    return {"PYTHONPATH": ":".join(map(str, path))} if "AWS_LAMBDA_EXEC_WRAPPER" in package.variables else {}


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()


def runs_here() -> bool:
    """Whether Lambda's runtime client can be had on this machine."""
    return sys.platform == "linux"

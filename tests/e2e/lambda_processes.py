"""Functions in processes of their own, as Lambda runs them: the deployed packages, its runtime client, nothing else.

Each process speaks Lambda's runtime API, of which this has the three calls that the runtime client makes.
"""

from __future__ import annotations

import compileall
import hashlib
import io
import json
import queue
import subprocess
import sys
import threading
import time
import uuid
import zipfile
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, cast

from packaging.requirements import Requirement

from infra.installed import closure, copy_distribution
from infra.layer_contents import RUNTIME_BRINGS

_PATH = "/2018-06-01/runtime/invocation/"
_START_SECONDS = 60.0
_POLL_SECONDS = 0.05
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


@dataclass
class _Call:
    event: Any
    deadline_seconds: float
    id: str = field(default_factory=lambda: str(uuid.uuid4()))
    answered: threading.Event = field(default_factory=threading.Event)
    answer: bytes = b""
    failed: bool = False

    def end(self, answer: bytes, *, failed: bool) -> None:
        self.answer, self.failed = answer, failed
        self.answered.set()


class Sandbox:
    """One process of a function: it takes one call after the other, and keeps what it imported."""

    def __init__(self, package: Package, folder: Path, path: list[Path], variables: dict[str, str]) -> None:
        self._package = package
        self._calls: queue.Queue[_Call | None] = queue.Queue()
        self._current: _Call | None = None
        self._api = ThreadingHTTPServer(("127.0.0.1", 0), _RuntimeApi)
        self._api.sandbox = self  # type: ignore[attr-defined]
        threading.Thread(target=self._api.serve_forever, args=(_POLL_SECONDS,), daemon=True).start()
        self.executed = folder / f"executed-{uuid.uuid4().hex}.txt"
        self._log = (folder / "log.txt").open("ab")
        places = "|".join(map(str, path))
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _LAUNCH, str(self.executed), package.handler, places],
            env={**variables, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{self._api.server_port}"},
            cwd=folder,
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
        )

    @property
    def alive(self) -> bool:
        """Whether it can take another call."""
        return self._process.poll() is None

    def invoke(self, event: Any, seconds: float) -> tuple[bytes, bool]:
        """Have it handle an event: the answer, or the error and true."""
        call = self._current = _Call(event, seconds)
        self._calls.put(call)
        end = time.monotonic() + seconds + _START_SECONDS
        while not call.answered.wait(0.02):
            if not self.alive:
                call.end(_error("Runtime.ExitError", "the process ended"), failed=True)
            elif time.monotonic() > end:
                self.kill()
                call.end(_error("Sandbox.Timedout", f"Task timed out after {seconds} seconds"), failed=True)
        return call.answer, call.failed

    def kill(self) -> None:
        """End the process at once, as Lambda does with one that has no memory left."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """End it."""
        self.kill()
        self._calls.put(None)
        self._api.shutdown()
        self._api.server_close()
        self._log.close()

    @property
    def peak_bytes(self) -> int:
        """The most memory that it has held."""
        with suppress(OSError):
            for line in Path(f"/proc/{self._process.pid}/status").read_text(encoding="ascii").splitlines():
                if line.startswith("VmHWM:"):
                    return int(line.split()[1]) * 1024
        return 0

    def next_call(self) -> _Call | None:
        """The next call, as soon as there is one; `None` when the sandbox is closed."""
        return self._calls.get()

    def end_call(self, answer: bytes, *, failed: bool) -> None:
        """Take the answer of the call in progress; without one, the function could not even be loaded."""
        if self._current is not None:
            self._current.end(answer, failed=failed)

    @property
    def arn(self) -> str:
        """The function."""
        return self._package.arn


class _RuntimeApi(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    @property
    def _sandbox(self) -> Sandbox:
        return cast("Sandbox", self.server.sandbox)  # type: ignore[attr-defined]

    def do_GET(self) -> None:
        call = self._sandbox.next_call()
        if call is None:
            self.close_connection = True
            return
        self._answer(
            200,
            json.dumps(call.event).encode(),
            {
                "Lambda-Runtime-Aws-Request-Id": call.id,
                "Lambda-Runtime-Deadline-Ms": str(int((time.time() + call.deadline_seconds) * 1000)),
                "Lambda-Runtime-Invoked-Function-Arn": self._sandbox.arn,
                "Lambda-Runtime-Trace-Id": "Root=1-5759e988-bd862e3fe1be46a994272793;Sampled=0",
            },
        )

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self._answer(202, b'{"status": "OK"}', {})
        self._sandbox.end_call(body, failed=self.path.endswith("/error"))

    def _answer(self, status: int, body: bytes, headers: dict[str, str]) -> None:
        self.send_response(status)
        for name, value in {**headers, "Content-Type": "application/json", "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        with suppress(BrokenPipeError):
            self.wfile.write(body)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


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
        answer, failed = sandbox.invoke(event, package.timeout_seconds if seconds is None else seconds)
        took, peak = time.monotonic() - began, sandbox.peak_bytes
        with self._lock:
            self.invocations.append(Invocation(package.name, event, took, peak, json.loads(answer or b"null"), failed))
            if sandbox.alive:
                self._idle.setdefault(package.name, []).append(sandbox)
        return answer.decode(), failed

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


def _error(kind: str, message: str) -> bytes:
    return json.dumps({"errorType": kind, "errorMessage": message}).encode()


def runs_here() -> bool:
    """Whether Lambda's runtime client can be had on this machine."""
    return sys.platform == "linux"

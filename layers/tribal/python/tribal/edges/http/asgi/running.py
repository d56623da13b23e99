"""Runs the server in one process, or in several that share a port."""

from __future__ import annotations

import resource
import signal
import socket
import tempfile
from dataclasses import replace
from functools import partial

from uvicorn import Config, Server
from uvicorn.config import STARTUP_FAILURE
from uvicorn.supervisors.multiprocess import Multiprocess

from tribal.edges.http.asgi.protocol import TimedProtocol
from tribal.edges.http.asgi.serving import CONNECTIONS
from tribal.edges.http.asgi.starting import ServerBlueprint, server_application
from tribal.errors import ConfigurationError
from tribal.settings import export_variable

DRAINING_SECONDS = 30
"""Open requests may take this long once the server is asked to stop."""
_KEEP_ALIVE_SECONDS = 75
"""Longer than the 60 s of proxies and load balancers in AWS and nginx, so that they close idle connections first."""
_SILENT_WORKER_SECONDS = 30
"""Timeout for a process's answer to a ping. uvicorn's default of 5 s kills processes that are merely short of CPU."""
_LARGEST_HEADERS_BYTES = 32 * 1024
"""Tokens of issuers have up to 16 KB."""
_BACKLOG = 2_048
_OPEN_FILES = 8_192
_NUMBER_THREADS_VARIABLE = "OPENBLAS_NUM_THREADS"
_METRICS_VARIABLE = "PROMETHEUS_MULTIPROC_DIR"
"""Lets prometheus_client share the metrics of several processes."""


def listen(host: str, port: int) -> socket.socket:
    """A socket that clients can connect to; port 0 lets the system choose one.

    Raises:
        ConfigurationError: when the host is not an address of this machine, or the port is in use or not allowed.
    """
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise ConfigurationError(f"--host {host!r} is not an address of this machine ({error.strerror})") from error
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(_BACKLOG)
    except OSError as error:
        listening.close()
        raise ConfigurationError(
            f"port {port} of {host} cannot be used ({error.strerror}); use another --port, or 0 for any free one"
        ) from error
    listening.set_inheritable(True)
    return listening


def run_server(blueprint: ServerBlueprint, listening: socket.socket, workers: int) -> bool:
    """Serve until SIGTERM or Ctrl-C, then finish open requests; returns whether it was Ctrl-C.

    Raises:
        ConfigurationError: when a process could not start.
    """
    _allow_many_files()
    # numpy's threads would compete with each other and with the event loop; one process uses one core.
    export_variable(_NUMBER_THREADS_VARIABLE, "1")
    if workers == 1:
        return _run_alone(blueprint, listening)
    with tempfile.TemporaryDirectory(prefix="tribal-serve-") as folder:
        export_variable(_METRICS_VARIABLE, folder)
        processes = _Processes(_config(replace(blueprint, metrics_folder=folder), workers), [listening])
        processes.run()
    if any(each.exitcode == STARTUP_FAILURE for each in processes.processes):
        raise ConfigurationError("a server process could not start; see its output above")
    return processes.interrupted


class _Server(Server):
    """Records which signal stopped it, instead of raising the signal again."""

    @property
    def interrupted(self) -> bool:
        return signal.SIGINT in self._captured_signals


class _Processes(Multiprocess):
    """Several server processes, which records whether Ctrl-C stopped them."""

    interrupted = False

    def terminate_all(self) -> None:
        # Otherwise clients could still connect, and would never be answered.
        for listening in self.sockets:
            listening.close()
        super().terminate_all()

    def handle_int(self) -> None:
        self.interrupted = True
        super().handle_int()


def _run_alone(blueprint: ServerBlueprint, listening: socket.socket) -> bool:
    server = _Server(_config(blueprint, 1))
    # uvicorn raises the signal again after stopping, for the previous handler; ignore it.
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.run(sockets=[listening])
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    return server.interrupted


def _config(blueprint: ServerBlueprint, workers: int) -> Config:
    return Config(
        partial(server_application, blueprint),
        factory=True,
        http=TimedProtocol,
        ws="none",
        lifespan="on",
        interface="asgi3",
        log_config=None,
        log_level="error",
        access_log=False,
        # A server behind a proxy sets serve.public_url; headers that any client can send are not trusted.
        proxy_headers=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        backlog=_BACKLOG,
        workers=workers,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_worker_healthcheck=_SILENT_WORKER_SECONDS,
        timeout_graceful_shutdown=DRAINING_SECONDS,
        h11_max_incomplete_event_size=_LARGEST_HEADERS_BYTES,
    )


def _allow_many_files() -> None:
    """Raise the limit of open files to allow all connections."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _OPEN_FILES if hard == resource.RLIM_INFINITY else min(_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))

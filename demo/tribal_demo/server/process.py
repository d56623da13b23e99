"""The life of one server process: finding it, starting it, and making sure that it ends."""

import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from filelock import BaseFileLock, FileLock, Timeout

from tribal_demo.server.installation import Account, EmbeddedServerError, Programs, claim

_START_TIMEOUT_SECONDS = 120.0
_STOP_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.01
_PORT_ATTEMPTS = 5
# The kernel allows 104 bytes on macOS and 108 on Linux.
_SOCKET_PATH_BYTES = 100
# End of file on its input means that the owner has ended, even by SIGKILL, after which no atexit function runs.
# Removes the socket folder, which is empty once the server has ended; a home folder is not, and stays.
_WATCHDOG = 'read -r _; kill -INT "$0"; for _ in 1 2 3 4 5; do sleep 1; rmdir "$1" && break; done'


@dataclass(frozen=True)
class Postmaster:
    """The contents of a server's `postmaster.pid`."""

    pid: int
    port: int
    socket_folder: Path
    is_ready: bool

    @classmethod
    def of(cls, cluster: Path) -> "Postmaster | None":
        """Returns the live server of a cluster; None if the file was left behind by a killed server."""
        import psutil

        try:
            lines = (cluster / "postmaster.pid").read_text().splitlines()
            # The pid may belong to another process by now, but only a server has the cluster as its working directory.
            if not lines or Path(psutil.Process(int(lines[0])).cwd()) != cluster:
                return None
            if len(lines) < 8:
                return cls(int(lines[0]), 0, cluster, is_ready=False)
            return cls(int(lines[0]), int(lines[3]), Path(lines[4]), is_ready=lines[7].strip() == "ready")
        except (FileNotFoundError, ValueError, psutil.Error):
            return None


@dataclass(frozen=True)
class OwnedProcess:
    """A server that this process started and must stop."""

    server: "subprocess.Popen[bytes]"
    watchdog: "subprocess.Popen[bytes]"

    def end(self) -> None:
        """Shuts the server down and waits for it to end; it may have ended already."""
        _shut_down(self.server.pid, lambda: self.server.poll() is None)
        self.watchdog.kill()
        self.watchdog.communicate()


def make_runtime_folder(home: Path, account: Account | None) -> Path:
    """Returns a folder for the socket with a short path that the server can reach: `home`, or a new temporary one."""
    if not account and len(os.fsencode(home / ".s.PGSQL.65535.lock")) <= _SOCKET_PATH_BYTES:
        return home
    folder = Path(tempfile.mkdtemp(prefix="pg-", dir="/tmp"))
    claim(folder, account)
    return folder


def own_or_join(lock_file: Path, cluster: Path) -> BaseFileLock | Postmaster:
    """Takes ownership of a cluster, or returns the server run by its current owner.

    A server that outlived its owner is shut down first, so that the new owner finds the cluster stopped.

    Raises:
        EmbeddedServerError: The owner neither starts a server nor releases the cluster.
    """
    lock = FileLock(lock_file, thread_local=False)
    for _ in _polls(_START_TIMEOUT_SECONDS):
        with suppress(Timeout):
            lock.acquire(blocking=False)
            break
        if (postmaster := Postmaster.of(cluster)) and postmaster.is_ready:
            return postmaster
    else:
        raise EmbeddedServerError(f"{str(cluster.parent)!r} is in use by a process that runs no server there.")
    try:
        if orphan := Postmaster.of(cluster):
            _shut_down(orphan.pid, lambda: Postmaster.of(cluster) is not None)
        # A stale pid reused by another process of this account would keep PostgreSQL from starting.
        (cluster / "postmaster.pid").unlink(missing_ok=True)
    except BaseException:
        lock.release()
        raise
    return lock


def start_process(
    programs: Programs, cluster: Path, socket_folder: Path, options: Mapping[str, str]
) -> tuple[OwnedProcess, Postmaster]:
    """Starts a server on a free port of 127.0.0.1 and waits until it accepts connections.

    Raises:
        EmbeddedServerError: The server does not start; the message ends with its log.
    """
    log = cluster.with_name("server.log")
    for _ in range(_PORT_ATTEMPTS):
        owned = _launch(programs, cluster, socket_folder, options, log)
        try:
            postmaster = _await_postmaster(owned.server, cluster)
        except BaseException:
            owned.end()
            raise
        if postmaster:
            return owned, postmaster
        owned.end()
        said = log.read_text(errors="replace").strip()
        # Another process may take the port after it is found free and before the server binds it.
        if "could not bind" not in said:
            break
    raise EmbeddedServerError(f"PostgreSQL did not start:\n{said}")


def _launch(
    programs: Programs, cluster: Path, socket_folder: Path, options: Mapping[str, str], log: Path
) -> OwnedProcess:
    settings = {
        **options,
        "listen_addresses": "127.0.0.1",
        "port": str(_find_free_port()),
        "unix_socket_directories": str(socket_folder),
    }
    with log.open("wb") as output:
        server = programs.launch_server(cluster, settings, output)
    return OwnedProcess(server, programs.launch_script(_WATCHDOG, str(server.pid), str(socket_folder)))


def _await_postmaster(server: "subprocess.Popen[bytes]", cluster: Path) -> Postmaster | None:
    for _ in _polls(_START_TIMEOUT_SECONDS):
        if server.poll() is not None:
            return None
        postmaster = Postmaster.of(cluster)
        if postmaster and postmaster.is_ready:
            return postmaster
    return None


def _shut_down(pid: int, is_running: Callable[[], bool]) -> None:
    """Stops a server with a fast shutdown, then an immediate one, and finally by SIGKILL."""
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGKILL):
        if not is_running():
            return
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        for _ in _polls(_STOP_TIMEOUT_SECONDS):
            if not is_running():
                return


def _find_free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _polls(timeout_seconds: float) -> Iterator[None]:
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        yield
        time.sleep(_POLL_SECONDS)

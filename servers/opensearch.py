"""An OpenSearch node on this machine, for tests and experiments: throwaway data, real behaviour.

From a shell::

    python -m servers.opensearch
"""

import atexit
import json
import os
import random
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Self

from servers.java_packages import PackagesUnavailable, find_java, provide_packages
from tribal_demo.server.permission import check_permission

CACHE = Path(__file__).parent.parent / ".cache" / "opensearch"
VARIABLE = "OPENSEARCH_URL"
"""Names an existing cluster to use instead."""

_LOWEST_PORT, _HIGHEST_PORT = 9201, 9299
"""The range in which the node looks for a free port."""
_START_TIMEOUT_SECONDS = 300.0
_STOP_TIMEOUT_SECONDS = 10.0
_POLL_SECONDS = 0.1
_ATTEMPTS = 3
_BRIEFLY = ("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC")
"""Optimizing compilation would take most of the CPU time of a node that lives for minutes."""
_LOGGING = """status = error
rootLogger.level = warn
rootLogger.appenderRef.console.ref = console
appender.console.type = Console
appender.console.name = console
appender.console.layout.type = PatternLayout
appender.console.layout.pattern = %d %p %c{1} %m%n
"""
# End of file on its input means that the owner has ended, even by SIGKILL, after which no atexit function runs.
_WATCHDOG = 'read -r _; kill -KILL "$0"; sleep 1; rm -rf "$1"'


class NodeError(RuntimeError):
    """The node does not start; the message ends with its output."""


class OpenSearchNode:
    """A running node with the k-NN plugin; it ends with the process that started it, however that ends."""

    def __init__(
        self, address: str, node: "subprocess.Popen[bytes]", watchdog: "subprocess.Popen[bytes]", home: Path
    ) -> None:
        self.address = address
        self._node = node
        self._watchdog = watchdog
        self._home = home
        atexit.register(self.stop)

    @classmethod
    def start(cls, cache: Path = CACHE, *, briefly: bool = False) -> Self:
        """Starts a node on a free port; downloads its packages the first time.

        `briefly` is for tests: starts with half the CPU time, but is slower in the long run.

        Raises:
            ServersForbidden: No server may be started.
            PackagesUnavailable: There is no Java, or the packages cannot be downloaded.
            NodeError: The node does not start.
        """
        check_permission("OpenSearch")
        java, class_path = find_java(), provide_packages(cache)
        said = ""
        for _ in range(_ATTEMPTS):
            # Another process may take the port after it is found free and before the node binds it.
            home = Path(tempfile.mkdtemp(prefix="opensearch-"))
            cluster = f"demo-{secrets.token_hex(8)}"
            node = _launch([str(java), *(_BRIEFLY if briefly else ())], class_path, home, cluster)
            watchdog = subprocess.Popen(
                ["/bin/sh", "-c", _WATCHDOG, str(node.pid), str(home)], stdin=subprocess.PIPE, start_new_session=True
            )
            try:
                address = _await_address(node, cluster)
                if address is not None:
                    return cls(address, node, watchdog, home)
                said = (home / "node.log").read_text(errors="replace").strip()[-2000:]
            except BaseException:
                _end(node, watchdog, home)
                raise
            _end(node, watchdog, home)
        raise NodeError(f"OpenSearch did not start:\n{said}")

    def wait(self) -> None:
        """Waits until the node ends by itself."""
        self._node.wait()

    def stop(self) -> None:
        """Stops the node and removes its data; may be called more than once."""
        atexit.unregister(self.stop)
        _end(self._node, self._watchdog, self._home)


def _launch(java: list[str], class_path: str, home: Path, cluster: str) -> "subprocess.Popen[bytes]":
    settings = home / "log4j2.properties"
    settings.write_text(_LOGGING)
    command = [
        *(*java, "-Xms256m", "-Xmx512m", f"-Dlog4j.configurationFile={settings}", "-cp", class_path),
        *("org.codelibs.opensearch.runner.OpenSearchRunner", "-basePath", str(home / "data"), "-numOfNode", "1"),
        *("-baseHttpPort", str(random.randint(_LOWEST_PORT, _HIGHEST_PORT - 20) - 1), "-clusterName", cluster),
        *("-pluginTypes", "org.opensearch.knn.plugin.KNNPlugin"),
    ]
    with (home / "node.log").open("wb") as log:
        return subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=home, start_new_session=True
        )


def _await_address(node: "subprocess.Popen[bytes]", cluster: str) -> str | None:
    """Waits for the node of that cluster and returns its address; `None` if it ended instead."""
    deadline = time.monotonic() + _START_TIMEOUT_SECONDS
    while time.monotonic() < deadline and node.poll() is None:
        for port in range(_LOWEST_PORT, _HIGHEST_PORT + 1):
            address = f"http://127.0.0.1:{port}"
            if _cluster_at(address) == cluster:
                return address
        time.sleep(_POLL_SECONDS)
    return None


def _cluster_at(address: str) -> str | None:
    try:
        with urllib.request.urlopen(address, timeout=5) as answer:
            name = json.load(answer).get("cluster_name")
    except (OSError, ValueError, AttributeError):
        return None
    return str(name)


def _end(node: "subprocess.Popen[bytes]", watchdog: "subprocess.Popen[bytes]", home: Path) -> None:
    node.terminate()
    try:
        node.wait(_STOP_TIMEOUT_SECONDS)
    except subprocess.TimeoutExpired:
        node.kill()
        node.wait()
    watchdog.kill()
    watchdog.communicate()
    shutil.rmtree(home, ignore_errors=True)


def main() -> int:
    """Runs a node in the foreground until Ctrl-C; the first line it prints is the address."""
    if address := os.environ.get(VARIABLE):
        print(address)
        print(f"{VARIABLE} names this cluster; no node is started.", file=sys.stderr)
        return 0
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.default_int_handler)
    try:
        node = OpenSearchNode.start()
        try:
            print(node.address, flush=True)
            print("Ctrl-C stops the node and removes its data.", file=sys.stderr)
            node.wait()
        finally:
            node.stop()
    except KeyboardInterrupt:
        return 0
    except (PackagesUnavailable, NodeError) as error:
        print(error, file=sys.stderr)
        return 1
    print("The node ended by itself.", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())

"""`tribal serve` on a free port, and clients that speak to it by hand or politely."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any
from urllib.parse import urlsplit

import httpx2

from tests.edges.cli.tribal_command import start_tribal

TOOL = "/v1/tools/search_tables"
QUESTION = {"query": "customer"}


class Served:
    """A server of a project, which ends with the block.

    Args:
        project: its folder.
        arguments: more of the command line.
        environment: more variables.
    """

    def __init__(self, project: Path, *arguments: object, **environment: str) -> None:
        self.process = start_tribal("serve", "--port", 0, *arguments, cwd=project, **environment)
        assert self.process.stdout is not None
        first = self.process.stdout.readline()
        self.said: list[str] = []
        threading.Thread(target=self._listen, daemon=True).start()
        if not first.startswith("serving "):
            raise AssertionError(f"the server did not start: {first!r} {self.stop()} {self.said}")
        self.address = first.removeprefix("serving ").strip().rstrip("/")
        self.port = urlsplit(self.address).port or 0
        self.client = httpx2.Client(base_url=self.address, timeout=30)

    def __enter__(self) -> Served:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    def stop(self, number: int = signal.SIGTERM) -> int:
        """Ask it to stop, and wait; the exit code."""
        if self.process.poll() is None:
            self.process.send_signal(number)
        try:
            return self.process.wait(timeout=40)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        finally:
            if hasattr(self, "client"):
                self.client.close()

    def ask(self, token: str | None = None, tool: str = "search_tables", **arguments: Any) -> httpx2.Response:
        """Call a tool."""
        headers = {} if token is None else {"authorization": f"Bearer {token}"}
        return self.client.post(f"/v1/tools/{tool}", json=arguments or QUESTION, headers=headers)

    def connect(self) -> socket.socket:
        """A connection for what no polite client sends."""
        return socket.create_connection(("127.0.0.1", self.port), timeout=30)

    def lines(self) -> list[dict[str, Any]]:
        """The lines of its log."""
        return [json.loads(line) for line in list(self.said) if line.startswith("{")]

    def _listen(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.said.append(line)


@dataclass
class Raw:
    """An answer read byte by byte."""

    status: int
    headers: Mapping[str, str]
    body: bytes = field(default=b"", repr=False)


def sent(server: Served, head: str, body: bytes = b"") -> Raw:
    """Send a request as it is written here, and read the answer until the server hangs up or it is whole."""
    with server.connect() as line:
        line.sendall(head.replace("\n", "\r\n").encode() + body)
        return read_answer(line)


def read_answer(line: socket.socket) -> Raw:
    """Read one answer."""
    received = bytearray()
    while b"\r\n\r\n" not in received:
        piece = line.recv(65_536)
        if not piece:
            raise ConnectionError(f"the server hung up after {bytes(received)!r}")
        received += piece
    head, _, rest = bytes(received).partition(b"\r\n\r\n")
    first, *others = head.decode().split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (each.partition(":") for each in others)}
    wanted = int(headers.get("content-length", 0))
    while len(rest) < wanted:
        rest += line.recv(65_536)
    return Raw(int(first.split()[1]), headers, rest)

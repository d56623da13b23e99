"""A session over stdio by hand: what no well-behaved client sends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tests.edges.mcp.asked import server_command, server_environment
from tribal.edges.mcp.server import serve
from tribal.ports import Application, Caller
from tribal.tools.registry import REGISTRY, Registry

HELLO: dict[str, Any] = {
    "jsonrpc": "2.0",
    "id": "hello",
    "method": "initialize",
    "params": {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}},
}
CALLER = Caller("test")
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}


def call_message(identity: int | str, tool: Any, arguments: Any) -> dict[str, Any]:
    """A request to call a tool."""
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }


def hear_interrupts() -> None:
    """Hear Ctrl-C in a new process, also where the tests run in the background and would hand on that it is ignored."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Wire:
    """The client's end of two pipes."""

    def __init__(self, writing: IO[bytes], reading: IO[bytes]) -> None:
        self.writing = writing
        self.reading = reading

    def greet(self, version: str = "2025-11-25") -> None:
        """Shake hands."""
        self.send({**HELLO, "params": {**HELLO["params"], "protocolVersion": version}})
        assert self.receive()["result"]["protocolVersion"] == version
        self.send(INITIALIZED)

    def send(self, message: Any) -> None:
        """Send a message; half characters go out as JSON spells them."""
        self.send_line(json.dumps(message).encode())

    def send_line(self, line: bytes) -> None:
        """Send a line as it stands."""
        self.writing.write(line + b"\n")
        self.writing.flush()

    def receive(self) -> dict[str, Any]:
        """The next message."""
        line = self.reading.readline()
        assert line, "the server said no more"
        message: dict[str, Any] = json.loads(line)
        return message

    def call(self, tool: Any, arguments: Any, identity: int | str = 1) -> dict[str, Any]:
        """Call a tool and return the message that answers."""
        self.send(call_message(identity, tool, arguments))
        answer = self.receive()
        assert answer["id"] == identity
        return answer

    def answer(self, tool: str, arguments: Any) -> dict[str, Any]:
        """Call a tool and return its structured answer."""
        answer: dict[str, Any] = self.call(tool, arguments)["result"]["structuredContent"]
        return answer


class RawSession(Wire):
    """A running server; entering shakes hands, leaving closes its input and waits for its end."""

    def __init__(self, folder: Path, *options: str) -> None:
        self.process = subprocess.Popen(
            server_command(folder, *options),
            env=server_environment(),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            preexec_fn=hear_interrupts,
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        super().__init__(self.process.stdin, self.process.stdout)

    def __enter__(self) -> Self:
        self.greet()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if error is not None:
            self.process.kill()
        self.process.communicate(timeout=60)


@contextmanager
def served_in_process(
    app: Application, version: str = "2025-11-25", caller: Caller = CALLER, tools: Registry = REGISTRY
) -> Iterator[Wire]:
    """The server in a thread of this process, behind two pipes, with a client of this version of the protocol."""
    to_server, from_client = os.pipe()
    to_client, from_server = os.pipe()
    thread = threading.Thread(target=serve, args=(app, caller, to_server, from_server, tools))
    thread.start()
    with os.fdopen(to_client, "rb") as reading:
        with os.fdopen(from_client, "wb") as writing:
            wire = Wire(writing, reading)
            wire.greet(version)
            yield wire
        thread.join(timeout=60)
    assert not thread.is_alive()
    os.close(to_server)
    os.close(from_server)


def run_server(folder: Path, messages: Sequence[Any], *options: str) -> subprocess.CompletedProcess[bytes]:
    """Feed a server everything at once, the end of its input included."""
    text = "".join(json.dumps(message) + "\n" for message in messages)
    return subprocess.run(
        server_command(folder, *options),
        env=server_environment(),
        input=text.encode(),
        capture_output=True,
        check=False,
        timeout=60,
    )

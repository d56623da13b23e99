"""A scripted server on 127.0.0.1 that speaks PostgreSQL's protocol: it can drip, flood and lie."""

import socket
import struct
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from types import TracebackType
from typing import Self

CHUNK_BYTES = 65_536
TEXT, INT8, BOOL, JSON = 25, 20, 16, 114
"""Oids of types."""


def message(code: bytes, payload: bytes = b"", *, length: int | None = None) -> bytes:
    """A message; `length` overrides its true length."""
    return code + struct.pack("!i", len(payload) + 4 if length is None else length) + payload


def parameter(name: str, value: str) -> bytes:
    """Report a setting."""
    return message(b"S", f"{name}\0{value}\0".encode())


def columns(*types: int) -> bytes:
    """Describe the columns of the rows that follow."""
    described = b"".join(b"c\0" + struct.pack("!ihihih", 0, 0, each, -1, -1, 0) for each in types)
    return message(b"T", struct.pack("!h", len(types)) + described)


def row(*values: bytes | None) -> bytes:
    """A row of values in text form."""
    parts = (b"\xff\xff\xff\xff" if value is None else struct.pack("!i", len(value)) + value for value in values)
    return message(b"D", struct.pack("!h", len(values)) + b"".join(parts))


def notice(text: bytes) -> bytes:
    """A notice, which may come at any time."""
    return message(b"N", b"SNOTICE\0M" + text + b"\0\0")


def error(sqlstate: str, text: bytes) -> bytes:
    """An error."""
    return message(b"E", b"SERROR\0C" + sqlstate.encode() + b"\0M" + text + b"\0\0")


READY = message(b"Z", b"I")
DONE = message(b"C", b"SELECT 1\0")
LOGIN = message(b"R", struct.pack("!i", 0)) + parameter("client_encoding", "UTF8") + READY


class FakeClient:
    """The connection of a client."""

    def __init__(self, line: socket.socket, stopped: threading.Event) -> None:
        self.line = line
        self.stopped = stopped

    def send(self, *parts: bytes) -> None:
        """Send at once."""
        self.line.sendall(b"".join(parts))

    def drip(self, parts: Iterable[bytes], every_seconds: float) -> None:
        """Send one part after the other, with a pause before each, until the client is gone."""
        for part in parts:
            if self.stopped.wait(every_seconds):
                return
            self.line.sendall(part)

    def hear(self) -> bytes:
        """What the client says next; empty when it is gone."""
        return self.line.recv(CHUNK_BYTES)


Script = Callable[[FakeClient], None]


class FakePostgres:
    """Plays a script to each client in its own thread, then closes the connection."""

    def __init__(self, script: Script) -> None:
        self.accepted = 0
        self._script = script
        self._stopped = threading.Event()
        self._players: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._stopped.set()
        # Closing alone would let the thread that accepts take in one more.
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def join(self, timeout_seconds: float) -> None:
        """Wait until every script has come to its end, for each at most so long."""
        for player in self._players:
            player.join(timeout_seconds)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                line, _ = self._listener.accept()
                self.accepted += 1
                player = threading.Thread(target=self._play, args=(line,), daemon=True)
                player.start()
                self._players.append(player)

    def _play(self, line: socket.socket) -> None:
        with line, suppress(OSError):
            # A client that has hung up must not hold a script forever.
            line.settimeout(60)
            self._script(FakeClient(line, self._stopped))

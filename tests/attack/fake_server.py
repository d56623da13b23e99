"""A server that speaks just enough of PostgreSQL's protocol to ask for a login, and remembers what it is told."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

Behaviour = Literal[
    "refuses", "clear text", "clear text after SCRAM", "clear text in a query", "MD5", "lets in", "SCRAM without proof"
]

_TLS_REQUEST = 80877103


class FakeServer:
    """Listens on 127.0.0.1 until it is left; offers TLS when given a context."""

    def __init__(self, behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self._behaviour = behaviour
        self._tls = tls
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self.heard = bytearray()
        """Everything that clients said, decrypted."""
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(10)

    def _serve(self) -> None:
        while True:
            try:
                line, _ = self._listener.accept()
            except OSError:
                return
            line.settimeout(10)
            with suppress(OSError, struct.error), line:
                self._talk(line)

    def _talk(self, line: socket.socket) -> None:
        first = self._packet(line)
        if struct.unpack_from("!i", first)[0] == _TLS_REQUEST:
            line.sendall(b"N" if self._tls is None else b"S")
            if self._tls is not None:
                line = self._tls.wrap_socket(line, server_side=True)
            first = self._packet(line)
        match self._behaviour:
            case "refuses":
                line.sendall(_REFUSAL)
                return
            case "clear text":
                line.sendall(_asking(3))
            case "MD5":
                line.sendall(_asking(5, b"salt"))
            case "clear text after SCRAM":
                line.sendall(_asking(10, b"SCRAM-SHA-256\0\0"))
                self._hear(line)
                line.sendall(_asking(3))
            case "SCRAM without proof":
                line.sendall(_asking(10, b"SCRAM-SHA-256\0\0"))
                self._hear(line)
                line.sendall(_asking(0) + _message(b"Z", b"I"))
            case "clear text in a query":
                line.sendall(_asking(0) + _message(b"Z", b"I"))
                self._hear(line)
                line.sendall(_asking(3))
            case "lets in":
                line.sendall(_asking(0) + _message(b"Z", b"I"))
        self._hear(line)
        line.sendall(_REFUSAL)

    def _packet(self, line: socket.socket) -> bytes:
        (length,) = struct.unpack("!i", line.recv(4, socket.MSG_WAITALL) if self._plain(line) else line.recv(4))
        return self._hear(line, length - 4)

    @staticmethod
    def _plain(line: socket.socket) -> bool:
        return not isinstance(line, ssl.SSLSocket)

    def _hear(self, line: socket.socket, count: int = 65_536) -> bytes:
        data = line.recv(count)
        self.heard += data
        return data


def _message(kind: bytes, content: bytes) -> bytes:
    return kind + struct.pack("!i", len(content) + 4) + content


def _asking(method: int, content: bytes = b"") -> bytes:
    return _message(b"R", struct.pack("!i", method) + content)


_REFUSAL = _message(b"E", b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0")

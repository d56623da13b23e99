"""A server that speaks just enough of PostgreSQL's protocol to ask for a login, and remembers what it gets."""

from __future__ import annotations

import socket
import ssl
import struct
from contextlib import suppress
from types import TracebackType
from typing import Literal, Self

from servers.fake_postgres import READY, FakeClient, FakePostgres, message

Behaviour = Literal[
    "refuses", "clear text", "clear text after SCRAM", "clear text in a query", "MD5", "lets in", "SCRAM without proof"
]

_TLS_REQUEST = 80877103


class FakeServer:
    """Listens on 127.0.0.1 until it is left; offers TLS when given a context."""

    def __init__(self, behaviour: Behaviour, tls: ssl.SSLContext | None = None) -> None:
        self._behaviour = behaviour
        self._tls = tls
        self._server = FakePostgres(self._play)
        self.port = self._server.port
        self.heard = bytearray()
        """Everything that clients said, decrypted."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.__exit__(kind, error, trace)
        self._server.join(10)

    def _play(self, client: FakeClient) -> None:
        # What a client that hangs up leaves is shorter than what is unpacked.
        with suppress(struct.error):
            self._talk(client)

    def _talk(self, client: FakeClient) -> None:
        first = self._packet(client)
        if struct.unpack_from("!i", first)[0] == _TLS_REQUEST:
            client.send(b"N" if self._tls is None else b"S")
            if self._tls is not None:
                client = FakeClient(self._tls.wrap_socket(client.line, server_side=True), client.stopped)
            first = self._packet(client)
        match self._behaviour:
            case "refuses":
                client.send(_REFUSAL)
                return
            case "clear text":
                client.send(_asking(3))
            case "MD5":
                client.send(_asking(5, b"salt"))
            case "clear text after SCRAM":
                client.send(_asking(10, b"SCRAM-SHA-256\0\0"))
                self._hear(client)
                client.send(_asking(3))
            case "SCRAM without proof":
                client.send(_asking(10, b"SCRAM-SHA-256\0\0"))
                self._hear(client)
                client.send(_asking(0), READY)
            case "clear text in a query":
                client.send(_asking(0), READY)
                self._hear(client)
                client.send(_asking(3))
            case "lets in":
                client.send(_asking(0), READY)
        self._hear(client)
        client.send(_REFUSAL)

    def _packet(self, client: FakeClient) -> bytes:
        (length,) = struct.unpack(
            "!i",
            client.line.recv(4) if isinstance(client.line, ssl.SSLSocket) else client.line.recv(4, socket.MSG_WAITALL),
        )
        return self._hear(client, length - 4)

    def _hear(self, client: FakeClient, count: int = 65_536) -> bytes:
        data = client.line.recv(count)
        self.heard += data
        return data


def _asking(method: int, content: bytes = b"") -> bytes:
    return message(b"R", struct.pack("!i", method) + content)


_REFUSAL = message(b"E", b"SFATAL\0VFATAL\0C28P01\0Mpassword authentication failed\0\0")

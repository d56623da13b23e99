"""A TCP relay to a server, for simulating network failures."""

import socket
import ssl
import threading
from collections.abc import Callable
from contextlib import suppress


class Relay:
    """Relays a port of its own to a server, with TLS on request; can be cut, silenced or redirected."""

    def __init__(self, port: int, tls: ssl.SSLContext | None = None) -> None:
        self.server_port = port
        self.accepted = 0
        self.before_passing: Callable[[bytes], None] | None = None
        """Called with each chunk that a client sends, before it is passed to the server."""
        self._tls = tls
        self._silent = threading.Event()
        self._lines: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        threading.Thread(target=self._serve, daemon=True).start()

    def cut(self) -> None:
        """Break every existing connection; new ones, such as reconnections, stay."""
        for line in list(self._lines):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

    def silence(self) -> None:
        """Keep the connections open but stop passing data on."""
        self._silent.set()

    def close(self) -> None:
        """Break every connection and accept no more; a running `before_passing` call finishes first."""
        self._listener.close()
        self.cut()
        for thread in self._threads:
            thread.join(5)

    def _serve(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                self.accepted += 1
                self._threads.append(threading.Thread(target=self._connect, args=(client,), daemon=True))
                self._threads[-1].start()

    def _connect(self, client: socket.socket) -> None:
        with suppress(OSError):
            if self._tls is not None and client.recv(8, socket.MSG_PEEK)[4:] == b"\x04\xd2\x16\x2f":
                client.recv(8)
                client.sendall(b"S")
                client = self._tls.wrap_socket(client, server_side=True)
            server = socket.create_connection(("127.0.0.1", self.server_port))
            self._lines += [client, server]
            threading.Thread(target=self._pump, args=(server, client, False), daemon=True).start()
            self._pump(client, server, True)

    def _pump(self, source: socket.socket, sink: socket.socket, from_client: bool) -> None:
        with suppress(OSError):
            while data := source.recv(65_536):
                if from_client and self.before_passing is not None:
                    self.before_passing(data)
                if not self._silent.is_set():
                    sink.sendall(data)
        for line in (source, sink):
            with suppress(OSError):
                line.shutdown(socket.SHUT_RDWR)

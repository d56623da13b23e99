"""The line to a server, with limits on time and bytes that no server can exceed.

A socket timeout restarts with every byte, and pg8000 reads messages of any stated length and any number of rows and
notices. So a server that drips, floods or lies could block a run forever, or fill the memory. Here every read ends at
the deadline of the statement, whatever arrives.
"""

from __future__ import annotations

import math
import socket
import ssl
import time
from typing import IO, Any

LARGEST_MESSAGE_BYTES = 64 * 1024 * 1024
"""The largest message, such as one row. Far above a view's text or a comment; a sampled value is truncated anyway."""
LARGEST_ANSWER_BYTES = 512 * 1024 * 1024
"""The most that one statement or login may send. The columns of 50,000 tables are about 100 MB."""
MOST_ROWS = 3_000_000
"""The most rows of one statement; as many columns are 200,000 tables of 15."""


class AnswerTooLarge(Exception):
    """The server sent more than the limits allow."""


class _TimedReads:
    """Makes every operation of a socket end at one deadline."""

    deadline = math.inf
    """On the monotonic clock."""
    received = 0
    """Bytes of the messages read since the deadline was set."""

    def allow(self, seconds: float) -> None:
        """Set the deadline and reset the counters for a statement or login."""
        self.deadline = time.monotonic() + seconds
        self.received = 0
        self.settimeout(max(seconds, 0.001))  # type: ignore[attr-defined]  # of the socket that this is mixed into

    def wait_no_longer(self) -> None:
        """Let the next operation end at the deadline.

        Raises:
            TimeoutError: when it has passed.
        """
        remaining = self.deadline - time.monotonic()
        if remaining <= 0:
            raise TimeoutError("the statement timed out")
        if remaining != math.inf:
            self.settimeout(remaining)  # type: ignore[attr-defined]  # of the socket that this is mixed into

    def makefile(self, *_: Any, **__: Any) -> _Messages:
        """The stream that pg8000 reads messages from and writes them to."""
        return _Messages(self, super().makefile("rwb"))  # type: ignore[misc]  # of the socket

    def recv_into(self, *arguments: Any) -> int:
        """Receive bytes that are there before the deadline."""
        self.wait_no_longer()
        received: int = super().recv_into(*arguments)  # type: ignore[misc]  # of the socket
        return received

    def recv(self, *arguments: Any) -> bytes:
        """Receive bytes that are there before the deadline."""
        self.wait_no_longer()
        received: bytes = super().recv(*arguments)  # type: ignore[misc]  # of the socket
        return received

    def send(self, *arguments: Any) -> int:
        """Send what the server takes before the deadline."""
        self.wait_no_longer()
        sent: int = super().send(*arguments)  # type: ignore[misc]  # of the socket
        return sent


class PlainLine(_TimedReads, socket.socket):  # type: ignore[misc]  # pg8000 uses no more of `makefile`
    """A plain connection."""


class TlsLine(_TimedReads, ssl.SSLSocket):  # type: ignore[misc]  # as above
    """A connection over TLS."""


Line = PlainLine | TlsLine


def plain_line(connected: socket.socket, seconds: float) -> PlainLine:
    """Take over a connected socket, with a first deadline."""
    line = PlainLine(fileno=connected.detach())
    line.allow(seconds)
    return line


def tls_line(line: PlainLine, context: ssl.SSLContext, host: str) -> TlsLine:
    """Begin TLS on a line, within the deadline that it has."""
    context.sslsocket_class = TlsLine
    line.wait_no_longer()
    deadline = line.deadline
    # The handshake's timeout is one for the whole of it.
    encrypted = context.wrap_socket(line, server_hostname=host)
    assert isinstance(encrypted, TlsLine)
    encrypted.deadline = deadline
    return encrypted


class _Messages:
    """Reads the parts of messages that pg8000 asks for, if no limit is exceeded."""

    def __init__(self, line: _TimedReads, stream: IO[bytes]) -> None:
        self._line = line
        self._stream = stream

    def read(self, size: int) -> bytes:
        """That many bytes; fewer only where the connection ends.

        Raises:
            ValueError: when no message has this size; a negative one would mean to read until the connection ends.
            AnswerTooLarge: when the message, or all of them, are too large.
        """
        if size < 0:
            raise ValueError("the server stated the length of a message wrongly")
        self._line.received += size
        if size > LARGEST_MESSAGE_BYTES or self._line.received > LARGEST_ANSWER_BYTES:
            raise AnswerTooLarge(
                f"it sent more than {LARGEST_MESSAGE_BYTES >> 20} MB as one message, or more than "
                f"{LARGEST_ANSWER_BYTES >> 20} MB as one answer"
            )
        return self._stream.read(size)

    def write(self, data: bytes) -> int:
        """Write into the buffer."""
        return self._stream.write(data)

    def flush(self) -> None:
        """Send what is in the buffer."""
        self._stream.flush()

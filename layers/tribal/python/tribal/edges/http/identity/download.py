"""Downloads documents of an issuer, within limits that also hold against a server that sends one byte at a time.

The address of its key set is in its discovery document.
Source: OpenID Connect Discovery 1.0, sections 3 and 4: https://openid.net/specs/openid-connect-discovery-1_0.html
"""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from urllib.parse import urlsplit

from tribal.edges.http.identity.keys import KeysUnavailable

LARGEST_DOCUMENT_BYTES = 1024 * 1024
"""Real key sets and discovery documents have a few kilobytes."""


def download(url: str, timeout_seconds: float) -> bytes:
    """The body at an address over HTTP or HTTPS; redirects are not followed.

    Args:
        timeout_seconds: for the whole download.

    Raises:
        KeysUnavailable: when there is no complete answer with status 200 within the limits.
    """
    began = time.monotonic()
    connection, path = _connection(url, timeout_seconds)
    try:
        connection.connect()
        with _hung_up_after(connection.sock, timeout_seconds - (time.monotonic() - began)):
            connection.request("GET", path, headers={"Accept": "application/json"})
            response = connection.getresponse()
            body = response.read(LARGEST_DOCUMENT_BYTES + 1)
            complete = not response.length or response.length <= 0
    except (OSError, http.client.HTTPException) as error:
        raise KeysUnavailable(f"nothing from {url!r}: {type(error).__name__}") from error
    finally:
        connection.close()
    if response.status != 200:
        raise KeysUnavailable(f"nothing from {url!r}: it answered with status {response.status}")
    if len(body) > LARGEST_DOCUMENT_BYTES or not complete:
        raise KeysUnavailable(f"nothing from {url!r}: more than {LARGEST_DOCUMENT_BYTES:,} bytes, or cut off")
    return body


def _connection(url: str, timeout_seconds: float) -> tuple[http.client.HTTPConnection, str]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError as error:
        raise KeysUnavailable(f"nothing from {url!r}: not a valid address") from error
    kinds = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}
    if parts.scheme not in kinds or not host:
        raise KeysUnavailable(f"nothing from {url!r}: the address must start with https://")
    path = f"{parts.path or '/'}?{parts.query}" if parts.query else parts.path or "/"
    return kinds[parts.scheme](host, port, timeout=timeout_seconds), path


@contextmanager
def _hung_up_after(line: socket.socket, seconds: float) -> Iterator[None]:
    """Close the connection when the time is up: a socket's own timeout restarts with every byte."""
    hung_up = threading.Event()

    def hang_up() -> None:
        hung_up.set()
        with suppress(OSError):
            # Shut down the plain socket below TLS: SSLSocket.shutdown would break a concurrent read.
            socket.socket.shutdown(line, socket.SHUT_RDWR)

    timer = threading.Timer(max(0.0, seconds), hang_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
    if hung_up.is_set():
        raise TimeoutError


DISCOVERY_SECONDS = 5.0
"""Time limit for document and keys together, since callers wait."""
_SHOWN_CHARS = 200


def download_keys(
    issuer: str, fetch: Callable[[str, float], bytes] = download, now: Callable[[], float] = time.monotonic
) -> bytes:
    """The key set of an issuer. Caching the result also caches the document, so keys never outlive their address.

    Args:
        fetch: downloads an address within a number of seconds; raises `KeysUnavailable`.
        now: seconds on a monotonic clock.

    Raises:
        KeysUnavailable: when document or keys cannot be downloaded, or the document is another issuer's.
    """
    ends = now() + DISCOVERY_SECONDS
    place = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    address = _address_of_keys(issuer, place, fetch(place, DISCOVERY_SECONDS))
    return fetch(address, max(0.0, ends - now()))


def _address_of_keys(issuer: str, place: str, document: bytes) -> str:
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise KeysUnavailable(f"no keys of {issuer!r}: {place!r} does not return JSON") from error
    if not isinstance(content, dict):
        raise KeysUnavailable(f"no keys of {issuer!r}: {place!r} is not a discovery document")
    said, address = content.get("issuer"), content.get("jwks_uri")
    if said != issuer:
        raise KeysUnavailable(
            f"no keys of {issuer!r}: {place!r} is the document of {_shown(said)}; "
            "if that is your issuer, set api.auth.issuer to exactly this value"
        )
    if not isinstance(address, str) or not address.startswith("https://"):
        raise KeysUnavailable(f"no keys of {issuer!r}: jwks_uri of {place!r} is {_shown(address)} and not https://...")
    return address


def _shown(value: object) -> str:
    return repr(value)[:_SHOWN_CHARS]

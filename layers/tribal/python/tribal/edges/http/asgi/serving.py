"""How a server is reached, whom it answers, and its limits."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from tribal.edges.http.identity.callers import Callers

LARGEST_MCP_BODY_BYTES = 4 * 1024 * 1024
"""The limit of the MCP SDK's own transport."""
BODY_SECONDS = 15.0
"""In which a body must have arrived. By judgement: 4 MiB take that long at 2 Mbit/s."""
HEADER_SECONDS = 10.0
"""In which a request's headers must have arrived. By judgement, as nginx and Apache give 20 to 60 s to slower lines."""
STALLED_SECONDS = 20.0
"""How long a client may take nothing of an answer that waits for it."""
BODIES_BYTES = 32 * 1024 * 1024
"""What all bodies that are being received may hold together."""
CONNECTIONS = 2_000
"""Connections at once; beyond them a request is refused as the server is busy."""
_LOCAL = frozenset({"localhost"})


@dataclass(frozen=True, slots=True)
class Serving:
    """The settings of one server."""

    callers: Callers
    public_url: str | None = None
    """Where people reach it through a proxy."""
    hosts: frozenset[str] = frozenset()
    """Names by which it may be addressed, beside `localhost` and addresses in digits."""
    signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs what is shown before it is written; the same in every process of a server."""
    issuer: str | None = None
    rights: tuple[str, ...] = ()
    """The scopes that clients may ask the issuer for."""
    one_process: bool = True
    """Whether all requests come to this process, so that it can keep sessions."""
    requests_per_minute: int = 1_200
    """How many requests whoever bears a token may send."""

    def base(self, scheme: str, host: str) -> str:
        """The absolute address of the server, for a request that came in by this scheme and host."""
        return self.public_url or f"{scheme}://{host}"

    def is_own_host(self, host: str) -> bool:
        """Whether the server may be addressed by the value of a header `Host`.

        A name that the server does not know may have been pointed at it by a page of another site (DNS rebinding). An
        address in digits cannot be: a browser sends the name that it looked up.
        """
        name = host_name(host)
        if name is None:
            return False
        public = urlsplit(self.public_url).hostname if self.public_url else None
        return name in _LOCAL or name in self.hosts or name == public or _is_address(name)

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Whether the value of a header `Origin` is a page of this server, for a request to that host."""
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        public = urlsplit(self.public_url or "")
        return parts.netloc.lower() in (host.lower(), public.netloc.lower())


def host_name(host: str) -> str | None:
    """The name in a `Host` without its port, in lower case; `None` when it is none."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return name.removesuffix(".")


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what is bound to a host."""
    return host in _LOCAL or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

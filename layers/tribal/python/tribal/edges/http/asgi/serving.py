"""The settings and limits of a server."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field, replace
from urllib.parse import urlsplit

from tribal.edges.http.identity.callers import Callers
from tribal.ports.caller import Caller

LARGEST_MCP_BODY_BYTES = 4 * 1024 * 1024
"""The limit of the MCP SDK's own transport."""
BODY_SECONDS = 15.0
"""Time limit for a body. By judgement: 4 MiB take that long at 2 Mbit/s."""
HEADER_SECONDS = 10.0
"""Time limit for a request's headers. By judgement; nginx and Apache allow 20 to 60 s."""
STALLED_SECONDS = 20.0
"""How long a client may read nothing of its answer."""
BODIES_BYTES = 32 * 1024 * 1024
"""Limit for all bodies in memory together."""
CONNECTIONS = 2_000
"""Maximum number of connections; beyond it, requests are refused as busy."""
_LOCAL = frozenset({"localhost"})


@dataclass(frozen=True, slots=True)
class Serving:
    """The settings of one server."""

    callers: Callers
    public_url: str | None = None
    """Its public address behind a proxy."""
    hosts: frozenset[str] = frozenset()
    """Host names that it accepts, besides `localhost` and IP addresses."""
    origins: frozenset[str] = frozenset()
    """Other sites whose pages may call it."""
    write_rights: frozenset[str] = frozenset()
    """Rights that callers without a token have only where no page of another site acts for them."""
    signing_key: bytes = field(default_factory=lambda: secrets.token_bytes(32), repr=False)
    """Signs previews of corrections; the same in every process of a server."""
    issuer: str | None = None
    rights: tuple[str, ...] = ()
    """The scopes that clients may request from the issuer."""
    one_process: bool = True
    """Whether this process gets all requests, so that it can keep sessions."""
    requests_per_minute: int = 1_200
    """Rate limit for callers with a token."""

    def base(self, scheme: str, host: str) -> str:
        """The absolute address of the server, for a request with this scheme and host."""
        return self.public_url or f"{scheme}://{host}"

    def is_own_host(self, host: str) -> bool:
        """Whether the server accepts the value of a `Host` header.

        An unknown name may be an attack by a page of another site (DNS rebinding). An IP address cannot be:
        browsers send the name that they looked up.
        """
        name = host_name(host)
        if name is None:
            return False
        public = urlsplit(self.public_url).hostname if self.public_url else None
        return name in _LOCAL or name in self.hosts or name == public or _is_address(name)

    def on_other_page(self, caller: Caller) -> Caller:
        """The caller for whom a page of another site acts: only to read, unless the caller gave it a token."""
        if caller is not self.callers.without_token or caller.rights is None:
            return caller
        return replace(caller, rights=caller.rights - self.write_rights)

    def is_own_origin(self, origin: str, host: str) -> bool:
        """Whether the value of an `Origin` header is this server, for a request to that host."""
        parts = urlsplit(origin)
        if parts.scheme not in ("http", "https") or not parts.netloc:
            return False
        public = urlsplit(self.public_url or "")
        return parts.netloc.lower() in (host.lower(), public.netloc.lower())


def host_name(host: str) -> str | None:
    """The lower-case name in a `Host` header, without the port; `None` when it is invalid."""
    try:
        parts = urlsplit(f"//{host}")
        name, _ = parts.hostname, parts.port
    except ValueError:
        return None
    if not name or parts.username is not None or parts.path or parts.query or parts.fragment:
        return None
    return name.removesuffix(".")


def is_loopback(host: str) -> bool:
    """Whether a server bound to this host can be reached only from this machine."""
    return host in _LOCAL or (_is_address(host) and ipaddress.ip_address(host).is_loopback)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True

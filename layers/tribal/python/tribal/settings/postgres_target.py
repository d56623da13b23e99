"""The address of a PostgreSQL database and how to log in to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from pydantic import JsonValue, SecretStr

SslMode = Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
TlsVersion = Literal["TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"]
TLS_VERSIONS: tuple[TlsVersion, ...] = get_args(TlsVersion)
SSL_MODES: tuple[SslMode, ...] = get_args(SslMode)
DEFAULT_PORT = 5432
LoginMethod = Literal["password", "md5", "scram-sha-256", "gss", "sspi", "oauth", "none"]
LOGIN_METHODS: tuple[LoginMethod, ...] = get_args(LoginMethod)
"""The methods of libpq's `require_auth`; `password` is a plain-text password."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresTarget:
    """One database on one server; its `repr` shows no password."""

    host: str = "localhost"
    host_address: str | None = None
    """The IP address to connect to instead of looking up the host, whose name the certificate must still have."""
    port: int = DEFAULT_PORT
    database: str
    user: str
    password: SecretStr | None = None
    ssl_mode: SslMode = "prefer"
    ssl_root_certificate: Path | Literal["system"] | None = None
    """Trusted root certificates; `None` and `"system"` mean the operating system's."""
    ssl_certificate: Path | None = None
    """The client certificate, for servers that ask for one."""
    ssl_key: Path | None = None
    """The key of the client certificate; `None` when it is in the same file."""
    ssl_revocation_list: Path | None = None
    """Revoked certificates; checked where the server's certificate is."""
    tls_versions: tuple[TlsVersion | None, TlsVersion | None] = ("TLSv1.2", None)
    """The oldest and the newest version allowed; `None` for no limit."""
    unix_socket: str | None = None
    """Path of the socket file, for example `/run/postgresql/.s.PGSQL.5432`; overrides host and TLS."""
    application_name: str = "tribal"
    connect_timeout_seconds: float | None = None
    """Overrides the configured limit of the same name when it is shorter."""
    options: str | None = None
    """Sent as the startup parameter `options`; some hosted servers use it to select the endpoint."""
    login_methods: frozenset[LoginMethod] | None = None
    """Authentication methods that the server may use (`require_auth`); `None` if not set."""
    clear_text_allowed: bool = False
    """Whether the password may be sent in plain text to a server whose identity is not verified."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """Warnings for the user about how this target was determined."""

    @property
    def place(self) -> str:
        """Host and port, or the socket, for messages."""
        if self.unix_socket is not None:
            return f"socket {self.unix_socket!r}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    @property
    def verifies_server(self) -> bool:
        """Whether the certificate must prove the server's identity.

        `verify-ca` does so only with a private authority: a public one signs for anyone.
        """
        if self.unix_socket is not None or self.ssl_mode not in ("verify-ca", "verify-full"):
            return False
        return self.ssl_mode == "verify-full" or self.ssl_root_certificate not in (None, "system")

    def __str__(self) -> str:
        return f"database {self.database!r} at {self.place} as user {self.user!r}"

    def as_context(self) -> dict[str, JsonValue]:
        """The same as data, for the context of an error."""
        where: dict[str, JsonValue]
        where = {"socket": self.unix_socket} if self.unix_socket else {"host": self.host, "port": self.port}
        return {**where, "database": self.database, "user": self.user}

"""Where a PostgreSQL database is and how it is entered."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from pydantic import JsonValue, SecretStr

SslMode = Literal["disable", "allow", "prefer", "require", "verify-ca", "verify-full"]
SSL_MODES: tuple[SslMode, ...] = get_args(SslMode)
DEFAULT_PORT = 5432


@dataclass(frozen=True, slots=True, kw_only=True)
class PostgresTarget:
    """One database on one server; its `repr` shows no password."""

    host: str = "localhost"
    port: int = DEFAULT_PORT
    database: str
    user: str
    password: SecretStr | None = None
    ssl_mode: SslMode = "prefer"
    ssl_root_certificate: Path | Literal["system"] | None = None
    """Certificates that the server's is checked against; `None` and `"system"` are the operating system's."""
    ssl_certificate: Path | None = None
    """The certificate by which this side proves who it is, where the server asks for one."""
    ssl_key: Path | None = None
    """The key of that certificate; `None` where it lies in the same file."""
    unix_socket: str | None = None
    """Path of the socket itself, for example `/run/postgresql/.s.PGSQL.5432`; host and TLS do not matter then."""
    application_name: str = "tribal"
    connect_timeout_seconds: float | None = None
    """Comes before the limit of the same name, when it is shorter."""
    options: str | None = None
    """Sent as the startup parameter `options`; some hosted servers choose the endpoint by it."""
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """What a person should know of how this target came about."""

    @property
    def place(self) -> str:
        """Host and port, or the socket, for messages."""
        if self.unix_socket is not None:
            return f"socket {self.unix_socket!r}"
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"

    def __str__(self) -> str:
        return f"database {self.database!r} at {self.place} as user {self.user!r}"

    def as_context(self) -> dict[str, JsonValue]:
        """The same as data, for the context of an error."""
        where: dict[str, JsonValue]
        where = {"socket": self.unix_socket} if self.unix_socket else {"host": self.host, "port": self.port}
        return {**where, "database": self.database, "user": self.user}

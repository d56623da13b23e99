"""The address of a Snowflake database and how to log in to it."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, get_args

from pydantic import JsonValue, SecretStr

SnowflakeLogin = Literal["key_pair", "workload_identity", "oauth", "programmatic_token", "password"]
SNOWFLAKE_LOGINS: tuple[SnowflakeLogin, ...] = get_args(SnowflakeLogin)
WorkloadProvider = Literal["aws", "oidc"]
DOMAIN = "snowflakecomputing.com"
HTTPS_PORT = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class SnowflakeTarget:
    """One database of one account; its `repr` shows no secret."""

    account: str
    """The account identifier, such as `myorg-account1` or `xy12345.eu-central-1`."""
    database: str
    """As it is stored: `SHOP` for what SQL calls shop."""
    login: SnowflakeLogin
    user: str | None = None
    """`None` if the workload identity determines the user."""
    role: str | None = None
    """`None` for the default role of the user."""
    warehouse: str | None = None
    """The warehouse; without one, nothing that costs credits is done."""
    host: str | None = None
    """`None` for the account's own host."""
    port: int = HTTPS_PORT
    protocol: Literal["https", "http"] = "https"
    secret: SecretStr | None = None
    """The private key in PEM, the token or the password; `None` if the login needs none."""
    passphrase: SecretStr | None = None
    """Passphrase of an encrypted private key."""
    secret_name: str | None = None
    """The secret that holds `secret`."""
    passphrase_name: str | None = None
    """The secret that holds `passphrase`."""
    key_file: Path | None = None
    """File with the private key, instead of a secret."""
    workload_provider: WorkloadProvider | None = None
    proxy_host: str | None = None
    proxy_port: int | None = None
    warnings: tuple[str, ...] = field(default=(), compare=False)
    """Warnings for the user about how this target was determined."""

    @property
    def server(self) -> str:
        """The host to connect to."""
        return self.host or f"{self.account}.{DOMAIN}"

    @property
    def place(self) -> str:
        """Host, and port if it is not the default, for messages."""
        return self.server if self.port == HTTPS_PORT else f"{self.server}:{self.port}"

    def __str__(self) -> str:
        who = "by workload identity" if self.user is None else f"as user {self.user!r}"
        return f"database {self.database!r} at {self.place} {who}"

    def as_context(self) -> dict[str, JsonValue]:
        """The same as data, for the context of an error."""
        return {
            "host": self.server,
            "port": self.port,
            "database": self.database,
            **({} if self.user is None else {"user": self.user}),
            **({} if self.role is None else {"role": self.role}),
        }

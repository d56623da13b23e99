"""Passwords for Amazon RDS and Aurora that the AWS identity at hand makes, each good for a quarter of an hour."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError
from pydantic import SecretStr

from tribal.adapters.aws.clients import aws_client
from tribal.errors import ConfigurationError, DatabaseUnreachable

if TYPE_CHECKING:
    from tribal.settings.postgres_target import PostgresTarget

_HOST = re.compile(r"\.(?P<region>[a-z]{2}(?:-[a-z]+)+-\d)\.rds\.amazonaws\.com(?:\.cn)?\Z")
_VERIFIED = frozenset({"require", "verify-ca", "verify-full"})


def token_source(
    target: PostgresTarget, *, region: str | None = None, role: str | None = None
) -> Callable[[], SecretStr]:
    """What makes a fresh token for each login of a target's user.

    Args:
        target: its host, port and user are what a token is for.
        region: of the server; else its host's name says it, else the environment.
        role: to assume; else the identity at hand.

    Raises:
        ConfigurationError: when the connection is not encrypted: a server takes tokens over TLS alone.
    """
    if target.ssl_mode not in _VERIFIED:
        raise ConfigurationError(
            f"a login by IAM at {target.host!r} needs TLS, and sslmode is {target.ssl_mode!r}; write "
            "sslmode=verify-full into the DSN, with sslrootcert naming the authorities of RDS"
        )
    named = _HOST.search(target.host)
    client = aws_client("rds", region=region or (named["region"] if named else None), role=role)

    def token() -> SecretStr:
        try:
            made = client.generate_db_auth_token(DBHostname=target.host, Port=target.port, DBUsername=target.user)
        except (BotoCoreError, ClientError) as error:
            raise DatabaseUnreachable(
                f"no token could be made for user {target.user!r} at {target.host!r}: {error}; check the AWS identity"
            ) from error
        return SecretStr(made)

    return token

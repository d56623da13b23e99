"""IAM authentication tokens for Amazon RDS and Aurora, used as passwords and valid for 15 minutes."""

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


def token_source(
    target: PostgresTarget, *, region: str | None = None, role: str | None = None
) -> Callable[[], SecretStr]:
    """Build a function that creates a fresh token for each login of the target's user.

    Args:
        target: tokens are made for its host, port and user. region: the server's region; defaults to the one in its
        host name, else that of the environment. role: ARN of a role to assume; defaults to the current identity.

    Raises:
        ConfigurationError: when the server's identity is not verified: anyone with a token can log in.
    """
    if not target.verifies_server:
        mode = target.ssl_mode + (" without sslrootcert" if target.ssl_mode == "verify-ca" else "")
        raise ConfigurationError(
            f"a login by IAM at {target.host!r} sends a token that anyone could use to log in, and sslmode="
            f"{mode} does not verify the server; write sslmode=verify-full, with sslrootcert naming the file of the "
            "authorities of RDS (https://truststore.pki.rds.amazonaws.com/global/global-bundle.pem)"
        )
    named = _HOST.search(target.host)
    client = aws_client("rds", region=region or (named["region"] if named else None), role=role)

    def token() -> SecretStr:
        try:
            made = client.generate_db_auth_token(DBHostname=target.host, Port=target.port, DBUsername=target.user)
        except (BotoCoreError, ClientError) as error:
            raise DatabaseUnreachable(
                f"cannot create a token for user {target.user!r} at {target.host!r}: {error}; check the AWS identity"
            ) from error
        return SecretStr(made)

    return token

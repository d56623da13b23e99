"""Clients of Amazon Web Services, all with the same bounds on time and on attempts."""

from __future__ import annotations

from typing import Any

_CONNECT_SECONDS = 5
_READ_SECONDS = 30
_CONNECTIONS = 32
_SESSION = "tribal-knowledge"

ATTEMPTS = 5
"""At a call whose answer is an error that may pass; the pauses between them grow to some seconds."""

ACCESS_DENIED = frozenset({"AccessDenied", "AccessDeniedException", "403", "Forbidden"})
"""Error codes by which a service says that a permission is missing."""


def aws_client(
    service: str,
    *,
    region: str | None = None,
    endpoint: str | None = None,
    profile: str | None = None,
    role: str | None = None,
    attempts: int = ATTEMPTS,
) -> Any:
    """A client that tries a throttled or broken call again a few times, and never waits without end.

    Args:
        service: as boto3 names it, such as `s3`.
        region: where; else what the environment and the profile say.
        endpoint: another address than the region's own.
        profile: of the user's AWS configuration.
        role: ARN of a role to work as, for an hour; the identity at hand must be allowed to assume it.
        attempts: at one call, the first included.
    """
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        max_pool_connections=_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": attempts},
    )
    session = boto3.Session(profile_name=profile, region_name=region)
    if role is not None:
        assumed = session.client("sts", config=config).assume_role(RoleArn=role, RoleSessionName=_SESSION)
        keys = assumed["Credentials"]
        session = boto3.Session(
            aws_access_key_id=keys["AccessKeyId"],
            aws_secret_access_key=keys["SecretAccessKey"],
            aws_session_token=keys["SessionToken"],
            region_name=region,
        )
    return session.client(service, endpoint_url=endpoint, config=config)


def error_code(error: Exception) -> str:
    """The code of a vendor's error as the service sent it; empty when no service answered."""
    response = getattr(error, "response", None) or {}
    return str(response.get("Error", {}).get("Code", ""))

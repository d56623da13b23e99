"""AWS clients, all with the same timeouts and retry limits, and the outputs of a stack."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

from tribal.errors import ConfigurationError, DeploymentRefused, DeploymentUnreachable

_CONNECT_SECONDS = 5
_READ_SECONDS = 30
_CONNECTIONS = 64
_SESSION = "tribal-knowledge"
_NO_REGION = "no AWS region is configured; set AWS_REGION, or run `aws configure`"

ATTEMPTS = 5
"""Attempts at a call that fails with a transient error; the pauses between them grow to a few seconds."""

ACCESS_DENIED = frozenset({"AccessDenied", "AccessDeniedException", "403", "Forbidden"})
"""Error codes for a missing permission."""
NOT_LOGGED_IN = frozenset(
    {
        "ExpiredToken",
        "ExpiredTokenException",
        "IncompleteSignature",
        "InvalidAccessKeyId",
        "InvalidClientTokenId",
        "InvalidSignatureException",
        "MissingAuthenticationToken",
        "SignatureDoesNotMatch",
        "UnrecognizedClientException",
    }
)
"""Error codes for missing, unknown or expired credentials."""
LOG_IN = "log in (`aws configure`, `aws sso login`), or name credentials with AWS_PROFILE or aws_profile"
"""Advice for when there are no valid credentials."""


def aws_client(
    service: str,
    *,
    region: str | None = None,
    endpoint: str | None = None,
    profile: str | None = None,
    role: str | None = None,
    attempts: int = ATTEMPTS,
) -> Any:
    """A boto3 client that retries throttled and failed calls a few times and always has a timeout.

    Args:
        service: name of the service in boto3, such as `s3`.
        region: defaults to that of the environment or the profile.
        endpoint: overrides the region's endpoint.
        profile: profile of the user's AWS configuration.
        role: ARN of a role to assume, in sessions of one hour.
        attempts: maximum number of attempts at a call, including the first.

    Raises:
        ConfigurationError: when no region is known, or the profile does not exist.
    """
    from botocore.config import Config
    from botocore.exceptions import NoRegionError, ProfileNotFound

    config = Config(
        connect_timeout=_CONNECT_SECONDS,
        read_timeout=_READ_SECONDS,
        max_pool_connections=_CONNECTIONS,
        retries={"mode": "standard", "total_max_attempts": attempts},
        # In us-east-1, addresses for other people would have the older signature, which new buckets refuse.
        signature_version="s3v4" if service == "s3" else None,
    )
    try:
        session = _session(profile, region, role, config)
        return session.client(service, endpoint_url=endpoint, config=config)
    except ProfileNotFound as exc:
        raise ConfigurationError(
            f"the AWS configuration has no such profile: {exc}; `aws configure list-profiles`"
        ) from exc
    except NoRegionError as exc:
        raise ConfigurationError(_NO_REGION) from exc


def _session(profile: str | None, region: str | None, role: str | None, config: Any) -> Any:
    session = _new_session(profile_name=profile, region_name=region)
    if session.region_name == "":
        # An empty variable would produce an endpoint without a region.
        raise ConfigurationError(_NO_REGION)
    if role is None:
        return session
    assumed = session.client("sts", config=config).assume_role(RoleArn=role, RoleSessionName=_SESSION)
    keys = assumed["Credentials"]
    return _new_session(
        aws_access_key_id=keys["AccessKeyId"],
        aws_secret_access_key=keys["SecretAccessKey"],
        aws_session_token=keys["SessionToken"],
        region_name=region,
    )


def _new_session(**options: str | None) -> Any:
    import boto3
    import botocore.session

    plain = botocore.session.get_session()
    loader = _loader(plain.get_config_variable("data_path"))
    plain.register_component("data_loader", loader)
    session = boto3.Session(botocore_session=plain, **options)
    # Each session adds boto3's own folder.
    loader.search_paths[:] = dict.fromkeys(loader.search_paths)
    return session


@cache
def _loader(data_path: str | None) -> Any:
    """The shared loader of service models; its cache lets a warm function create clients in a fifth of the time."""
    from botocore.loaders import create_loader

    return create_loader(data_path)


@contextmanager
def translate_errors(attempt: str, permission: str) -> Iterator[None]:
    """Translate boto3 errors from the services of a deployed environment.

    Raises:
        DeploymentRefused: when permissions or credentials are missing.
        DeploymentUnreachable: when the service did not answer, or failed. Retryable.
    """
    from botocore.exceptions import (
        BotoCoreError,
        ClientError,
        CredentialRetrievalError,
        NoCredentialsError,
        PartialCredentialsError,
        SSOError,
        TokenRetrievalError,
    )
    from botocore.parsers import ResponseParserError

    try:
        yield
    except ClientError as exc:
        code = error_code(exc)
        if code in ACCESS_DENIED:
            raise DeploymentRefused(
                f"cannot {attempt}: access is denied; allow {permission} for your identity"
            ) from exc
        if code in NOT_LOGGED_IN:
            raise DeploymentRefused(f"cannot {attempt}: AWS does not know who you are ({code}); {LOG_IN}") from exc
        raise DeploymentUnreachable(f"cannot {attempt}: AWS returned {code or 'an error'}; try again") from exc
    except (
        CredentialRetrievalError,
        NoCredentialsError,
        PartialCredentialsError,
        SSOError,
        TokenRetrievalError,
    ) as exc:
        raise DeploymentRefused(f"cannot {attempt}: {exc}; {LOG_IN}") from exc
    except BotoCoreError as exc:
        raise DeploymentUnreachable(f"cannot {attempt}: {exc}; check the network and the region") from exc
    except ResponseParserError as exc:
        # Its message quotes the whole response.
        raise DeploymentUnreachable(
            f"cannot {attempt}: the response is not from AWS; check the network and proxies, and try again"
        ) from exc


def error_code(error: Exception) -> str:
    """The error code that the service sent; empty when no service answered."""
    response = getattr(error, "response", None) or {}
    return str(response.get("Error", {}).get("Code", ""))


def stack_outputs(client: Any, stack: str, hint: str) -> dict[str, str]:
    """The outputs of a stack, by name.

    Args:
        client: a boto3 client for CloudFormation.
        stack: name of the stack.
        hint: tells the user what to do when the stack does not exist.

    Raises:
        ConfigurationError: when the stack does not exist.
        DeploymentRefused: when the caller lacks permission.
        DeploymentUnreachable: when CloudFormation did not answer. Retryable.
    """
    from botocore.exceptions import ClientError

    with translate_errors(f"read the outputs of the stack {stack!r}", "cloudformation:DescribeStacks"):
        try:
            (found,) = client.describe_stacks(StackName=stack)["Stacks"]
        except ClientError as exc:
            if error_code(exc) != "ValidationError":
                raise
            raise ConfigurationError(f"there is no stack {stack!r} in {client.meta.region_name}; {hint}") from exc
    return {output["OutputKey"]: output["OutputValue"] for output in found.get("Outputs", ())}

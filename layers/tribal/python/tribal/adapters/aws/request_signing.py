"""Signs requests to API Gateway (SigV4) with botocore."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.exceptions import ProfileNotFound
from botocore.session import Session

from tribal.adapters.aws.clients import LOG_IN, translate_errors
from tribal.errors import ConfigurationError, DeploymentRefused

_SERVICE = "execute-api"

Sign = Callable[[str, str, bytes, Mapping[str, str]], dict[str, str]]
"""Returns all headers to send, given the method, address, body and headers of a request."""


def request_signer(region: str, profile: str | None = None) -> Sign:
    """Build a signer with the current AWS identity, or that of a profile.

    Raises:
        ConfigurationError: when the profile does not exist.
        DeploymentRefused: when there are no credentials to sign with.
    """
    session = Session(profile=profile)
    with translate_errors("sign a request", "nothing"):
        try:
            credentials = session.get_credentials()
        except ProfileNotFound as exc:
            raise ConfigurationError(f"the AWS configuration has no such profile: {exc}") from exc
    if credentials is None:
        raise DeploymentRefused(f"cannot sign a request: no AWS credentials were found; {LOG_IN}")

    def sign(method: str, address: str, body: bytes, headers: Mapping[str, str]) -> dict[str, str]:
        request = AWSRequest(method, address, data=body, headers=dict(headers))
        with translate_errors("sign a request", "nothing"):
            SigV4Auth(credentials.get_frozen_credentials(), _SERVICE, region).add_auth(request)
        return dict(request.headers.items())

    return sign

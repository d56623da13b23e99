"""Signs requests to Bedrock (SigV4) with the current AWS identity."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from tribal.adapters.aws.clients import LOG_IN, translate_errors
from tribal.errors import ConfigurationError, DeploymentRefused

if TYPE_CHECKING:
    import httpx2

_SIGNED = ("authorization", "x-amz-date", "x-amz-security-token", "x-amz-content-sha256")


class AwsSignature:
    """Signs requests with credentials from the default AWS chain.

    They are found and renewed in a thread, because that may wait for a service; the SDK would do the same, but then
    nothing could end the wait.
    """

    def __init__(self, service: str, region: str) -> None:
        from botocore.session import Session

        self._service = service
        self._region = region
        self._session = Session()
        self._frozen: object = None

    @property
    def current(self) -> object:
        """The credentials, as they were last found."""
        return self._frozen

    async def prepare(self) -> None:
        """Find the credentials, or renew those that expire soon."""
        self._frozen = await asyncio.to_thread(self._find)

    def _find(self) -> object:
        from botocore.exceptions import ProfileNotFound

        with translate_errors("sign a request to Bedrock", "nothing"):
            try:
                credentials = self._session.get_credentials()
            except ProfileNotFound as exc:
                raise ConfigurationError(f"the AWS configuration has no such profile: {exc}") from exc
            if credentials is None:
                raise DeploymentRefused(f"no AWS credentials were found; {LOG_IN}")
            return credentials.get_frozen_credentials()

    def headers(self, request: httpx2.Request) -> Mapping[str, str]:
        """The signature of a request."""
        from botocore.auth import SigV4Auth
        from botocore.awsrequest import AWSRequest

        signed = AWSRequest(request.method, str(request.url), data=request.content, headers=dict(request.headers))
        SigV4Auth(self._frozen, self._service, self._region).add_auth(signed)
        return {name: signed.headers[name] for name in _SIGNED if name in signed.headers}

    async def renew(self, refused: object) -> bool:  # noqa: ARG002 - of the protocol
        """There are no others: expired ones were renewed already."""
        return False

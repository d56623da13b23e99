"""Workload identity: who signs in without a secret of Snowflake's, and the proxy that leads the connector here.

https://docs.snowflake.com/en/user-guide/workload-identity-federation ; what is sent was recorded from the connector
5.2: for AWS a signed GetCallerIdentity, in base64, for OIDC the token itself. The errors' number is assumed.
"""

from __future__ import annotations

import base64
import binascii
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

import jwt
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

from tests.e2e.signatures import NotSigned, signer_of
from tests.fakes.http_server import HttpServer, Request, Response
from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import User
from tests.fakes.snowflake.errors import LoginError

AUDIENCE = "snowflakecomputing.com"
_STS = re.compile(r"https://sts\.[a-z0-9-]+\.amazonaws\.com/?\?Action=GetCallerIdentity&Version=2011-06-15")
_ASSUMED = re.compile(r"arn:aws:sts::(\d+):assumed-role/([^/]+)/.+")
_FRESH = timedelta(minutes=15)


@dataclass
class Workloads:
    """Whom the clouds and issuers vouch for."""

    account: Account
    aws: dict[str, tuple[str, str]] = field(default_factory=dict)
    """Secret and ARN of the caller, by access key."""
    issuers: dict[str, RSAPublicKey] = field(default_factory=dict)
    """Keys by issuer."""

    def enter(self, data: dict[str, Any]) -> User:
        """The user of a workload.

        Raises:
            LoginError: nobody vouches for it, or it is no user's.
        """
        provider = str(data.get("PROVIDER", "")).upper()
        proofs: dict[str, Callable[[str], str]] = {"AWS": self._role, "OIDC": self._subject}
        if provider in proofs:
            subject = proofs[provider](str(data.get("TOKEN", "")))
            for user in self.account.users.values():
                if (provider, subject) in user.workloads:
                    return user
        raise _refused()

    def _role(self, token: str) -> str:
        try:
            sent = json.loads(base64.b64decode(token, validate=True))
            headers = {name.lower(): value for name, value in sent["headers"].items()}
            moment = datetime.strptime(headers["x-amz-date"], "%Y%m%dT%H%M%SZ").replace(tzinfo=UTC)
            key = signer_of(
                sent["method"], sent["url"], headers, b"", service="sts", secret_of=lambda key: self.aws[key][0]
            )
        except (binascii.Error, ValueError, KeyError, NotSigned) as error:
            raise _refused() from error
        stale = abs(datetime.now(UTC) - moment) > _FRESH
        meant = headers.get("x-snowflake-audience") == AUDIENCE and "x-snowflake-audience" in headers["authorization"]
        if stale or not meant or not _STS.fullmatch(sent["url"]) or headers["host"] != urlsplit(sent["url"]).netloc:
            raise _refused()
        # Users are made for a role; STS names the session that assumed it.
        return _ASSUMED.sub(r"arn:aws:iam::\1:role/\2", self.aws[key][1])

    def _subject(self, token: str) -> str:
        try:
            issuer = jwt.decode(token, options={"verify_signature": False})["iss"]
            claims = jwt.decode(
                token,
                self.issuers[issuer],
                algorithms=["RS256"],
                audience=AUDIENCE,
                options={"require": ["exp", "iss", "sub", "aud"]},
            )
        except (jwt.InvalidTokenError, KeyError) as error:
            raise _refused() from error
        return f"{issuer} {claims['sub']}"


def _refused() -> LoginError:
    return LoginError("390100", "Workload identity could not be authenticated.")


class ForwardProxy:
    """Leads every host to one server, for the connector sends workload identities to Snowflake's hosts alone."""

    def __init__(self, handle: Callable[[Request], Any]) -> None:
        self._handle = handle
        self.hosts: set[str] = set()
        """Whom clients asked for."""
        self._server = HttpServer(self._forward)

    @property
    def port(self) -> int:
        """Where it listens, on 127.0.0.1."""
        return self._server.port

    def stop(self) -> None:
        """Close the port."""
        self._server.stop()

    async def _forward(self, request: Request) -> Response:
        url = urlsplit(request.path)
        if not url.netloc:
            return Response(400, b"not a request for a proxy")
        self.hosts.add(url.netloc)
        path = url.path + (f"?{url.query}" if url.query else "")
        response: Response = await self._handle(replace(request, path=path))
        return response

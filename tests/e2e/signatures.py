"""Whose signature (SigV4) a request bears, worked out again as the service would."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from typing import Any

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

_AUTHORIZATION = re.compile(
    r"AWS4-HMAC-SHA256 Credential=(?P<key>[^/]+)/\d{8}/(?P<region>[^/]+)/(?P<service>[^/]+)/aws4_request, ?"
    r"SignedHeaders=(?P<headers>[^,]+), ?Signature=(?P<signature>[0-9a-f]{64})"
)


class NotSigned(Exception):
    """A request without a signature, or with a wrong one."""


def key_of(authorization: str) -> str | None:
    """The access key that a request names, unchecked."""
    found = _AUTHORIZATION.match(authorization)
    return found["key"] if found else None


def signer_of(
    method: str,
    url: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    service: str,
    secret_of: Callable[[str], str | None],
) -> str:
    """The access key whose secret signed a request.

    Raises:
        NotSigned: when nobody did, or not for this service, or something else was signed.
    """
    given = {name.lower(): value for name, value in headers.items()}
    found = _AUTHORIZATION.match(given.get("authorization", ""))
    if found is None or found["service"] != service:
        raise NotSigned(f"no signature for {service}")
    secret = secret_of(found["key"])
    if secret is None:
        raise NotSigned("an unknown access key")
    if given.get("x-amz-content-sha256", "UNSIGNED") not in ("UNSIGNED", hashlib.sha256(body).hexdigest()):
        raise NotSigned("the body is not the one that was signed")
    signed = {name: given[name] for name in found["headers"].split(";") if name in given}
    request: Any = AWSRequest(method, url, headers=signed, data=body)
    request.context["timestamp"] = given["x-amz-date"]
    auth: Any = SigV4Auth(Credentials(found["key"], secret), service, found["region"])
    signature = auth.signature(auth.string_to_sign(request, auth.canonical_request(request)), request)
    if signature != found["signature"]:
        raise NotSigned("the signature does not fit the request")
    return found["key"]

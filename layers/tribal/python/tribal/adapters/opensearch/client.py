"""Clients of an OpenSearch domain, with signed requests or with user and password."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from opensearchpy import OpenSearch
from opensearchpy.connection import Urllib3HttpConnection

from tribal.adapters.opensearch.answers import AnswerSerializer

if TYPE_CHECKING:
    from pydantic import SecretStr

_SERVICE = "es"
"""The name under which requests to a managed domain are signed."""
_TIMEOUT_SECONDS = 30
_CONNECTIONS = 16
_RETRIES = 2
READING_SECONDS = 7
"""Timeout of a search: three attempts, which is what the reader makes, end before API Gateway gives up (29 seconds)."""


def opensearch_client(
    address: str,
    *,
    region: str | None = None,
    credentials: Any = None,
    user: str | None = None,
    password: SecretStr | None = None,
    certificates: str | None = None,
    reading: bool = False,
) -> OpenSearch:
    """A client that signs its requests if a region is given, else uses basic authentication if there is a user.

    It parses ranked hits into columns; `OpenSearchIndex` requires such a client.

    Args:
        address: such as `https://search-....eu-central-1.es.amazonaws.com`.
        region: region of the managed domain; requests are then signed (SigV4).
        credentials: botocore credentials to sign with; default to those of the environment.
        user: user for basic authentication.
        password: password of that user.
        certificates: file of certificate authorities to trust instead of the default ones.
        reading: for a reader with somebody waiting, which retries by itself: requests end early and only once.
    """
    login: dict[str, Any] = {}
    if region is not None:
        login["http_auth"] = _signer(region, credentials)
    elif user is not None:
        login["http_auth"] = (user, "" if password is None else password.get_secret_value())
    if certificates is not None:
        login["ca_certs"] = certificates
    return OpenSearch(
        hosts=[address],
        connection_class=Urllib3HttpConnection,
        timeout=READING_SECONDS if reading else _TIMEOUT_SECONDS,
        pool_maxsize=_CONNECTIONS,
        max_retries=0 if reading else _RETRIES,
        retry_on_timeout=True,
        serializer=AnswerSerializer(),
        **login,
    )


def _signer(region: str, credentials: Any) -> Any:
    # Only signing needs botocore.
    from opensearchpy import Urllib3AWSV4SignerAuth

    if credentials is None:
        from botocore.session import Session

        credentials = Session().get_credentials()
    return Urllib3AWSV4SignerAuth(credentials, region, _SERVICE)

"""Clients of an OpenSearch domain, with signed requests or with user and password.

Responses with thousands of hits are parsed into columns. Parsed naively, the hits of one query become tens of thousands
of small objects. Allocating so many triggers full garbage collections: every fourth query took twice as long.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from opensearchpy import OpenSearch
from opensearchpy.connection import Urllib3HttpConnection
from opensearchpy.exceptions import SerializationError
from opensearchpy.serializer import JSONSerializer

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
        reading: for a reader with a waiting caller, which retries by itself: requests end early and are not repeated.
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


@dataclass(frozen=True, slots=True)
class RankedHits:
    """Hits reduced to their sort values and the names of the clauses they match."""

    values: list[Any]
    """The sort values of all hits, flattened."""
    names: list[str]
    """The matched clause names of each hit, joined by commas; empty when the search names no clauses."""
    count: int

    def column(self, number: int) -> list[Any]:
        """The sort value at one position, of every hit."""
        return self.values[number :: len(self.values) // self.count]


class AnswerSerializer(JSONSerializer):
    """JSON serializer that turns the ranked hits of a search into one `RankedHits`."""

    def loads(self, s: str) -> Any:
        """Parse a response."""
        try:
            return json.loads(s, object_hook=_Columns())
        except (ValueError, TypeError) as exc:
            raise SerializationError(s, exc) from exc


class _Columns:
    """JSON object hook that collects the values of each hit as it is parsed, for the list that encloses them."""

    def __init__(self) -> None:
        self._values: list[Any] = []
        self._names: list[str] = []

    def __call__(self, read: dict[str, Any]) -> Any:
        values = read.get("sort")
        if values is not None and "_id" not in read:
            self._values += values
            names = read.get("matched_queries")
            if names is not None:
                self._names.append(",".join(names))
            return None
        if self._values and isinstance(read.get("hits"), list):
            read["hits"] = RankedHits(self._values, self._names, len(read["hits"]))
            self._values, self._names = [], []
        return read

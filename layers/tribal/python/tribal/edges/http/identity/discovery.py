"""Finds an issuer's key set where its discovery document says that it is.

Source: OpenID Connect Discovery 1.0, sections 3 and 4: https://openid.net/specs/openid-connect-discovery-1_0.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from tribal.edges.http.identity.download import download
from tribal.edges.http.identity.keys import KeysUnavailable

DISCOVERY_SECONDS = 5.0
"""For document and keys together: callers wait."""
_SHOWN_CHARS = 200


def download_keys(
    issuer: str, fetch: Callable[[str, float], bytes] = download, now: Callable[[], float] = time.monotonic
) -> bytes:
    """The key set of an issuer. What remembers it remembers the document with it, so that keys never outlive their
    address.

    Args:
        fetch: the body at an address within so many seconds; raises `KeysUnavailable`.
        now: seconds on a clock that never goes back.

    Raises:
        KeysUnavailable: when document or keys cannot be had, or the document is not this issuer's.
    """
    ends = now() + DISCOVERY_SECONDS
    place = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    address = _address_of_keys(issuer, place, fetch(place, DISCOVERY_SECONDS))
    return fetch(address, max(0.0, ends - now()))


def _address_of_keys(issuer: str, place: str, document: bytes) -> str:
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise KeysUnavailable(f"no keys of {issuer!r}: what {place!r} answers is no JSON") from error
    if not isinstance(content, dict):
        raise KeysUnavailable(f"no keys of {issuer!r}: what {place!r} answers is no discovery document")
    said, address = content.get("issuer"), content.get("jwks_uri")
    if said != issuer:
        raise KeysUnavailable(
            f"no keys of {issuer!r}: {place!r} is the document of {_shown(said)}; "
            "where that is your issuer, set api.auth.issuer to it, exactly as it is written here"
        )
    if not isinstance(address, str) or not address.startswith("https://"):
        raise KeysUnavailable(f"no keys of {issuer!r}: jwks_uri of {place!r} is {_shown(address)} and not https://...")
    return address


def _shown(value: object) -> str:
    return repr(value)[:_SHOWN_CHARS]

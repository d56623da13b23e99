"""Downloads an issuer's key set from the address in its discovery document.

Source: OpenID Connect Discovery 1.0, sections 3 and 4: https://openid.net/specs/openid-connect-discovery-1_0.html
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

from tribal.edges.http.identity.download import download
from tribal.edges.http.identity.keys import KeysUnavailable

DISCOVERY_SECONDS = 5.0
"""Time limit for document and keys together, since callers wait."""
_SHOWN_CHARS = 200


def download_keys(
    issuer: str, fetch: Callable[[str, float], bytes] = download, now: Callable[[], float] = time.monotonic
) -> bytes:
    """The key set of an issuer. Caching the result also caches the document, so keys never outlive their address.

    Args:
        fetch: downloads an address within a number of seconds; raises `KeysUnavailable`.
        now: seconds on a monotonic clock.

    Raises:
        KeysUnavailable: when document or keys cannot be downloaded, or the document is another issuer's.
    """
    ends = now() + DISCOVERY_SECONDS
    place = f"{issuer.rstrip('/')}/.well-known/openid-configuration"
    address = _address_of_keys(issuer, place, fetch(place, DISCOVERY_SECONDS))
    return fetch(address, max(0.0, ends - now()))


def _address_of_keys(issuer: str, place: str, document: bytes) -> str:
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise KeysUnavailable(f"no keys of {issuer!r}: {place!r} does not return JSON") from error
    if not isinstance(content, dict):
        raise KeysUnavailable(f"no keys of {issuer!r}: {place!r} is not a discovery document")
    said, address = content.get("issuer"), content.get("jwks_uri")
    if said != issuer:
        raise KeysUnavailable(
            f"no keys of {issuer!r}: {place!r} is the document of {_shown(said)}; "
            "if that is your issuer, set api.auth.issuer to exactly this value"
        )
    if not isinstance(address, str) or not address.startswith("https://"):
        raise KeysUnavailable(f"no keys of {issuer!r}: jwks_uri of {place!r} is {_shown(address)} and not https://...")
    return address


def _shown(value: object) -> str:
    return repr(value)[:_SHOWN_CHARS]

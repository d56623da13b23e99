"""The signing keys of an issuer: its published JWK set, cached for a bounded time.

PyJWT's own client is not used: it does not always distinguish an outage from an unknown key, limits neither size nor
duration of a download, and, with `cache_keys`, trusts a key for the lifetime of the process.
"""

from __future__ import annotations

import json
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import jwt
from cryptography.exceptions import UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, EllipticCurvePublicKey
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPublicKey

PublicKey = RSAPublicKey | EllipticCurvePublicKey | Ed25519PublicKey

KEY_TYPES = {"RS256": "RSA", "PS256": "RSA", "ES256": "EC", "EdDSA": "OKP"}
"""The JWK key type of each algorithm. Only asymmetric ones: with a shared secret, the server could forge tokens."""
SMALLEST_RSA_BITS = 2048
"""Source: RFC 7518, section 3.3."""
KEY_CACHE_SECONDS = 300.0
"""A withdrawn key is trusted for at most this time."""
MIN_REFRESH_SECONDS = 30.0
"""Minimum time between two downloads because of an unknown key: anyone can invent key ids."""


class KeysUnavailable(Exception):
    """The issuer's keys are unavailable, so a token cannot be checked. Retryable."""


class SigningKeys:
    """The keys of one issuer; thread-safe.

    Args:
        download: fetches the JWK set; raises `KeysUnavailable`.
        now: seconds on a monotonic clock.
    """

    def __init__(self, download: Callable[[], bytes], now: Callable[[], float] = time.monotonic) -> None:
        self._download = download
        self._now = now
        self._lock = threading.Lock()
        self._keys: Mapping[str, list[tuple[frozenset[str], PublicKey]]] = {}
        self._fetched_at: float | None = None
        self._tried_at: float | None = None

    def find(self, key_id: str, algorithm: str) -> PublicKey | None:
        """The key with this id that may verify signatures of this algorithm; `None` if the issuer has none.

        Raises:
            KeysUnavailable: when the keys cannot be downloaded.
        """
        with self._lock:
            if self._fetched_at is None or self._now() - self._fetched_at >= KEY_CACHE_SECONDS:
                self._fetch()
            if key_id not in self._keys:
                self._look_again()
            candidates = self._keys.get(key_id, [])
        return next((key for algorithms, key in candidates if algorithm in algorithms), None)

    def _look_again(self) -> None:
        if self._tried_at is None or self._now() - self._tried_at >= MIN_REFRESH_SECONDS:
            self._fetch()
        elif self._tried_at != self._fetched_at:
            raise KeysUnavailable("the issuer's keys could not be downloaded a moment ago")

    def _fetch(self) -> None:
        self._tried_at = self._now()
        self._keys = _read_key_set(self._download())
        self._fetched_at = self._tried_at


def _read_key_set(document: bytes) -> Mapping[str, list[tuple[frozenset[str], PublicKey]]]:
    """The usable keys of a JWK set by id, each with the algorithms that it may be used with; others are left out."""
    try:
        content = json.loads(document)
    except (ValueError, RecursionError) as error:
        raise KeysUnavailable("the issuer's key set is not JSON") from error
    listed = content.get("keys") if isinstance(content, dict) else None
    if not isinstance(listed, list):
        raise KeysUnavailable("the issuer's key set is not a JWK set")
    found: defaultdict[str, list[tuple[frozenset[str], PublicKey]]] = defaultdict(list)
    for entry in listed:
        if not isinstance(entry, dict) or not isinstance(entry.get("kid"), str):
            continue
        algorithms = _algorithms_of(entry)
        key = _public_key(entry, algorithms) if algorithms else None
        if key is not None:
            found[entry["kid"]].append((algorithms, key))
    return dict(found)


def _algorithms_of(entry: Mapping[str, Any]) -> frozenset[str]:
    """The signature algorithms that a key may be used with; empty if it is not a signing key."""
    if entry.get("use") not in (None, "sig"):
        return frozenset()
    wanted = entry.get("alg")
    return frozenset(name for name, kind in KEY_TYPES.items() if kind == entry.get("kty") and wanted in (None, name))


def _public_key(entry: Mapping[str, Any], algorithms: frozenset[str]) -> PublicKey | None:
    """The key, if it is well-formed, public and strong enough."""
    try:
        key = jwt.PyJWK(dict(entry), min(algorithms)).key
    except (jwt.PyJWTError, UnsupportedAlgorithm, ValueError, TypeError, AttributeError, OverflowError):
        # Raised by PyJWT and cryptography for missing or invalid members.
        return None
    if isinstance(key, RSAPublicKey):
        return key if key.key_size >= SMALLEST_RSA_BITS else None
    if isinstance(key, EllipticCurvePublicKey):
        return key if isinstance(key.curve, SECP256R1) else None
    return key if isinstance(key, Ed25519PublicKey) else None

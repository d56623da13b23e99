"""Identifies callers by bearer token, independent of any framework and of AWS."""

from tribal.edges.http.identity.challenges import METADATA_PATH, challenge, resource_metadata
from tribal.edges.http.identity.download import download, download_keys
from tribal.edges.http.identity.keys import KeysUnavailable, SigningKeys
from tribal.edges.http.identity.rules import LEEWAY_SECONDS, IdentityClaims, TokenExpired, TokenRefused, TokenRules
from tribal.edges.http.identity.tokens import Bearer, identify

__all__ = [
    "LEEWAY_SECONDS",
    "METADATA_PATH",
    "Bearer",
    "IdentityClaims",
    "KeysUnavailable",
    "SigningKeys",
    "TokenExpired",
    "TokenRefused",
    "TokenRules",
    "challenge",
    "download",
    "download_keys",
    "identify",
    "resource_metadata",
]

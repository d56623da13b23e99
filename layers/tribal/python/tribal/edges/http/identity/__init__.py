"""Who sends a request, by the bearer token in it: free of any framework and of AWS."""

from tribal.edges.http.identity.discovery import download_keys
from tribal.edges.http.identity.download import download
from tribal.edges.http.identity.keys import KeysUnavailable, SigningKeys
from tribal.edges.http.identity.rules import TokenRefused, TokenRules
from tribal.edges.http.identity.tokens import Bearer, identify

__all__ = [
    "Bearer",
    "KeysUnavailable",
    "SigningKeys",
    "TokenRefused",
    "TokenRules",
    "download",
    "download_keys",
    "identify",
]

"""Tells clients how to authenticate: protected resource metadata and the `WWW-Authenticate` header.

Sources: RFC 9728, sections 2, 3 and 5.1; RFC 6750, section 3.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

METADATA_PATH = "/.well-known/oauth-protected-resource"


def resource_metadata(base: str, path: str, issuer: str | None, rights: Sequence[str] = ()) -> dict[str, Any]:
    """The metadata of a resource.

    Args:
        base: absolute address of the server with its path prefix, without a trailing slash.
        path: path of the resource, such as `/mcp`; empty for the whole server.
        issuer: the token issuer; `None` if only our own tokens are accepted.
        rights: the scopes that a client may request from the issuer.
    """
    metadata: dict[str, Any] = {
        "resource": f"{base}{path}",
        "bearer_methods_supported": ["header"],
        "resource_name": "Tribal Knowledge",
    }
    if issuer is not None:
        metadata["authorization_servers"] = [issuer]
    if rights:
        metadata["scopes_supported"] = sorted(rights)
    return metadata


def metadata_address(base: str, path: str = "") -> str:
    """The absolute address of a resource's metadata."""
    return f"{base}{METADATA_PATH}{path}"


def challenge(base: str, path: str = "", refused: str | None = None) -> str:
    """The value of `WWW-Authenticate` for a request without a token, or with one that was refused for this reason."""
    parts = {} if refused is None else {"error": "invalid_token", "error_description": refused}
    parts["resource_metadata"] = metadata_address(base, path)
    return "Bearer " + ", ".join(f'{name}="{value}"' for name, value in parts.items())

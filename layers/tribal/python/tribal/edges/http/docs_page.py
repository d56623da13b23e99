"""`/docs`: the API reference as one self-contained page without scripts."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from html import escape
from typing import Any

from tribal.edges.http.messages import HTML, Response
from tribal.edges.http.openapi import openapi
from tribal.edges.http.routing import Call

_STYLE = """
:root { color-scheme: light dark; }
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 60rem; margin: 0 auto; padding: 1rem; }
h2 { margin-top: 2rem; font-size: 1.1rem; }
code, pre { font-family: ui-monospace, monospace; font-size: 0.9rem; }
pre { overflow-x: auto; padding: 0.75rem; border: 1px solid; border-radius: 0.25rem; }
.method { font-weight: bold; margin-right: 0.5rem; }
"""
_STYLE_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{_STYLE_HASH}'",
        *(f"{what} 'none'" for what in ("frame-ancestors", "base-uri", "form-action")),
    )
)


def answer_docs(call: Call) -> Response:
    """The page."""
    document = openapi(call.routes, call.tools, call.request.base)
    return Response(200, docs_page(document).encode(), HTML, headers={"Content-Security-Policy": _POLICY})


def docs_page(document: Mapping[str, Any]) -> str:
    """The page of an OpenAPI document."""
    info, address = document["info"], document["servers"][0]["url"].rstrip("/")
    operations = "".join(
        _operation(method, path, operation, address)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>{escape(info['title'])}: API</title><style>{_STYLE}</style></head><body><main>"
        f"<h1>{escape(info['title'])} {escape(info['version'])}</h1><p>{escape(info['description'])}</p>"
        '<p>For programs: <a href="openapi.json">openapi.json</a>. If a token is required, send it as '
        "<code>Authorization: Bearer TOKEN</code>.</p>"
        f"{operations}<h2>Schemas</h2>{_json(document['components']['schemas'])}"
        "</main></body></html>\n"
    )


def _operation(method: str, path: str, operation: Mapping[str, Any], address: str) -> str:
    parts = [
        f'<h2><span class="method">{escape(method.upper())}</span><code>{escape(path)}</code></h2>',
        f"<p>{escape(operation['summary'])}</p>",
    ]
    if "description" in operation:
        parts.append(f"<p>{escape(operation['description'])}</p>")
    body = next(iter(operation.get("requestBody", {}).get("content", {}).values()), None)
    if body is not None:
        if "example" in body:
            asked = json.dumps(body["example"]).replace("'", "'\\''")
            command = f"curl -d '{asked}' -H 'content-type: application/json' {address}{path}"
            parts.append(f"<pre>{escape(command)}</pre>")
        parts.append(f"<details><summary>Input</summary>{_json(body['schema'])}</details>")
    for status, response in sorted(operation["responses"].items()):
        if status.startswith("2"):
            contents = response["content"].values()
            parts += [f"<details><summary>Answer</summary>{_json(each['schema'])}</details>" for each in contents]
    others = ", ".join(
        f"{status} {escape(response['description'])}"
        for status, response in sorted(operation["responses"].items())
        if not status.startswith("2")
    )
    return f"<section>{''.join(parts)}<p>Otherwise: {others}.</p></section>"


def _json(value: Any) -> str:
    return f"<pre>{escape(json.dumps(value, indent=2))}</pre>"

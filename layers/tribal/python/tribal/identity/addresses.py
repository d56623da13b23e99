"""The URIs of resources: `tribal://{database}/{schema}/{table}` and `tribal://{database}/domains/{domain}`.

Each part is percent-encoded. A schema named `domains`, or one that starts with a double quote, is quoted as in SQL.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote, unquote

from tribal.identity.table_names import parse_name

SCHEME = "tribal://"
AS_JSON = "?format=json"
DOMAINS = "domains"
TABLE_TEMPLATE = f"{SCHEME}{{database}}/{{schema}}/{{table}}"
DOMAIN_TEMPLATE = f"{SCHEME}{{database}}/{DOMAINS}/{{domain}}"

_ADDRESS = re.compile(rf"{SCHEME}([^/?#]+)/([^/?#]+)/([^/?#]+)({re.escape(AS_JSON)})?")


@dataclass(frozen=True, slots=True)
class Address:
    """The parsed URI of a resource."""

    kind: Literal["table", "domain"]
    parts: tuple[str, ...]
    """Database, schema and table, or database and domain."""
    as_json: bool = False

    def __str__(self) -> str:
        database, *rest = self.parts
        path = [DOMAINS, *rest] if self.kind == "domain" else [quoted_schema(rest[0]), rest[1]]
        return SCHEME + "/".join(quote(part, safe="") for part in (database, *path)) + (AS_JSON if self.as_json else "")


def read_address(text: str) -> Address:
    """Parse a URI.

    Raises:
        ValueError: when it is invalid.
    """
    found = _ADDRESS.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is neither {TABLE_TEMPLATE} nor {DOMAIN_TEMPLATE}")
    database, middle, last = (unquote(part, errors="strict") for part in found.groups()[:3])
    as_json = found[4] is not None
    if middle == DOMAINS:
        return Address("domain", (database, last), as_json)
    schema = parse_name(middle) if middle.startswith('"') else (middle,)
    if len(schema) != 1:
        raise ValueError(f"{middle!r} is not a schema")
    return Address("table", (database, schema[0], last), as_json)


def quoted_schema(schema: str) -> str:
    """A schema as written in a URI, before percent-encoding."""
    return '"' + schema.replace('"', '""') + '"' if schema == DOMAINS or schema.startswith('"') else schema

"""Values in a question, such as UUIDs and times: they say which rows are meant, not which tables."""

from __future__ import annotations

import re

_LITERAL = re.compile(
    r"""
    [a-z][a-z0-9+.-]*://\S+                                             # URLs
    | [^\s@<>"']+@[^\s@<>"']+\.[a-z]{2,}                                # e-mail addresses
    | \b[0-9a-f]{8}-?(?:[0-9a-f]{4}-?){3}[0-9a-f]{12}\b                 # UUIDs
    | \b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b                             # MAC addresses
    | \b\d{1,3}(?:\.\d{1,3}){3}(?:/\d{1,2})?\b                          # IPv4 addresses and networks
    | \b\d{4}-\d{2}-\d{2}(?:[t ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:z|\s?[+-]\d{2}:?\d{2})?)?\b  # dates and times
    | \b\d{1,2}:\d{2}(?::\d{2}(?:\.\d+)?)?\b                            # times of day
    | \b(?=[0-9a-f]*\d)[0-9a-f]{16,}\b                                  # hashes
    """,
    re.IGNORECASE | re.VERBOSE,
)


def without_literals(text: str) -> str:
    """The question without such values; the whole of it if nothing else is left."""
    rest = _LITERAL.sub(" ", text)
    return rest if any(map(str.isalnum, rest)) else text

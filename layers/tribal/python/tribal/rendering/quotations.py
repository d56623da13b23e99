"""Quote what others wrote, so that it cannot pass for an answer's own words, sources or links."""

from __future__ import annotations

import re

_NUMBER = re.compile(r"\[\s*(\d[\d\s,;-]*)\]")
_ADDRESS = re.compile(r"\b(https?|ftp|mailto|javascript|data):(?=\S)|\b(www)\.(?=\w)", re.IGNORECASE)
_LABEL = re.compile(r"\b(?:sources?|answer|note|warning|system|quellen?)\s*:", re.IGNORECASE)
_QUOTES = str.maketrans({"\u201c": "'", "\u201d": "'"})


def defuse(text: str) -> str:
    """Write numbers in brackets and addresses so that neither cites nor links anything."""
    return _ADDRESS.sub(lambda found: f"{found[1]}[:]" if found[1] else f"{found[2]}[.]", _NUMBER.sub(r"(\1)", text))


def quote_if_misleading(text: str) -> str:
    """Quote and defuse a text that looks like a citation, an address or a part of an answer; keep any other."""
    defused = defuse(text)
    if defused == text and _LABEL.search(text) is None:
        return text
    return quote(text)


def quote(text: str) -> str:
    """Put a defused text in quotation marks that nothing in it closes."""
    return f"\u201c{defuse(text).translate(_QUOTES)}\u201d"

"""Finds the request id in an unreadable line.

A client waits for an answer to each of its requests. A line that is not valid JSON (lone surrogates, too deep, too
long) or not a request may still contain an id, and an error response with that id lets the client continue at once.
"""

from __future__ import annotations

import re

# Possessive, and may end inside a string, so that any line is scanned once, in linear time.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:]|[^\s"{}\[\]:,]++', re.DOTALL)
_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,18}")
_PLAIN_TEXT = re.compile(rb'"([ !#-\[\]-~]{1,200})"')
_ID_AT_THE_END = re.compile(rb'[,{\s]"id"\s*:\s*("[ !#-\[\]-~]{1,200}"|-?[0-9]{1,18})\s*\}\s*\Z')
_KEY = b'"id"'


def request_id(line: bytes) -> int | str | None:
    """The request id in a line, or in the beginning of one; `None` when it cannot be determined."""
    depth, before, key = 0, b"", b""
    for match in _TOKEN.finditer(line):
        token = match.group()
        if depth == 1 and key == _KEY and before == b":":
            return _scalar(token)
        if token in (b"{", b"["):
            depth += 1
        elif token in (b"}", b"]"):
            depth -= 1
        elif token == b":":
            key = before
        before = token
    return None


def request_id_at_the_end(line: bytes) -> int | str | None:
    """The request id at the end of a line, where some clients write it, given that end."""
    found = _ID_AT_THE_END.search(line)
    return _scalar(found.group(1)) if found else None


def _scalar(token: bytes) -> int | str | None:
    if _WHOLE_NUMBER.fullmatch(token):
        return int(token)
    text = _PLAIN_TEXT.fullmatch(token)
    return text.group(1).decode("ascii") if text else None

"""Which request a line was that cannot be read.

A client waits for the answer to each of its requests. A line that is no JSON (half a character, too deep, too long) or
no request still carries an id, and a refusal that names it lets the client go on at once.
"""

from __future__ import annotations

import re

# Possessive and able to end in the middle of a text, so that any line is read once, in linear time.
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[{}\[\]:]|[^\s"{}\[\]:,]++', re.DOTALL)
_WHOLE_NUMBER = re.compile(rb"-?[0-9]{1,18}")
_PLAIN_TEXT = re.compile(rb'"([ !#-\[\]-~]{1,200})"')
_ID_AT_THE_END = re.compile(rb'[,{\s]"id"\s*:\s*("[ !#-\[\]-~]{1,200}"|-?[0-9]{1,18})\s*\}\s*\Z')
_KEY = b'"id"'


def request_id(line: bytes) -> int | str | None:
    """The id of the request that a line, or the beginning of one, holds; `None` when it cannot be told."""
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
    """The id where it is the last thing that a line says, as some clients write it, given the end of the line."""
    found = _ID_AT_THE_END.search(line)
    return _scalar(found.group(1)) if found else None


def _scalar(token: bytes) -> int | str | None:
    if _WHOLE_NUMBER.fullmatch(token):
        return int(token)
    text = _PLAIN_TEXT.fullmatch(token)
    return text.group(1).decode("ascii") if text else None

"""What may be remembered: no secrets, and in layers that others read no personal data that has a pattern."""

from __future__ import annotations

import re

from tribal.errors import MemoryContentRefused
from tribal.masking.detectors import find_sensitive
from tribal.masking.kinds import SensitiveKind
from tribal.ports.remembering.identity import SHARED_LAYERS

_ACCOUNTS = frozenset({SensitiveKind.CARD, SensitiveKind.IBAN, SensitiveKind.BANK_ACCOUNT})
_KEPT = frozenset({SensitiveKind.PERSON_NAME})
"""Memories are people's words, and name people as annotations do."""
_TOLD_IN_PROSE = re.compile(
    r"\b(?:pass\s?word|passwd|passphrase|pwd|pin|secret|api[ _-]?key|access[ _-]?key|token|credentials?)\b"
    r"[^.!?\n]{0,40}?(?:\bis\b|\bare\b|[:=])\s*[\"'`]?(?P<value>[^\s\"'`]{4,200})",
    re.IGNORECASE,
)
_LETTER, _OTHER, _DIGITS = re.compile(r"[A-Za-z]"), re.compile(r"[0-9!@#$%^&*+=_~]"), re.compile(r"[0-9]{4,}\Z")


def admitted(content: str, layer: str) -> tuple[str, bool]:
    """The content as it may be kept in a layer, and whether something of it was replaced.

    Raises:
        MemoryInputInvalid: when it holds a secret.
    """
    spans = find_sensitive(content)
    if any(span.kind.is_secret or span.kind in _ACCOUNTS for span in spans) or _tells_a_password(content):
        raise MemoryContentRefused(
            "the content holds what looks like a secret, a card number or an account number; leave it out"
        )
    if layer not in SHARED_LAYERS:
        return content, False
    parts: list[str] = []
    position = 0
    for span in spans:
        if span.kind not in _KEPT:
            parts += (content[position : span.start], f"[{span.kind}]")
            position = span.end
    return "".join([*parts, content[position:]]), bool(parts)


def _tells_a_password(content: str) -> bool:
    values = (found["value"].rstrip(".,;") for found in _TOLD_IN_PROSE.finditer(content))
    return any(_DIGITS.match(value) or (_LETTER.search(value) and _OTHER.search(value)) for value in values)

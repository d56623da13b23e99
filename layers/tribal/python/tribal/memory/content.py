"""What may be remembered: no secrets, and in layers that others read no personal data that has a pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from tribal.errors import MemoryContentRefused
from tribal.masking import SensitiveKind, find_sensitive
from tribal.memory.records import TABLES
from tribal.ports.remembering.identity import SHARED_LAYERS

_OWN = "user"
_ACCOUNTS = frozenset({SensitiveKind.CARD, SensitiveKind.IBAN, SensitiveKind.BANK_ACCOUNT})
_KEPT = frozenset({SensitiveKind.PERSON_NAME})
"""Memories are people's words, and name people as annotations do."""
_TOLD_IN_PROSE = re.compile(
    r"\b(?:pass\s?word|passwd|passphrase|pwd|pin|secret|api[ _-]?key|access[ _-]?key|token|credentials?"
    r"|passwort|kennwort|mot de passe|contrase\u00f1a|senha)\b"
    r"(?P<between>[^.!?\n:=]{0,40}?)(?:\b(?:is|are|ist|lautet|est|es|\u00e9)\b|[:=])\s*"
    r"(?P<quote>[\"'`]?)(?P<value>[^\s\"'`]{4,200})",
    re.IGNORECASE,
)
_ABOUT = re.compile(
    r"\b(?:age|budget|column|count|expiry|field|format|length|lifetime|limit|number|policy|scope|size|table|ttl|type"
    r"|version|window)s?\b",
    re.IGNORECASE,
)
"""What of a secret may be told."""
_NAME = re.compile(
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+|/?[\w.-]+(?:/[\w.-]+)+|\w+\([\d, ]*\)"
)
"""A variable, a column, a path or a type: where a secret is, not the secret."""
_LETTER, _OTHER, _DIGITS = re.compile(r"[A-Za-z]"), re.compile(r"[0-9!@#$%^&*+=_~]"), re.compile(r"[0-9]{4,}\Z")


def admitted(content: str, layer: str) -> tuple[str, bool]:
    """The content as it may be kept in a layer, and whether something of it was replaced.

    Raises:
        MemoryInputInvalid: when it holds a secret.
    """
    surely = find_sensitive(content, prose=False)
    if any(span.kind.is_secret or span.kind in _ACCOUNTS for span in surely) or _tells_a_password(content):
        raise MemoryContentRefused(
            "the content holds what looks like a secret, a card number or an account number; leave it out"
        )
    if layer not in SHARED_LAYERS:
        return content, False
    parts: list[str] = []
    position = 0
    for span in find_sensitive(content):
        if span.kind not in _KEPT and not span.kind.is_secret:
            parts += (content[position : span.start], f"[{span.kind}]")
            position = span.end
    return "".join([*parts, content[position:]]), bool(parts)


def admitted_value(value: JsonValue, layer: str) -> tuple[JsonValue, bool]:
    """Tags or metadata as they may be kept: every text in them is as `admitted` has it, names of members included.

    Raises:
        MemoryInputInvalid: when there is a secret in them.
    """
    if isinstance(value, str):
        return admitted(value, layer)
    if isinstance(value, list):
        several = [admitted_value(each, layer) for each in value]
        return [each for each, _ in several], any(replaced for _, replaced in several)
    if isinstance(value, dict):
        members = [(admitted(name, layer), admitted_value(each, layer)) for name, each in value.items()]
        return {name: each for (name, _), (each, _) in members}, any(one or two for (_, one), (_, two) in members)
    return value, False


def admitted_labels(
    tags: Iterable[str], metadata: Mapping[str, JsonValue], layer: str
) -> tuple[list[str], dict[str, JsonValue], bool]:
    """Tags and metadata as they may be kept in a layer, and whether something of them was replaced.

    Raises:
        MemoryInputInvalid: when there is a secret in them.
    """
    several = [admitted(tag, layer) for tag in tags]
    kept: dict[str, JsonValue] = {}
    replaced = any(changed for _, changed in several)
    for name, value in metadata.items():
        # Names of tables are names: nothing of them is replaced.
        strict = _OWN if name == TABLES else layer
        (label, renamed), (said, changed) = admitted(name, strict), admitted_value(value, strict)
        kept[label] = said
        replaced = replaced or renamed or changed
    return [tag for tag, _ in several], kept, replaced


def _tells_a_password(content: str) -> bool:
    return any(map(_is_told, _TOLD_IN_PROSE.finditer(content)))


def _is_told(found: re.Match[str]) -> bool:
    value = found["value"].rstrip(".,;")
    if _ABOUT.search(found["between"]) or _NAME.fullmatch(value):
        return False
    if found["quote"] or _DIGITS.match(value):
        return True
    return bool(_LETTER.search(value) and _OTHER.search(value.rstrip("!")))

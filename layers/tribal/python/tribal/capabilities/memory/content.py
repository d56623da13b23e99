"""What may be remembered: no secrets, and in layers that others read no personal data that has a pattern."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from tribal.capabilities.memory.errors import MemoryContentRefused
from tribal.capabilities.memory.records import TABLES
from tribal.masking import SensitiveKind, find_sensitive
from tribal.ports.remembering.identity import SHARED_LAYERS

_OWN = "user"
_ACCOUNTS = frozenset({SensitiveKind.CARD, SensitiveKind.IBAN, SensitiveKind.BANK_ACCOUNT})
_KEPT = frozenset({SensitiveKind.PERSON_NAME})
"""Memories are people's words, and name people as annotations do."""


def admitted(content: str, layer: str) -> tuple[str, bool]:
    """The content as it may be kept in a layer, and whether something of it was replaced.

    Raises:
        MemoryInputInvalid: when it holds a secret.
    """
    spans = find_sensitive(content)
    if any(span.kind.is_secret or span.kind in _ACCOUNTS for span in spans):
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

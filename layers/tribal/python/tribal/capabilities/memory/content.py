"""Which content may be remembered: no secrets, and no recognizable personal data in layers that others read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from pydantic import JsonValue

from tribal.capabilities.memory.errors import MemoryContentRefused
from tribal.capabilities.memory.records import TABLES
from tribal.masking import holds_secret, redact_shared
from tribal.ports.remembering.identity import SHARED_LAYERS

_PRIVATE_LAYER = "user"


def masked_content(content: str, layer: str) -> tuple[str, bool]:
    """The content masked for a layer, and whether anything was masked.

    Raises:
        MemoryInputInvalid: when it contains a secret.
    """
    if holds_secret(content):
        raise MemoryContentRefused(
            "the memory contains what looks like a secret, a card number or an account number; leave it out"
        )
    if layer not in SHARED_LAYERS:
        return content, False
    masked, parts = redact_shared(content)
    return masked, parts > 0


def masked_value(value: JsonValue, layer: str) -> tuple[JsonValue, bool]:
    """Tags or metadata with every text masked as in `masked_content`, including names of members.

    Raises:
        MemoryInputInvalid: when there is a secret in them.
    """
    if isinstance(value, str):
        return masked_content(value, layer)
    if isinstance(value, list):
        several = [masked_value(each, layer) for each in value]
        return [each for each, _ in several], any(replaced for _, replaced in several)
    if isinstance(value, dict):
        members = [(masked_content(name, layer), masked_value(each, layer)) for name, each in value.items()]
        return {name: each for (name, _), (each, _) in members}, any(one or two for (_, one), (_, two) in members)
    return value, False


def masked_labels(
    tags: Iterable[str], metadata: Mapping[str, JsonValue], layer: str
) -> tuple[list[str], dict[str, JsonValue], bool]:
    """Tags and metadata masked for a layer, and whether anything was masked.

    Raises:
        MemoryInputInvalid: when there is a secret in them.
    """
    several = [masked_content(tag, layer) for tag in tags]
    kept: dict[str, JsonValue] = {}
    replaced = any(changed for _, changed in several)
    for name, value in metadata.items():
        # Table names are not masked.
        strict = _PRIVATE_LAYER if name == TABLES else layer
        (label, renamed), (content_value, changed) = masked_content(name, strict), masked_value(value, strict)
        kept[label] = content_value
        replaced = replaced or renamed or changed
    return [tag for tag, _ in several], kept, replaced

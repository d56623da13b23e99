"""What readers of manifests share: what they yield, and the formats that manifests are written in."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from tribal.capabilities.knowledge.policies.limits import MAX_PARTS, OverLimit

_KEY = r"""(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')"""
_KEY_PART = re.compile(_KEY)
_DOTTED_KEY = re.compile(rf"{_KEY}(?:[ \t]*+\.[ \t]*+{_KEY})*+")
_TRAILING_COMMA = re.compile(r'(?P<kept>"(?:\\.|[^"\\])*+")|,(?=\s*+[}\]])')


@dataclass(frozen=True, slots=True)
class Included:
    """Another file of requirements, by its path as written, that belongs to a manifest."""

    path: str
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Dependencies of which a manifest does not say the names."""

    reason: str
    line: int | None = None


Found = str | Included | Unknown
"""The name of a dependency, or where others are."""
Reader = Callable[[str], Iterator[Found]]


class Unreadable(Exception):
    """The file does not have the format that its name suggests.

    Attributes:
        line: where, if known.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def json_object(text: str) -> dict[str, Any]:
    """The object that a file of JSON is."""
    parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise Unreadable("it is not a JSON object")
    return parsed


def json_object_with_commas(text: str) -> dict[str, Any]:
    """The same, where commas may follow the last item."""
    return json_object(_TRAILING_COMMA.sub(lambda found: found["kept"] or "", text))


def toml_table(text: str) -> dict[str, Any]:
    """The table that a file of TOML is."""
    # The parser is quadratic in the number of parts of a key.
    if any(key[0].count(".") >= MAX_PARTS and _parts(key[0]) > MAX_PARTS for key in _DOTTED_KEY.finditer(text)):
        raise OverLimit(f"a key has more than {MAX_PARTS} parts")
    return tomllib.loads(text)


def _parts(key: str) -> int:
    return sum(1 for _ in _KEY_PART.finditer(key))


def yaml_mapping(text: str) -> dict[str, Any]:
    """The mapping that a file of YAML is; empty for anything else."""
    from tribal.errors import ConfigurationError
    from tribal.yaml_lines import compose_yaml, plain_value

    try:
        root = compose_yaml("", text.encode("utf-8", "surrogatepass"))
    except ConfigurationError as error:
        line = (error.context or {}).get("line")
        problem = error.message.partition(": ")[2].removeprefix("cannot be read: ")
        raise Unreadable(problem, line if isinstance(line, int) else None) from None
    value = None if root is None else plain_value(root)
    return value if isinstance(value, dict) else {}

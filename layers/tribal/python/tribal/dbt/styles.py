"""Write new entries of a YAML document as those that are there already."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from tribal.dbt.scalars import block_scalar, flow_scalar, quoted_scalar
from tribal.dbt.yaml_nodes import Node

INDENT = 2
"""Of a list below its key, where the file has no other."""


class _Offset(NamedTuple):
    """How far a list is indented below its key."""

    key: str
    start: int
    column: int
    """Of the key."""
    spaces: int


class Indents:
    """How far the lists of a document are indented below their keys."""

    def __init__(self, root: Node | None) -> None:
        self._offsets: list[_Offset] = []
        waiting = [root] if root is not None else []
        while waiting:
            node = waiting.pop()
            waiting += node.items
            if node.kind == "mapping" and not node.flow:
                self._offsets += [
                    _Offset(key.value, key.start, key.column, value.column - key.column)
                    for key, value in node.pairs
                    if value.kind == "sequence" and not value.flow
                ]

    def below(self, key: str, column: int, at: int) -> int:
        """Return the indent below a key: that of the most similar list, preferably one just before a position."""
        rated = [(each.key == key, each.column == column, each.start < at, each.start, each) for each in self._offsets]
        return max(rated)[-1].spaces if rated else INDENT


@dataclass(frozen=True, slots=True)
class BlockWriter:
    """Writes values as lines that are added at a position."""

    indents: Indents
    at: int
    literal: bool
    """Whether literal blocks are possible there."""
    breaks_after: bool
    """Whether a line break follows."""

    def scalar(self, text: str, column: int) -> str:
        """Write a text as a value in a mapping that starts at a column."""
        return block_scalar(text, column + INDENT, literal=self.literal, breaks_after=self.breaks_after)

    def mapping(self, value: Mapping[str, Any], column: int) -> Iterator[str]:
        """Write the lines of a mapping."""
        for key, each in value.items():
            if isinstance(each, list):
                yield f"{' ' * column}{key}:"
                yield from self.items(each, column + self.indents.below(key, column, self.at))
            else:
                written = self.scalar(each, column) if isinstance(each, str) else flow_value(each)
                yield from f"{' ' * column}{key}: {written}".split("\n")

    def items(self, values: Sequence[Mapping[str, Any]], column: int, gap: str = " ") -> Iterator[str]:
        """Write the lines of a list whose dashes are at a column."""
        for each in values:
            inside = column + 1 + len(gap)
            first, *others = self.mapping(each, inside)
            yield f"{' ' * column}-{gap}{first[inside:]}"
            yield from others


def flow_value(value: Any) -> str:
    """Write plain data on one line."""
    if isinstance(value, Mapping):
        fields = (
            f"{key}: {quoted_scalar(each) if key == 'description' else flow_value(each)}" for key, each in value.items()
        )
        return "{" + ", ".join(fields) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow_value, value)) + "]"
    if isinstance(value, str):
        return flow_scalar(value)
    return "true" if value is True else str(value)


def key_like(sibling: Node, key: str) -> str:
    """Write a key in the quotes of another one."""
    return f"{sibling.style}{key}{sibling.style}" if sibling.style in ("'", '"') else key

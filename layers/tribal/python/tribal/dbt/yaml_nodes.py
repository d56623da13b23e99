"""YAML of repositories as nodes that know their positions; nothing is constructed, and aliases are not expanded.

Positions count characters. Only those that libyaml and PyYAML's own parser agree on are used.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

import yaml

MAX_BYTES = 4_000_000
MAX_DEPTH = 64
MAX_NODES = 200_000
"""Keys and values of one file, and those that aliases and merges repeat."""

NULL, STRING = "tag:yaml.org,2002:null", "tag:yaml.org,2002:str"
BYTE_ORDER_MARK = "\ufeff"

# The parser that dbt uses; it is some ten times faster, where PyYAML was built with it.
_Parser: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_RESOLVER: Any = yaml.resolver.Resolver()


class UnreadableYaml(Exception):
    """The text is not YAML within the limits; the message is a sentence fragment without content of the file."""


@dataclass(slots=True, eq=False)
class Node:
    """A value or key of a YAML document."""

    kind: Literal["scalar", "sequence", "mapping", "alias"]
    start: int
    end: int
    """Behind the last character; of no use in block collections."""
    line: int
    """From 1."""
    column: int
    """Of its start, from 0."""
    tag: str = ""
    anchor: str | None = None
    tagged: bool = False
    """Whether the tag is written."""
    value: str = ""
    """The text of a scalar."""
    style: str = ""
    """`'`, `"`, `|` or `>`; empty for a plain scalar."""
    flow: bool = False
    items: list[Node] = field(default_factory=list)
    """The values of a sequence, or keys and values of a mapping in turn."""
    aliased: Node | None = None

    @property
    def pairs(self) -> Iterator[tuple[Node, Node]]:
        """Pair the keys of a mapping with their values."""
        return zip(self.items[::2], self.items[1::2], strict=True)

    @property
    def resolved(self) -> Node:
        """Return the node that an alias refers to, or the node itself."""
        return self.aliased or self

    @property
    def is_blank(self) -> bool:
        """Tell whether it is null, or a text of white space."""
        return self.kind == "scalar" and (self.tag == NULL or not self.value.strip())


def decode(data: bytes) -> str:
    """Return the text of a file, with its byte order mark.

    Raises:
        UnreadableYaml: when it is too large or not UTF-8.
    """
    if len(data) > MAX_BYTES:
        raise UnreadableYaml(f"is larger than {MAX_BYTES:,} bytes")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        raise UnreadableYaml("is not UTF-8") from None


def compose(text: str) -> Node | None:
    """Parse a text without a byte order mark into its nodes; `None` when it holds only comments.

    Raises:
        UnreadableYaml: when it is not one document of YAML within the limits.
    """
    composer = _Composer()
    try:
        parser = _Parser(text)
        while parser.check_event():
            composer.take(parser.get_event())
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        # Not chained: the cause quotes the file.
        raise UnreadableYaml(f"cannot be parsed as YAML{where}") from None
    return composer.root


class _Composer:
    def __init__(self) -> None:
        self.root: Node | None = None
        self._open: list[Node] = []
        self._anchors: dict[str, Node] = {}
        self._nodes = self._documents = 0

    def take(self, event: Any) -> None:
        if isinstance(event, yaml.DocumentStartEvent):
            self._documents += 1
            if self._documents > 1:
                raise UnreadableYaml("holds more than one document")
        elif isinstance(event, yaml.CollectionEndEvent):
            end: Any = event.end_mark
            self._open.pop().end = end.index
        elif isinstance(event, yaml.NodeEvent):
            self._add(event)

    def _add(self, event: Any) -> None:
        self._nodes += 1
        if self._nodes > MAX_NODES or len(self._open) >= MAX_DEPTH:
            raise UnreadableYaml(f"has more than {MAX_NODES:,} values, or more than {MAX_DEPTH} inside one another")
        node = self._node(event)
        if self._open:
            self._open[-1].items.append(node)
        else:
            self.root = node
        if node.kind != "alias" and node.anchor is not None:
            self._anchors[node.anchor] = node
        if node.kind in ("sequence", "mapping"):
            self._open.append(node)

    def _node(self, event: Any) -> Node:
        mark = event.start_mark
        place = (mark.index, event.end_mark.index, mark.line + 1, mark.column)
        if isinstance(event, yaml.AliasEvent):
            if event.anchor not in self._anchors:
                raise UnreadableYaml(f"has an alias without an anchor at line {mark.line + 1}")
            return Node("alias", *place, anchor=event.anchor, aliased=self._anchors[event.anchor])
        anchor, written_tag = event.anchor, event.tag
        tagged = written_tag is not None
        if isinstance(event, yaml.ScalarEvent):
            tag = written_tag or _RESOLVER.resolve(yaml.ScalarNode, event.value, event.implicit)
            style = event.style or ""
            return Node("scalar", *place, tag=tag, tagged=tagged, anchor=anchor, value=event.value, style=style)
        kind: Any = "sequence" if isinstance(event, yaml.SequenceStartEvent) else "mapping"
        return Node(kind, *place, tag=written_tag or kind, tagged=tagged, anchor=anchor, flow=bool(event.flow_style))


class Expansion:
    """Reads nodes as dbt does, through aliases and merges, for as long as they stay within `MAX_NODES`."""

    def __init__(self) -> None:
        self._left = 2 * MAX_NODES

    def _spend(self, nodes: int, depth: int = 0) -> None:
        self._left -= nodes
        if self._left < 0 or depth > MAX_DEPTH:
            raise UnreadableYaml("repeats too much by aliases")

    def items(self, node: Node | None) -> list[Node]:
        """Return the values of a sequence, following aliases; any other node has none."""
        if node is None or node.resolved.kind != "sequence":
            return []
        self._spend(len(node.resolved.items))
        return [each.resolved for each in node.resolved.items]

    def fields(self, node: Node | None, depth: int = 0) -> dict[str, Node]:
        """Return the values of a mapping by key, including merged ones; any other node has none."""
        if node is None or node.resolved.kind != "mapping":
            return {}
        self._spend(len(node.resolved.items), depth)
        own: dict[str, Node] = {}
        merged: dict[str, Node] = {}
        for key, value in node.resolved.pairs:
            if is_merge(key):
                values = value.resolved.items if value.resolved.kind == "sequence" else [value]
                for each in values:
                    merged = self.fields(each, depth + 1) | merged
                    self._spend(len(merged), depth)
            elif key.kind == "scalar":
                own[key.value] = value.resolved
        return merged | own

    def plain(self, node: Node | None, depth: int = 0) -> Any:
        """Convert a node to dictionaries, lists, texts, booleans and `None`; every other scalar stays text."""
        if node is None:
            return None
        self._spend(1, depth)
        node = node.resolved
        if node.kind == "mapping":
            return {key: self.plain(value, depth + 1) for key, value in self.fields(node, depth).items()}
        if node.kind == "sequence":
            return [self.plain(each, depth + 1) for each in self.items(node)]
        if node.tag == NULL:
            return None
        if node.tag == "tag:yaml.org,2002:bool":
            return node.value.lower() in ("yes", "true", "on")
        return node.value


def is_merge(key: Node) -> bool:
    """Tell whether a key merges other mappings into its own."""
    return key.kind == "scalar" and key.value == "<<" and not key.style

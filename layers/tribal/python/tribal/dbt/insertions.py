"""The pieces of text that an edit of a YAML document adds, and where."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from tribal.dbt.positions import CannotSplice, Positions
from tribal.dbt.proof import Leaf, Path, expected_leaves
from tribal.dbt.scalars import quoted_scalar
from tribal.dbt.styles import INDENT, BlockWriter, Indents, flow_value, key_like
from tribal.dbt.yaml_nodes import Node

_IN_PLACE = 1_000_000
_NEW_SECTION = -1

Item = Mapping[str, Any]
"""A new entry: texts, `True`, and lists of entries."""


class _Splice(NamedTuple):
    start: int
    end: int
    text: str
    """With `\\n` for the line breaks of the file."""
    depth: int
    """Of pieces at the same position the deepest comes first."""


class Insertions:
    """Pieces of text for one document, and the nodes that they are to be read back as."""

    def __init__(self, text: str, indents: Indents) -> None:
        self.leaves: dict[Path, Leaf] = {}
        self.lines_changed: set[int] = set()
        self._text = text
        self._positions = Positions(text)
        self._indents = indents
        self._splices: list[_Splice] = []

    @property
    def lines_added(self) -> int:
        """Count the lines that the document gets."""
        return sum(splice.text.count("\n") for splice in self._splices)

    def applied(self) -> str:
        """Return the document with the pieces."""
        parts, at = [], 0
        for splice in sorted(self._splices, key=lambda each: (each.start, -each.depth)):
            if splice.start < at:
                raise CannotSplice("has two changes in one place")
            text = splice.text.replace("\n", self._positions.line_break(splice.start))
            parts += [self._text[at : splice.start], text]
            at = splice.end
        return "".join([*parts, self._text[at:]])

    def start_file(self, content: Mapping[str, Any]) -> None:
        """Write the values of a document that has none yet."""
        starts_line = not self._text or self._text.endswith(("\n", "\r"))
        writer = BlockWriter(self._indents, 0, literal=True, breaks_after=starts_line)
        written = "\n".join(writer.mapping(content, 0)).replace("\n", "\n\n", 1)
        self._insert(len(self._text), f"{written}\n" if starts_line else f"\n{written}", 0)
        self.leaves.update(expected_leaves((), content))

    def describe(self, entry: Node, path: Path, text: str) -> None:
        """Add a description to a mapping, or fill in one that is blank."""
        self.leaves.update(expected_leaves((*path, "description"), text))
        pair = pair_of(entry, "description")
        if pair is None:
            self._add_description(entry, text)
            return
        key, value = pair
        if value.kind == "alias" or value.anchor is not None or value.tagged:
            raise CannotSplice(f"has an alias, an anchor or a tag at line {value.line}")
        if not value.is_blank:
            raise CannotSplice(f"has a description at line {value.line}")
        start, end, lead = self._place_of(key, value)
        if entry.flow:
            self._replace(start, end, lead + quoted_scalar(text))
            return
        column, at = entry.items[0].column, self._positions.line_end(end)
        head, *body = self._writer(at, column).scalar(text, column).split("\n", 1)
        self._replace(start, end, lead + head)
        if body:
            self._insert(at, "\n" + body[0], _IN_PLACE)

    def _place_of(self, key: Node, value: Node) -> tuple[int, int, str]:
        """Return start and end of a blank scalar, and what has to precede the new one."""
        if value.value or value.style:
            return value.start, self._positions.scalar_end(value), ""
        colon = self._positions.after_colon(key)
        return (key.end, key.end, ": ") if colon is None else (colon, colon, " ")

    def _add_description(self, entry: Node, text: str) -> None:
        pair = pair_of(entry, "name")
        if pair is None:
            raise CannotSplice(f"has an entry without a name at line {entry.line}")
        name, end = pair[0], self._positions.content_end(pair[1])
        key = key_like(name, "description")
        if entry.flow:
            self._replace(end, end, f", {key}: {quoted_scalar(text)}")
            return
        at = self._positions.line_end(end)
        written = self._writer(at, name.column).scalar(text, name.column)
        self._insert(at, f"\n{' ' * name.column}{key}: {written}", name.column)

    def add_items(self, mapping: Node, path: Path, key: str, items: Sequence[Item]) -> None:
        """Add values to a list in a mapping, which may be empty or missing."""
        pair = pair_of(mapping, key)
        listed = pair[1].items if pair and pair[1].kind == "sequence" else []
        self.leaves[*path, key] = Leaf("sequence", "sequence")
        for number, item in enumerate(items, len(listed)):
            self.leaves.update(expected_leaves((*path, key, number), item))
        if pair is None:
            self._add_list(mapping, key, items)
        elif not listed:
            self._fill_list(mapping, pair, items)
        elif pair[1].flow:
            end = self._positions.content_end(listed[-1])
            self._replace(end, end, "".join(f", {flow_value(item)}" for item in items))
        else:
            self._extend_list(pair[1], items)

    def _add_list(self, mapping: Node, key: str, items: Sequence[Item]) -> None:
        key = key_like(mapping.items[0], key) if mapping.items else key
        if mapping.flow:
            end = self._positions.content_end(mapping.items[-1]) if mapping.items else mapping.start + 1
            self._replace(end, end, f"{', ' if mapping.items else ''}{key}: {flow_value(list(items))}")
            return
        column = mapping.items[0].column
        is_section = not column
        at = self._positions.block_end(mapping, 0 if is_section else column - 1)
        lines = self._writer(at, column).mapping({key: list(items)}, column)
        blank = self._blank_line(at) if is_section else []
        self._insert_lines(at, [*blank, *lines], _NEW_SECTION if is_section else column)

    def _fill_list(self, mapping: Node, pair: tuple[Node, Node], items: Sequence[Item]) -> None:
        key, value = pair
        is_list = value.kind == "sequence"
        start, end, lead = (value.start, value.end, "") if is_list else self._place_of(key, value)
        if mapping.flow or (is_list and self._text[start:end].strip("[] \t")):
            written = ", ".join(map(flow_value, items))
            if is_list:
                self._replace(start + 1, start + 1, written)
            else:
                self._replace(start, end, f"{lead}[{written}]")
            return
        if end > start:
            colon = self._positions.after_colon(key)
            if colon is None or self._text[colon:start].strip(" "):
                raise CannotSplice(f"has the empty value of {key.value!r} on a line of its own, line {value.line}")
            self._replace(colon, end, "")
        dash, at = key.column + self._indents.below(key.value, key.column, key.start), self._positions.line_end(end)
        self._insert_lines(at, self._writer(at, dash).items(items, dash), dash)

    def _extend_list(self, sequence: Node, items: Sequence[Item]) -> None:
        at = self._positions.block_end(sequence, sequence.column)
        blank = self._blank_line(at) if self._positions.separates_items(sequence) else []
        writer, gap = self._writer(at, sequence.column), self._positions.gap(sequence)
        for item in items:
            self._insert_lines(at, [*blank, *writer.items([item], sequence.column, gap)], sequence.column)

    def _blank_line(self, at: int) -> list[str]:
        """Return a blank line, unless there is one already, which may belong to a block scalar that keeps it."""
        return [] if self._text.endswith(("\n", "\r"), 0, at) else [""]

    def _writer(self, at: int, column: int) -> BlockWriter:
        """Return a writer of lines below a line, in a block that starts at a column."""
        literal = self._positions.literal_fits(at, column + INDENT)
        return BlockWriter(self._indents, at, literal=literal, breaks_after=at < len(self._text))

    def _insert_lines(self, at: int, lines: Iterable[str], depth: int) -> None:
        self._insert(at, "".join(f"\n{line}" for line in lines), depth)

    def _insert(self, at: int, text: str, depth: int) -> None:
        """Add whole lines."""
        self._splices.append(_Splice(at, at, text, depth))

    def _replace(self, start: int, end: int, text: str) -> None:
        """Change a part of a line."""
        self.lines_changed.update(range(self._positions.line_of(start), self._positions.line_of(end) + 1))
        self._splices.append(_Splice(start, end, text, _IN_PLACE))


def pair_of(mapping: Node, key: str) -> tuple[Node, Node] | None:
    """Return a key of a mapping with its value; `None` if the mapping lacks it.

    Raises:
        CannotSplice: when the mapping has the key twice.
    """
    found = [pair for pair in mapping.pairs if pair[0].kind == "scalar" and pair[0].value == key]
    if len(found) > 1:
        raise CannotSplice(f"has {key!r} twice in the entry at line {mapping.line}")
    return found[0] if found else None

"""Add descriptions to a properties file so that no other byte of it changes, and prove it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from tribal.dbt.insertions import Insertions, pair_of
from tribal.dbt.positions import CannotSplice
from tribal.dbt.proof import ChangedLines, Path, changed_lines, first_difference, leaves
from tribal.dbt.properties import Section
from tribal.dbt.styles import Indents
from tribal.dbt.yaml_nodes import BYTE_ORDER_MARK, Expansion, Node, UnreadableYaml, compose, decode, is_merge


class Change(NamedTuple):
    """A description to add to an entry, or to a column of it; what is missing in the file is added."""

    section: Section
    name: str
    """Of the entry, exactly as the file has it or is to have it."""
    text: str
    column: str | None = None
    """Exactly as the file has it or is to have it."""
    source: str | None = None
    """The source of a table."""
    quote: bool = False
    """Whether dbt has to quote the column; written where the column is missing."""


class Spliced(NamedTuple):
    """A file after an edit that has been proved."""

    data: bytes
    values: int
    """Keys and values that were compared."""
    lines: ChangedLines


class SplicedDocument:
    """A properties file that descriptions are added to.

    Raises:
        UnreadableYaml: when the file is not YAML within the limits.
    """

    def __init__(self, data: bytes | None) -> None:
        self._before = b"" if data is None else data
        text = decode(self._before)
        self._mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
        self._text = text.removeprefix(BYTE_ORDER_MARK)
        self._root = compose(self._text)
        self._indents = Indents(self._root)
        self._names: dict[int, list[str | None]] = {}

    def check(self, changes: Sequence[Change]) -> None:
        """Check that changes can be planned, without proving the result.

        Raises:
            CannotSplice: when they cannot be added.
        """
        self._plan(changes)

    def splice(self, changes: Sequence[Change]) -> Spliced:
        """Add descriptions.

        Raises:
            CannotSplice: when they cannot be added, or anything else would change.
        """
        plan = self._plan(changes)
        after = (self._mark + plan.applied()).encode()
        try:
            found = leaves(compose(after.decode().removeprefix(BYTE_ORDER_MARK)))
        except UnreadableYaml as error:
            raise CannotSplice(f"would no longer be YAML: it {error}") from None
        if difference := first_difference(leaves(self._root) | plan.leaves, found):
            raise CannotSplice(f"would change at {difference!r}")
        lines = changed_lines(self._before, after, plan.lines_changed)
        if lines is None or lines.added != plan.lines_added:
            raise CannotSplice("would change in lines without a new description")
        return Spliced(after, len(found), lines)

    def _plan(self, changes: Sequence[Change]) -> Insertions:
        plan = Insertions(self._text, self._indents)
        if self._root is None or self._root.is_blank:
            plan.start_file({"version": 2} | _sections(changes))
            return plan
        root = _editable(self._root, "mapping")
        for section, of_section in _grouped(changes, lambda each: each.section):
            if section != "sources":
                self._entries(plan, _Place(root, (), section), of_section)
                continue
            sources = _Place(root, (), "sources")
            for source, of_source in _grouped(of_section, lambda each: each.source):
                number, node = self._named(sources, source)
                if node is None:
                    raise CannotSplice(f"does not define the source {source!r}")
                self._entries(plan, _Place(node, ("sources", number), "tables"), of_source)
        return plan

    def _entries(self, plan: Insertions, place: _Place, changes: Iterable[Change]) -> None:
        """Plan the changes of entries in one list."""
        new = []
        for name, of_entry in _grouped(changes, lambda each: each.name):
            number, node = self._named(place, name)
            if node is None:
                new.append(_new_entry(name, of_entry))
                continue
            path = (*place.path, place.key, number)
            for change in of_entry:
                if change.column is None:
                    plan.describe(node, path, change.text)
            self._columns(plan, _Place(node, path, "columns"), [each for each in of_entry if each.column is not None])
        if new:
            plan.add_items(place.node, place.path, place.key, new)

    def _columns(self, plan: Insertions, place: _Place, changes: Iterable[Change]) -> None:
        new = []
        for change in changes:
            number, node = self._named(place, str(change.column))
            if node is None:
                new.append(_new_column(change))
            else:
                plan.describe(node, (*place.path, place.key, number), change.text)
        if new:
            plan.add_items(place.node, place.path, place.key, new)

    def _named(self, place: _Place, name: str) -> tuple[int, Node | None]:
        """Find the value of a list that has a name; `None` if it is not there.

        Raises:
            CannotSplice: when it is there twice, or may not be changed.
        """
        pair = pair_of(place.node, place.key)
        if pair is None:
            return 0, None
        listed = _editable(pair[1], "scalar" if pair[1].is_blank else "sequence")
        if id(listed) not in self._names:
            names = [Expansion().fields(item).get("name") for item in listed.items]
            self._names[id(listed)] = [each.value if each is not None else None for each in names]
        found = [number for number, each in enumerate(self._names[id(listed)]) if each == name]
        if len(found) > 1:
            raise CannotSplice(f"has {name!r} twice")
        return (found[0], _editable(listed.items[found[0]], "mapping")) if found else (0, None)


class _Place(NamedTuple):
    """A list in a mapping that may not have it yet."""

    node: Node
    path: Path
    key: str


def _grouped(changes: Iterable[Change], key: Callable[[Change], Any]) -> list[tuple[Any, list[Change]]]:
    """Put changes with the same value together, in the order in which the values come first."""
    groups: dict[Any, list[Change]] = {}
    for change in changes:
        groups.setdefault(key(change), []).append(change)
    return list(groups.items())


def _editable(node: Node, kind: str) -> Node:
    """Check that a node may be changed.

    Raises:
        CannotSplice: when what is written there is used elsewhere, or comes from elsewhere.
    """
    where = f"at line {node.line}"
    if node.kind == "alias":
        raise CannotSplice(f"has an alias {where}")
    if node.kind != kind:
        raise CannotSplice(f"has a {node.kind} {where}, where dbt reads a {kind}")
    if node.anchor is not None:
        raise CannotSplice(f"has an anchor {where}")
    if node.tagged:
        raise CannotSplice(f"has a tag {where}")
    if node.kind == "mapping" and any(map(is_merge, node.items[::2])):
        raise CannotSplice(f"merges other values with `<<` {where}")
    return node


def _new_column(change: Change) -> dict[str, Any]:
    quote = {"quote": True} if change.quote else {}
    return {"name": change.column} | quote | {"description": change.text}


def _new_entry(name: str, changes: Iterable[Change]) -> dict[str, Any]:
    entry: dict[str, Any] = {"name": name}
    columns = []
    for change in changes:
        if change.column is None:
            entry["description"] = change.text
        else:
            columns.append(_new_column(change))
    return entry | ({"columns": columns} if columns else {})


def _sections(changes: Sequence[Change]) -> dict[str, Any]:
    """Return the sections of a file that has no entries yet."""
    if any(each.section == "sources" for each in changes):
        raise CannotSplice("does not define the source")
    return {
        section: [_new_entry(name, of_entry) for name, of_entry in _grouped(of_section, lambda each: each.name)]
        for section, of_section in _grouped(changes, lambda each: each.section)
    }

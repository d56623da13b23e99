"""Properties files of dbt: what they say about models, seeds, snapshots and tables of sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from tribal.dbt.yaml_nodes import BYTE_ORDER_MARK, NULL, Expansion, Node, compose, decode

Section = Literal["models", "seeds", "snapshots", "sources"]
SECTIONS: tuple[Section, ...] = ("models", "seeds", "snapshots", "sources")


class Description(NamedTuple):
    """A text that a properties file has, blank ones aside."""

    text: str
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class ColumnEntry:
    """A column that a properties file lists."""

    name: str
    line: int
    description: Description | None


@dataclass(frozen=True, slots=True)
class Entry:
    """A model, seed, snapshot or table of a source that a properties file lists."""

    section: Section
    name: str
    path: str
    line: int
    description: Description | None
    columns: Sequence[ColumnEntry]
    config: Mapping[str, Any]
    source: str | None = None
    schema: str | None = None
    """Of a source: the schema that it names."""
    identifier: str | None = None
    """Of a table of a source: its name in the database."""
    versions: frozenset[str] = frozenset()
    """Of a model: the names of the files of its versions."""
    is_defined_here: bool = False
    """Whether the entry is a snapshot itself, without a block in SQL."""


class SourceEntry(NamedTuple):
    """A source that a properties file defines."""

    name: str
    schema: str
    path: str


@dataclass(frozen=True, slots=True)
class PropertiesFile:
    """What one properties file lists."""

    entries: Sequence[Entry]
    sources: Sequence[SourceEntry]


def read_properties(path: str, data: bytes) -> PropertiesFile:
    """Read a properties file.

    Raises:
        UnreadableYaml: when it is not YAML within the limits.
    """
    reader = _Reader(path)
    root = reader.expansion.fields(compose(decode(data).removeprefix(BYTE_ORDER_MARK)))
    entries: list[Entry] = []
    for section in SECTIONS[:-1]:
        for node in reader.expansion.items(root.get(section)):
            entries += reader.entries(section, node)
    sources = []
    for node in reader.expansion.items(root.get("sources")):
        fields = reader.expansion.fields(node)
        if name := _text(fields.get("name")):
            source = SourceEntry(name, _text(fields.get("schema")) or name, path)
            sources.append(source)
            for table in reader.expansion.items(fields.get("tables")):
                entries += reader.entries("sources", table, source)
    return PropertiesFile(entries, sources)


class _Reader:
    def __init__(self, path: str) -> None:
        self.expansion = Expansion()
        self._path = path

    def entries(self, section: Section, node: Node, source: SourceEntry | None = None) -> list[Entry]:
        """Read the entry of a node; a node without a name has none."""
        fields = self.expansion.fields(node)
        if (name := _text(fields.get("name"))) is None:
            return []
        columns = []
        for column in self.expansion.items(fields.get("columns")):
            of_column = self.expansion.fields(column)
            if column_name := _text(of_column.get("name")):
                columns.append(ColumnEntry(column_name, column.line, _description(of_column)))
        config = self.expansion.plain(fields.get("config"))
        return [
            Entry(
                section=section,
                name=name,
                path=self._path,
                line=node.line,
                description=_description(fields),
                columns=columns,
                config=config if isinstance(config, dict) else {},
                source=source and source.name,
                schema=source and source.schema,
                identifier=_text(fields.get("identifier")),
                versions=self._versions(name, fields) if section == "models" else frozenset(),
                is_defined_here=section == "snapshots" and "relation" in fields,
            )
        ]

    def _versions(self, name: str, fields: Mapping[str, Node]) -> frozenset[str]:
        names = set()
        for version in self.expansion.items(fields.get("versions")):
            of_version = self.expansion.fields(version)
            number = _text(of_version.get("v"))
            names |= {f"{name}_v{number}", f"{name}.v{number}", _text(of_version.get("defined_in")) or ""}
        return frozenset(names)


def _text(node: Node | None) -> str | None:
    """Return the text of a scalar that is not null."""
    return node.value if node is not None and node.kind == "scalar" and node.tag != NULL else None


def _description(fields: Mapping[str, Node]) -> Description | None:
    node = fields.get("description")
    if node is None or node.kind != "scalar" or node.is_blank:
        return None
    return Description(node.value, node.line)

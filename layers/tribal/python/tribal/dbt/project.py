"""A dbt project: which node a relation is, and what its properties files say about it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from posixpath import basename, dirname, join, splitext
from typing import TypeVar

from tribal.dbt.manifest import nodes_of_manifest
from tribal.dbt.nodes import DbtNode, ProjectFiles, folders_inside, nodes_of_files
from tribal.dbt.project_file import read_project_file
from tribal.dbt.properties import ColumnEntry, Entry, Section, SourceEntry, read_properties
from tribal.dbt.yaml_nodes import UnreadableYaml

T = TypeVar("T")
PROJECT_FILE = "dbt_project.yml"
_Name = tuple[Section, str | None, str]
"""What properties files know a node by: its kind, its source if it has one, and its name."""


class UnreadableProject(Exception):
    """A file of the project cannot be read; the message names it."""


@dataclass(frozen=True, slots=True)
class DbtProject:
    """The nodes of a project, and what its properties files say about them."""

    sources: Sequence[SourceEntry]
    has_manifest: bool
    _nodes: Mapping[str, Sequence[DbtNode]]
    """By the name of the relation, without its case."""
    _entries: Mapping[_Name, Sequence[Entry]]
    _shared_files: Mapping[tuple[Section, str], str]
    """The properties file with most entries of nodes in a folder."""
    _of_version: Mapping[str, Entry]

    def candidates(self, schema: str, name: str, *, ignore_case: bool = False) -> list[DbtNode]:
        """Return the nodes that a relation may be.

        A node whose schema is known to be that of the relation comes before those whose schema the target decides.
        """
        fold = str.casefold if ignore_case else str
        listed = self._nodes.get(name.casefold(), ())
        named = [each for each in listed if each.relation is not None and fold(each.relation) == fold(name)]
        wanted = fold(schema)
        known = [each for each in named if each.schema is not None and _is_schema(each, wanted, fold(each.schema))]
        return known or [each for each in named if each.schema is None]

    def entries(self, node: DbtNode) -> Sequence[Entry]:
        """Return the entries of a node in properties files."""
        return self._entries.get((node.section, node.source, node.name), ())

    def version_of(self, node: DbtNode) -> Entry | None:
        """Return the entry of the model that a node is a version of, if any."""
        return self._of_version.get(node.name) if node.section == "models" else None

    def sources_of(self, schema: str, *, ignore_case: bool = False) -> list[SourceEntry]:
        """Return the sources of a schema."""
        fold = str.casefold if ignore_case else str
        return [each for each in self.sources if fold(each.schema) == fold(schema)]

    def file_for(self, node: DbtNode) -> str:
        """Choose the properties file for a node without an entry.

        It is the one with most entries of the same folder, unless each of its nodes has a file of its own; else
        `_{folder}__{section}.yml` in the folder.
        """
        folder = dirname(node.path)
        own = join(folder, f"_{basename(folder)}__{node.section}.yml")
        return self._shared_files.get((node.section, folder), own)


def _shared_files(nodes: Iterable[DbtNode], entries: Mapping[_Name, Sequence[Entry]]) -> dict[tuple[Section, str], str]:
    of_file: dict[str, list[str]] = {}
    for each in (entry for listed in entries.values() for entry in listed):
        of_file.setdefault(each.path, []).append(each.name)
    counts: dict[tuple[Section, str], Counter[str]] = {}
    for node in nodes:
        folder = dirname(node.path)
        for entry in entries.get((node.section, node.source, node.name), ()):
            if [splitext(basename(entry.path))[0].strip("_")] != [name.strip("_") for name in of_file[entry.path]]:
                counts.setdefault((node.section, folder), Counter())[entry.path] += 1
    return {place: min(paths, key=lambda path: (-paths[path], path)) for place, paths in counts.items()}


def _is_schema(node: DbtNode, wanted: str, schema: str) -> bool:
    """Tell whether a schema is that of a node, possibly prefixed with the target's."""
    return wanted == schema or (not node.exact_schema and wanted.endswith(f"_{schema}"))


def find_column(columns: Sequence[ColumnEntry], name: str) -> list[ColumnEntry]:
    """Return the entries with exactly the name of a column, else those that differ only in case."""
    exact = [each for each in columns if each.name == name]
    return exact or [each for each in columns if each.name.casefold() == name.casefold()]


def read_project(files: ProjectFiles, manifest: bytes | None = None) -> DbtProject:
    """Read a project.

    Args:
        files: those of the project, relative to its folder.
        manifest: the manifest that dbt wrote for it, which then decides on the relations.

    Raises:
        UnreadableProject: when a YAML file of the project cannot be read.
        UnreadableManifest: when the manifest cannot be read.
    """
    settings = _read(PROJECT_FILE, files, read_project_file)
    folders = [folder for listed in settings.folders.values() for folder in listed]
    entries: list[Entry] = []
    sources: list[SourceEntry] = []
    for path in files.paths:
        if path.endswith((".yml", ".yaml")) and folders_inside(path, folders) is not None:
            properties = _read(path, files, partial(read_properties, path))
            entries += properties.entries
            sources += properties.sources
    by_name: dict[_Name, list[Entry]] = {}
    for entry in entries:
        by_name.setdefault((entry.section, entry.source, entry.name), []).append(entry)
    nodes = nodes_of_manifest(manifest, settings.name) if manifest else nodes_of_files(files, settings, entries)
    by_relation: dict[str, list[DbtNode]] = {}
    for node in nodes:
        by_relation.setdefault((node.relation or "").casefold(), []).append(node)
    return DbtProject(
        sources=sources,
        has_manifest=bool(manifest),
        _nodes=by_relation,
        _entries=by_name,
        _shared_files=_shared_files(nodes, by_name),
        _of_version={version: entry for entry in entries for version in entry.versions},
    )


def _read(path: str, files: ProjectFiles, read: Callable[[bytes], T]) -> T:
    try:
        return read(files.read(path))
    except UnreadableYaml as error:
        raise UnreadableProject(f"{path} {error}") from None

"""The nodes of a dbt project that are relations: models, seeds, snapshots and tables of sources."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from posixpath import basename, splitext
from typing import Any, Literal, Protocol

from tribal.dbt.code import UNKNOWN, read_config, snapshots
from tribal.dbt.project_file import ProjectSettings
from tribal.dbt.properties import Entry, Section

_SUFFIXES: dict[Section, tuple[str, ...]] = {
    "models": (".sql", ".py"),
    "seeds": (".csv",),
    "snapshots": (".sql",),
}
Persisted = Literal["relation", "columns"]


class ProjectFiles(Protocol):
    """The files of a project, relative to its folder."""

    @property
    def paths(self) -> Sequence[str]:
        """List every path, separated by `/`, in order."""
        ...

    def read(self, path: str) -> bytes:
        """Return the bytes of a file."""
        ...


@dataclass(frozen=True, slots=True)
class DbtNode:
    """A model, seed, snapshot or table of a source."""

    section: Section
    name: str
    """In properties files."""
    path: str
    """The file that creates it, or that defines the source."""
    relation: str | None
    """The name in the database; `None` if only dbt can compute it."""
    schema: str | None = None
    """`None` if only the target of a run decides."""
    exact_schema: bool = False
    """Whether dbt puts no schema of the target before it."""
    persisted: frozenset[Persisted] = frozenset()
    """Which descriptions dbt writes into the database."""
    source: str | None = None

    @property
    def label(self) -> str:
        """Return kind and name, for messages."""
        name = f"{self.source}.{self.name}" if self.source else self.name
        return f"{self.section[:-1]} {name!r}"


def nodes_of_files(files: ProjectFiles, settings: ProjectSettings, entries: Sequence[Entry]) -> list[DbtNode]:
    """List the nodes that files create or properties files define, without disabled and ephemeral ones."""
    configs: dict[tuple[Section, str], Mapping[str, Any]]
    configs = {(each.section, each.name): each.config for each in entries if each.section != "sources"}
    nodes = [_source_table(each) for each in entries if each.section == "sources"]
    found: dict[tuple[Section, str, str], dict[str, Any]] = {}
    for path in files.paths:
        for section, suffixes in _SUFFIXES.items():
            if path.endswith(suffixes) and folders_inside(path, settings.folders[section]) is not None:
                code = files.read(path).decode("utf-8", errors="replace") if section != "seeds" else ""
                for name, config in _nodes_of_code(section, path, code).items():
                    found[section, name, path] = config
    found |= {(each.section, each.name, each.path): {} for each in entries if each.is_defined_here}
    for (section, name, path), in_code in found.items():
        folders = folders_inside(path, settings.folders[section]) or []
        config = settings.config(section, folders, name) | dict(configs.get((section, name), {})) | in_code
        if config.get("enabled") is not False and config.get("materialized") != "ephemeral":
            nodes.append(_configured(section, name, path, config))
    return nodes


def _nodes_of_code(section: Section, path: str, code: str) -> dict[str, dict[str, Any]]:
    """Read the configuration in code, by node."""
    if section == "snapshots":
        return {name: read_config(block, "sql") for name, block in snapshots(code).items()}
    stem, suffix = splitext(basename(path))
    return {stem: read_config(code, suffix[1:]) if code else {}}


def folders_inside(path: str, listed: Sequence[str]) -> list[str] | None:
    """Return the folders between a file and the listed folder that holds it; `None` if none of them does."""
    inside = [each for each in listed if not each or path.startswith(f"{each}/")]
    if not inside:
        return None
    return path.removeprefix(max(inside, key=len)).strip("/").split("/")[:-1]


def _source_table(entry: Entry) -> DbtNode:
    return DbtNode(
        section="sources",
        name=entry.name,
        path=entry.path,
        relation=_known(entry.identifier or entry.name),
        schema=_known(entry.schema),
        exact_schema=True,
        source=entry.source,
    )


def _configured(section: Section, name: str, path: str, config: Mapping[str, Any]) -> DbtNode:
    exact = config.get("target_schema") is not None
    return DbtNode(
        section=section,
        name=name,
        path=path,
        relation=_known(config.get("alias") or name),
        schema=_known(config.get("target_schema") if exact else config.get("schema")),
        exact_schema=exact,
        persisted=persisted(config),
    )


def persisted(config: Mapping[str, Any]) -> frozenset[Persisted]:
    """Return which descriptions dbt writes into the database with a configuration."""
    docs = config.get("persist_docs")
    kinds: tuple[Persisted, ...] = ("relation", "columns")
    return frozenset(kind for kind in kinds if isinstance(docs, Mapping) and docs.get(kind) is True)


def _known(value: Any) -> str | None:
    """Return a name, unless only dbt can compute it."""
    return value if value is not UNKNOWN and isinstance(value, str) and "{{" not in value else None

"""The recipe for dbt: descriptions in properties files, added without changing another byte."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import ClassVar, TypeVar

from tribal.capabilities.contribution.recipes.comment_texts import description_of
from tribal.capabilities.contribution.recipes.paths import join
from tribal.capabilities.contribution.recipes.recipe import (
    Edit,
    EditContext,
    Edits,
    Files,
    OfferedText,
    RecipeBlocked,
    RecipeCheck,
    RecipeOptions,
    Relation,
    Saying,
    TargetName,
)
from tribal.dbt.manifest import UnreadableManifest
from tribal.dbt.nodes import DbtNode
from tribal.dbt.positions import CannotSplice
from tribal.dbt.project import DbtProject, UnreadableProject, find_column, read_project
from tribal.dbt.properties import ColumnEntry, Entry
from tribal.dbt.splicing import Change, Spliced, SplicedDocument
from tribal.dbt.yaml_nodes import UnreadableYaml
from tribal.rendering.markdown import code_span
from tribal.rendering.words import number
from tribal.sql.dialect import quote_identifier
from tribal_contracts.contribution.cycles import RecipeName

T = TypeVar("T")
_TEMPLATE = re.compile(r"\{[{%#]")
_END_OF_TEMPLATE = re.compile(r"[#}%]\}")
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the description of a table or column is, or is to be."""

    file: str
    """Relative to the project."""
    change: Change
    entry: Entry | ColumnEntry | None
    """`None` if it is missing."""


class _NotOffered(Exception):
    """A text cannot be written; the message says why."""


class _FolderFiles:
    """The files of a folder, relative to it."""

    def __init__(self, files: Files, folder: str) -> None:
        self._files = files
        self._prefix = join(folder, "")
        self.paths: Sequence[str] = [
            path.removeprefix(self._prefix) for path in files.paths if path.startswith(self._prefix)
        ]
        self.known = frozenset(self.paths)

    def read(self, path: str) -> bytes:
        return self._files.read(self._prefix + path)


class DbtRecipe:
    """Descriptions in the properties files of a dbt project."""

    name: ClassVar[RecipeName] = "dbt"

    def __init__(self, files: Files, folder: str, options: RecipeOptions, project: DbtProject) -> None:
        self.folder = folder
        self._files = _FolderFiles(files, folder)
        self._options = options
        self._project = project
        self._ignores_case = options.dialect == "snowflake"
        self._documents: dict[str, SplicedDocument] = {}

    @classmethod
    def open(cls, files: Files, folder: str, options: RecipeOptions) -> DbtRecipe:
        """Read the project in a folder.

        Raises:
            RecipeBlocked: when one of its files cannot be read.
        """
        try:
            project = read_project(_FolderFiles(files, folder), options.manifest)
        except KeyError:
            raise RecipeBlocked(f"{join(folder, 'dbt_project.yml')} does not exist") from None
        except UnreadableProject as error:
            raise RecipeBlocked(f"{join(folder, str(error))}; repair the file first") from None
        except UnreadableManifest as error:
            raise RecipeBlocked(f"the manifest {error}; write it again with `dbt parse`") from None
        return cls(files, folder, options, project)

    def said(self, target: TargetName) -> Saying | None:
        """Return what the repository says about a target; `None` if it is silent."""
        try:
            place = self._place(target)
        except _NotOffered:
            return None
        if place.entry is None or (said := place.entry.description) is None:
            return None
        return Saying(said.text, join(self.folder, place.file), said.line)

    def refusal(self, relation: Relation, column: str | None, text: str) -> str | None:
        """Say why a text is not offered; `None` if it is."""
        if relation.kind == "foreign_table":
            return "foreign tables are not offered"
        if _TEMPLATE.search(text) or (_END_OF_TEMPLATE.search(text) and (text.endswith("\n") or "\r" in text)):
            return "dbt would run the template markers in the text; remove {{, {%, {#, and their ends"
        if _LONE_SURROGATE.search(text):
            return "the text has half of a character, which no file in UTF-8 can hold"
        try:
            place = self._place(TargetName(relation.schema, relation.name, column))
            if place.entry and place.entry.description and _TEMPLATE.search(place.entry.description.text):
                line = place.entry.description.line
                raise _NotOffered(f"its description in {place.file}:{line} is a template; change it there")
            if place.entry is None or place.entry.description is None:
                self._document(place.file).check([place.change._replace(text=text)])
        except _NotOffered as error:
            return str(error)
        except (CannotSplice, UnreadableYaml) as error:
            return f"{join(self.folder, place.file)} {error}"
        return None

    def reaches_database(self, relation: Relation) -> bool:
        """Tell whether `persist_docs` writes the descriptions of a relation and its columns into the database."""
        try:
            return len(self._node(relation.schema, relation.name).persisted) == 2
        except _NotOffered:
            return False

    def edits(self, texts: Sequence[OfferedText], context: EditContext) -> Edits:
        """Add descriptions, and prove that nothing else changes.

        Raises:
            RecipeBlocked: when they cannot be added.
        """
        by_file: dict[str, dict[Change, OfferedText]] = {}
        owners: dict[tuple[object, ...], OfferedText] = {}
        for offered in texts:
            try:
                place = self._place(offered.target)
            except _NotOffered as error:
                raise RecipeBlocked(f"{_label(offered)}: {error}") from None
            change = place.change._replace(text=offered.text)
            first = owners.setdefault((place.file, *change._replace(text="", quote=False)), offered)
            if first is not offered:
                both = f"{_label(first)} and {_label(offered)}"
                raise RecipeBlocked(f"{both} are both described by {change.name!r} of {place.file}; set `manifest`")
            by_file.setdefault(place.file, {})[change] = offered
        edits, proofs = [], []
        for file, changes in sorted(by_file.items()):
            path = join(self.folder, file)
            before = self._files.read(file) if file in self._files.known else None
            if before is None and path in context.taken:
                raise RecipeBlocked(f"an open contribution adds {path}; merge or close it first")
            try:
                spliced = self._document(file).splice(list(changes))
            except (CannotSplice, UnreadableYaml) as error:
                raise RecipeBlocked(f"{path} {error}") from None
            edits.append(Edit(path, before, spliced.data, description_of(list(changes.values()))))
            proofs.append((path, len(changes), spliced))
        return Edits(edits, _checks(proofs), notes=self._notes(texts))

    def _document(self, file: str) -> SplicedDocument:
        if file not in self._documents:
            data = self._files.read(file) if file in self._files.known else None
            self._documents[file] = SplicedDocument(data)
        return self._documents[file]

    def _node(self, schema: str, name: str) -> DbtNode:
        """Find the node that a relation is.

        Raises:
            _NotOffered: when it does not exist, or more than one.
        """
        found = self._project.candidates(schema, name, ignore_case=self._ignores_case)
        if len(found) > 1:
            listed = ", ".join(f"{node.label} ({node.path})" for node in found[:5])
            advice = "" if self._project.has_manifest else "; set `manifest` to the file that `dbt parse` writes"
            raise _NotOffered(f"may be each of {listed}{advice}")
        if found:
            if found[0].path not in self._files.known:
                raise _NotOffered(f"{found[0].path} of the manifest does not exist; write it again with `dbt parse`")
            return found[0]
        sources = self._project.sources_of(schema, ignore_case=self._ignores_case)
        if len(sources) == 1 and any(fnmatchcase(f"{schema}.{name}", glob) for glob in self._options.tables):
            source = sources[0]
            return DbtNode("sources", name, source.path, name, schema=schema, exact_schema=True, source=source.name)
        raise _NotOffered("not created here" + (", by the manifest" if self._project.has_manifest else ""))

    def _place(self, target: TargetName) -> _Place:
        """Find where a description is, or is to be written.

        Raises:
            _NotOffered: when it is nowhere, or in more than one place.
        """
        node = self._node(target.schema, target.relation)
        if version := self._project.version_of(node):
            raise _NotOffered(f"{node.name} is a version of a model; describe it in {version.path}:{version.line}")
        entries = self._project.entries(node)
        entry = _single(entries, [f"{each.path}:{each.line}" for each in entries])
        file = entry.path if entry else node.path if node.section == "sources" else self._project.file_for(node)
        if target.column is None:
            return _Place(file, Change(node.section, node.name, "", source=node.source), entry)
        columns = find_column(entry.columns, target.column) if entry else []
        column = _single(columns, [f"{file}:{each.line}" for each in columns])
        quote = quote_identifier(target.column, self._options.dialect) != target.column
        name = column.name if column else target.column
        return _Place(file, Change(node.section, node.name, "", name, node.source, quote), column)

    def _notes(self, texts: Sequence[OfferedText]) -> list[str]:
        """Say which descriptions dbt writes into the database."""
        groups: dict[str, list[str]] = {}
        for relation in dict.fromkeys(each.relation for each in texts):
            node = self._node(relation.schema, relation.name)
            groups.setdefault(_persistence(node), []).append(code_span(f"{relation.schema}.{relation.name}"))
        return [f"{said} {', '.join(names)}." for said, names in groups.items()]


def _single(found: Sequence[T], places: Sequence[str]) -> T | None:
    """Return the only value; `None` if it does not exist."""
    if len(found) > 1:
        raise _NotOffered(f"is listed twice: {' and '.join(places[:5])}")
    return found[0] if found else None


def _persistence(node: DbtNode) -> str:
    if node.section == "sources":
        return "dbt never writes descriptions of sources into the database:"
    if len(node.persisted) == 2:
        return "`persist_docs` applies: dbt writes these descriptions into the database when it next builds"
    if node.persisted:
        part = "the relation" if "relation" in node.persisted else "columns"
        return f"`persist_docs` applies to descriptions of {part} only; dbt writes no others into the database:"
    return "`persist_docs` does not apply; the descriptions stay in the documentation of dbt:"


def _label(offered: OfferedText) -> str:
    return ".".join(part for part in offered.target if part is not None)


def _checks(proofs: Sequence[tuple[str, int, Spliced]]) -> list[RecipeCheck]:
    """Say what was proved of each file; a file that cannot be proved is never returned."""
    parsed = [f"{path}: {number(spliced.values, 'value')} parsed" for path, _, spliced in proofs]
    equal = [f"{path}: {number(texts, 'text')} read back as written, all else unchanged" for path, texts, _ in proofs]
    lines = [
        f"{path}: {number(spliced.lines.added, 'line')} added, {spliced.lines.changed} changed"
        for path, _, spliced in proofs
    ]
    return [
        RecipeCheck("parsed", True, "\n".join(parsed)),
        RecipeCheck("equal", True, "\n".join(equal)),
        RecipeCheck("only_intended_lines", True, "\n".join(lines)),
    ]

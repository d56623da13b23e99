"""Reads what one file names. A request and its answer can be sent to another process, which can be killed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.dependencies import dependencies_of, has_dependencies
from tribal.capabilities.knowledge.policies.evidence import FoundNames, SourceFile, Unread
from tribal.capabilities.knowledge.policies.imports import has_imports, imports_of
from tribal.capabilities.knowledge.policies.references import SqlReferences, sql_references

if TYPE_CHECKING:
    from tribal_contracts.knowledge import Target

_SQL = (".sql", ".ddl", ".dml", ".pgsql", ".psql")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A file, and the targets for which it is read.

    Attributes:
        dialect: of SQL, as sqlglot names it.
    """

    path: str
    text: str
    targets: frozenset[Target]
    dialect: str


@dataclass(frozen=True, slots=True)
class FileNames:
    """What a file names."""

    dependencies: FoundNames = field(default_factory=FoundNames)
    imports: FoundNames = field(default_factory=FoundNames)
    sql: SqlReferences = field(default_factory=SqlReferences)


ReadFiles = Callable[[Sequence[ReadRequest]], Sequence[FileNames]]
"""Reads files, and answers in their order."""


def read_here(requests: Sequence[ReadRequest]) -> list[FileNames]:
    """Read files in this process, which nothing interrupts."""
    return [read_file(each) for each in requests]


def read_file(request: ReadRequest) -> FileNames:
    """Read one file; what cannot be read, or is over a limit, is `unread`."""
    file = SourceFile(request.path, request.text)
    return FileNames(
        dependencies_of(file) if "dependency" in request.targets else FoundNames(),
        imports_of(file) if "import" in request.targets else FoundNames(),
        _references(request) if "table" in request.targets or "column" in request.targets else SqlReferences(),
    )


def parser_for(request: ReadRequest) -> str:
    """The parser that reading a file needs, by its dialect of SQL; empty when it needs none."""
    return request.dialect if names_tables(request.path) else ""


def load_parser(name: str) -> None:
    """Import a parser, so that no time for that is counted for a file."""
    from tribal.sql.statements import references_in

    references_in("", name)


def not_read(path: str, reason: str, *, is_over_limit: bool) -> FileNames:
    """What is known of a file that was not read."""

    def gap(*targets: Target) -> list[Unread]:
        return [Unread(path, frozenset(targets), reason, None, is_over_limit)]

    return FileNames(
        FoundNames((), gap("dependency") if has_dependencies(path) else ()),
        FoundNames((), gap("import") if has_imports(path) else ()),
        SqlReferences(unread=gap("table", "column") if names_tables(path) else ()),
    )


def targets_read_of(path: str, needed: Collection[Target]) -> frozenset[Target]:
    """Those of the needed targets that a file of this name is read for."""
    targets: set[Target] = set()
    targets |= {"dependency"} if has_dependencies(path) else set()
    targets |= {"import"} if has_imports(path) else set()
    targets |= {"table", "column"} if names_tables(path) else set()
    return frozenset(targets & {*needed})


def names_tables(path: str) -> bool:
    """Whether a file is one of SQL."""
    return path.casefold().endswith(_SQL)


def _references(request: ReadRequest) -> SqlReferences:
    if not names_tables(request.path):
        return SqlReferences()
    return sql_references(request.text, request.dialect, request.path)

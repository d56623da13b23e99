"""Reads what one file names. A request and its answer can be sent to another process, which can be killed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tribal.capabilities.knowledge.policies.dependencies import dependencies_of, has_dependencies, is_manifest
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Gap, SourceFile
from tribal.capabilities.knowledge.policies.imports import has_imports, imports_of
from tribal.sql.references import StatementReferences, UnreadStatement

if TYPE_CHECKING:
    from tribal_contracts.knowledge import Target

_SQL = (".sql", ".ddl", ".dml", ".pgsql", ".psql")


@dataclass(frozen=True, slots=True)
class ReadRequest:
    """A file, and the targets for which it is read.

    Attributes:
        dialects: SQL dialects, in sqlglot's names; the first one that can read the whole file counts.
    """

    path: str
    text: str
    targets: frozenset[Target]
    dialects: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileNames:
    """The names in a file."""

    dependencies: CollectedNames = field(default_factory=CollectedNames)
    imports: CollectedNames = field(default_factory=CollectedNames)
    sql: StatementReferences = field(default_factory=StatementReferences)


ReadFiles = Callable[[Sequence[ReadRequest]], Sequence[FileNames]]
"""Reads files; the answers are in the same order."""


def read_here(requests: Sequence[ReadRequest]) -> list[FileNames]:
    """Read files in this process, without limits."""
    return [read_file(each) for each in requests]


def read_file(request: ReadRequest) -> FileNames:
    """Read one file; if it cannot be read or is over a limit, `unread` is set."""
    file = SourceFile(request.path, request.text)
    return FileNames(
        dependencies_of(file) if "dependency" in request.targets else CollectedNames(),
        imports_of(file) if "import" in request.targets else CollectedNames(),
        _references(request) if "table" in request.targets or "column" in request.targets else StatementReferences(),
    )


def parser_for(request: ReadRequest) -> str:
    """The parsers that a file needs, by its SQL dialects; empty if it needs none."""
    return " ".join(request.dialects) if names_tables(request.path) else ""


def load_parser(name: str) -> None:
    """Import parsers, so that no time for that is counted for a file."""
    from tribal.sql.statements import references_in

    for dialect in name.split():
        references_in("SELECT 1", dialect)


def not_read(path: str, reason: str) -> FileNames:
    """The answer for a file that was not read."""

    def gap(*targets: Target) -> list[Gap]:
        return [Gap(path, frozenset(targets), reason)]

    return FileNames(
        CollectedNames((), gap("dependency") if is_manifest(path) else ()),
        CollectedNames((), gap("import") if has_imports(path) else ()),
        StatementReferences(unread=[UnreadStatement(reason)] if names_tables(path) else ()),
    )


def targets_read_of(file: SourceFile, needed: Collection[Target]) -> frozenset[Target]:
    """The needed targets that a file may contain."""
    targets: set[Target] = set()
    targets |= {"dependency"} if has_dependencies(file) else set()
    targets |= {"import"} if has_imports(file.path) else set()
    targets |= {"table", "column"} if names_tables(file.path) else set()
    return frozenset(targets & {*needed})


def names_tables(path: str) -> bool:
    """Whether a file contains SQL."""
    return path.casefold().endswith(_SQL)


def _references(request: ReadRequest) -> StatementReferences:
    if not names_tables(request.path):
        return StatementReferences()
    # Loads sqlglot.
    from tribal.sql.statements import references_in

    found: list[StatementReferences] = []
    for dialect in request.dialects:
        found.append(references_in(request.text, dialect))
        if not found[-1].unread:
            return found[-1]
    return min(found, key=lambda each: len(each.unread))

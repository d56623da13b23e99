"""Collects the evidence of a check: what files import, depend on and name in SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tribal.capabilities.knowledge.policies.dependencies import is_other_manifest
from tribal.capabilities.knowledge.policies.evidence import CollectedNames, Evidence, Gap, NameUse, SourceFile
from tribal.capabilities.knowledge.policies.file_names import (
    FileNames,
    ReadFiles,
    ReadRequest,
    not_read,
    read_here,
    targets_read_of,
)
from tribal.capabilities.knowledge.policies.imports import is_of_another_language
from tribal.capabilities.knowledge.policies.inclusions import FindFile, follow_inclusions
from tribal.sql.references import StatementReferences
from tribal_contracts.knowledge import Target

Resolve = Callable[[Sequence[str]], tuple[str, ...]]
"""Returns every spelling of a table, longest first, for the parts of its name as written."""
_SQL_TARGETS: frozenset[Target] = frozenset({"table", "column"})


@dataclass(frozen=True)
class DocumentedNames:
    """Names that do not come from files.

    Attributes:
        dependencies: their names.
        tables: the requested documented tables.
        columns: their columns.
        dialects: SQL dialects, in sqlglot's names, see `ReadRequest`.
        resolve: the spellings of a table that SQL names in parts; by its parts alone when unset.
    """

    dependencies: Sequence[NameUse] = ()
    tables: Sequence[NameUse] = ()
    columns: Sequence[NameUse] = ()
    dialects: tuple[str, ...] = ("postgres", "snowflake")
    resolve: Resolve | None = None


def collect_evidence(
    files: Sequence[SourceFile],
    documented_names: DocumentedNames,
    needed: Collection[Target],
    *,
    is_complete: bool,
    read: ReadFiles = read_here,
    find: FindFile = lambda _: None,
) -> tuple[Evidence, list[str]]:
    """Collect the evidence, and warnings about it.

    Args:
        files: their paths are unique.
        documented_names: names that do not come from files.
        needed: targets of the constraints; other names are not read.
        is_complete: whether nothing was left out.
        read: reads the files; in another process where a file may be hostile and others wait.
        find: finds a file of requirements that one of the files includes.
    """
    dialects = documented_names.dialects
    names = _names(files, dialects, needed, read)
    dependencies = follow_inclusions(
        names,
        files,
        find,
        lambda found: read([ReadRequest(file.path, file.text, frozenset({"dependency"}), dialects) for file in found]),
    )
    sql = [named(each.sql, file.path, documented_names.resolve or suffixes) for file, each in names]
    evidence = Evidence(
        files=files,
        dependencies=_joined([CollectedNames(documented_names.dependencies), *dependencies]),
        imports=_joined([each.imports for _, each in names]),
        tables=_joined([CollectedNames(documented_names.tables), *(tables for tables, _ in sql)]),
        columns=_joined([CollectedNames(documented_names.columns), *(columns for _, columns in sql)]),
        is_complete=is_complete,
    )
    return evidence, _warnings(files, needed)


def named(references: StatementReferences, file: str | None, resolve: Resolve) -> tuple[CollectedNames, CollectedNames]:
    """Tables and columns with all their spellings, each with the gaps.

    Args:
        references: the names in statements.
        file: which holds the statements.
        resolve: finds the spellings of a table.
    """
    unread = [Gap(file, _SQL_TARGETS, each.reason, each.line) for each in references.unread]
    tables = [NameUse(resolve(each.parts), file, each.line) for each in references.tables]
    columns = []
    for each in references.columns:
        of = resolve(each.table) if each.table is not None else ()
        columns.append(NameUse((*(f"{table}.{each.name}" for table in of), each.name), file, each.line))
    return CollectedNames(tables, unread), CollectedNames(columns, unread)


def suffixes(parts: Sequence[str]) -> tuple[str, ...]:
    """The spellings of an unresolved name: `a.b.c`, `b.c`, `c`."""
    return tuple(".".join(parts[start:]) for start in range(len(parts)))


def _names(
    files: Sequence[SourceFile], dialects: tuple[str, ...], needed: Collection[Target], read: ReadFiles
) -> list[tuple[SourceFile, FileNames]]:
    wanted = [(file, targets) for file in files if (targets := targets_read_of(file, needed))]
    readable = [ReadRequest(file.path, file.text, targets, dialects) for file, targets in wanted if file.unread is None]
    answers = iter(read(readable) if readable else ())
    return [
        (file, next(answers)) if file.unread is None else (file, not_read(file.path, file.unread)) for file, _ in wanted
    ]


def _joined(several: Sequence[CollectedNames]) -> CollectedNames:
    return CollectedNames(
        [named for each in several for named in each.named], [unread for each in several for unread in each.unread]
    )


def _warnings(files: Sequence[SourceFile], needed: Collection[Target]) -> list[str]:
    languages = [each.path for each in files if is_of_another_language(each)] if "import" in needed else []
    manifests = [each.path for each in files if is_other_manifest(each.path)] if "dependency" in needed else []
    return [
        f"{what} are read only from {sources}, not from {others[0]!r}{_more(len(others))}"
        for what, sources, others in (
            ("imports", "Python, JavaScript and TypeScript", languages),
            ("dependencies", "manifests of Python and JavaScript", manifests),
        )
        if others
    ]


def _more(count: int) -> str:
    return f" and {count - 1:,} more" if count > 1 else ""

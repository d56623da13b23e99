"""Makes a evidence of files: what they import, depend on and name in SQL."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from tribal.capabilities.knowledge.policies.evidence import Evidence, FoundNames, Named, SourceFile
from tribal.capabilities.knowledge.policies.file_names import (
    FileNames,
    ReadFiles,
    ReadRequest,
    not_read,
    read_here,
    targets_read_of,
)
from tribal.capabilities.knowledge.policies.imports import is_of_another_language
from tribal.capabilities.knowledge.policies.references import Resolve, suffixes
from tribal_contracts.knowledge import Target


@dataclass(frozen=True)
class DocumentedNames:
    """What is known beside files.

    Attributes:
        dependencies: their names.
        tables: documented ones that were asked for.
        columns: theirs.
        dialect: of SQL, as sqlglot names it.
        resolve: the spellings of a table that SQL names in parts; by its parts alone when unset.
    """

    dependencies: Sequence[Named] = ()
    tables: Sequence[Named] = ()
    columns: Sequence[Named] = ()
    dialect: str = "postgres"
    resolve: Resolve | None = None


def collect_evidence(
    files: Sequence[SourceFile],
    documented_names: DocumentedNames,
    needed: Collection[Target],
    *,
    is_complete: bool,
    read: ReadFiles = read_here,
) -> tuple[Evidence, list[str]]:
    """A evidence of files and of what is beside them, and what to know about it.

    Args:
        files: their paths are unique.
        documented_names: what is known without them.
        needed: targets that constraints ask for; nothing is read for others.
        is_complete: whether nothing was left out.
        read: reads the files; in another process where a file may be hostile and others wait.
    """
    names = _names(files, documented_names.dialect, needed, read)
    sql = [each.sql.named(file.path, documented_names.resolve or suffixes) for file, each in names]
    evidence = Evidence(
        files=files,
        dependencies=_joined([FoundNames(documented_names.dependencies), *(each.dependencies for _, each in names)]),
        imports=_joined([each.imports for _, each in names]),
        tables=_joined([FoundNames(documented_names.tables), *(tables for tables, _ in sql)]),
        columns=_joined([FoundNames(documented_names.columns), *(columns for _, columns in sql)]),
        is_complete=is_complete,
    )
    return evidence, _warnings(files, needed)


def _names(
    files: Sequence[SourceFile], dialect: str, needed: Collection[Target], read: ReadFiles
) -> list[tuple[SourceFile, FileNames]]:
    wanted = [(file, targets) for file in files if (targets := targets_read_of(file.path, needed))]
    readable = [ReadRequest(file.path, file.text, targets, dialect) for file, targets in wanted if file.unread is None]
    answers = iter(read(readable) if readable else ())
    return [
        (file, next(answers))
        if file.unread is None
        else (file, not_read(file.path, file.unread, is_over_limit=file.is_over_limit))
        for file, _ in wanted
    ]


def _joined(several: Sequence[FoundNames]) -> FoundNames:
    return FoundNames(
        [named for each in several for named in each.named], [unread for each in several for unread in each.unread]
    )


def _warnings(files: Sequence[SourceFile], needed: Collection[Target]) -> list[str]:
    others = [each.path for each in files if is_of_another_language(each.path)] if "import" in needed else []
    if not others:
        return []
    return [f"imports are read of Python, JavaScript and TypeScript alone, not of {others[0]!r}" + _more(len(others))]


def _more(count: int) -> str:
    return f" and {count - 1:,} more" if count > 1 else ""

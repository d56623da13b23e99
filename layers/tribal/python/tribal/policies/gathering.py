"""Makes a picture of files: what they import, depend on and name in SQL."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from tribal.policies.dependencies import dependencies_of
from tribal.policies.imports import imports_of, is_of_another_language
from tribal.policies.picture import Found, Named, Picture, SourceFile, Unread
from tribal_contracts.knowledge import Target

_SQL = (".sql", ".ddl", ".dml", ".pgsql", ".psql")


@dataclass(frozen=True)
class Beside:
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
    resolve: Callable[[Sequence[str]], tuple[str, ...]] | None = None


def picture_of(
    files: Sequence[SourceFile], beside: Beside, needed: Collection[Target], *, is_complete: bool
) -> tuple[Picture, list[str]]:
    """A picture of files and of what is beside them, and what to know about it.

    Args:
        files: their paths are unique.
        beside: what is known without them.
        needed: targets that constraints ask for; nothing is read for others.
        is_complete: whether nothing was left out.
    """
    dependencies = [dependencies_of(each) for each in files] if "dependency" in needed else []
    imports = [imports_of(each) for each in files] if "import" in needed else []
    tables, columns = _of_sql(files, beside) if {"table", "column"} & {*needed} else ([], [])
    picture = Picture(
        files=files,
        dependencies=_joined([Found(beside.dependencies), *dependencies]),
        imports=_joined(imports),
        tables=_joined([Found(beside.tables), *tables]),
        columns=_joined([Found(beside.columns), *columns]),
        is_complete=is_complete,
    )
    return picture, _warnings(files, needed)


def names_tables(file: SourceFile) -> bool:
    """Whether a file is one of SQL."""
    return file.path.casefold().endswith(_SQL)


def _of_sql(files: Sequence[SourceFile], beside: Beside) -> tuple[list[Found], list[Found]]:
    texts = [each for each in files if names_tables(each)]
    if not texts:
        return [], []
    from tribal.policies.sql import names_in, suffixes

    resolve = beside.resolve or suffixes
    read = [
        names_in(each.text, beside.dialect, each.path, resolve).found()
        if each.unread is None
        else (_gap(each, each.unread), _gap(each, each.unread))
        for each in texts
    ]
    return [tables for tables, _ in read], [columns for _, columns in read]


def _gap(file: SourceFile, reason: str) -> Found:
    return Found((), [Unread(file.path, frozenset({"table", "column"}), reason)])


def _joined(several: Sequence[Found]) -> Found:
    return Found(
        [named for each in several for named in each.named], [unread for each in several for unread in each.unread]
    )


def _warnings(files: Sequence[SourceFile], needed: Collection[Target]) -> list[str]:
    others = [each.path for each in files if is_of_another_language(each.path)] if "import" in needed else []
    if not others:
        return []
    return [f"imports are read of Python, JavaScript and TypeScript alone, not of {others[0]!r}" + _more(len(others))]


def _more(count: int) -> str:
    return f" and {count - 1:,} more" if count > 1 else ""

"""What is checked: files, and what is named in them or beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A process that reads files starts faster without the contracts.
    from tribal_contracts.knowledge import Target


@dataclass(frozen=True, slots=True)
class Named:
    """Something that has a name: a dependency, an import, a table, a column.

    Attributes:
        spellings: its names, the longest first: a pattern that matches any of them matches it.
        file: where it is named, if that is known.
        line: counted from 1.
    """

    spellings: tuple[str, ...]
    file: str | None = None
    line: int | None = None

    @property
    def name(self) -> str:
        """How it is told."""
        return self.spellings[0]


@dataclass(frozen=True, slots=True)
class Unread:
    """What could not be read, so that a constraint of one of the targets cannot be evaluated there.

    Attributes:
        is_over_limit: whether it is over a limit. Then it blocks where the constraint blocks: else whoever writes a
            file could avoid a policy by making the file large.
    """

    file: str | None
    targets: frozenset[Target]
    reason: str
    line: int | None = None
    is_over_limit: bool = False


@dataclass(frozen=True)
class SourceFile:
    """A file by its path, relative and with `/`."""

    path: str
    text: str
    unread: str | None = None
    """Why its text is not known, if it is not: it is a file by its path alone then."""
    is_binary: bool = False
    """Whether it is no text, in which no pattern is looked for."""
    is_over_limit: bool = False
    """Whether it was not read because it is too large."""

    @classmethod
    def of(cls, path: str, text: str) -> SourceFile:
        """A file as it is checked: without a byte order mark, its lines ended by a line feed alone."""
        return cls(path, text.removeprefix("\ufeff").replace("\r\n", "\n"))

    @cached_property
    def data(self) -> bytes:
        """The text as it is searched."""
        return self.text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True)
class FoundNames:
    """What is named, by kind, and what could not be read."""

    named: Sequence[Named] = ()
    unread: Sequence[Unread] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything that is checked at once.

    Attributes:
        files: their paths are unique.
        dependencies: those that are named beside files.
        tables: of SQL and of documents.
        columns: likewise.
        is_complete: whether what is not here is nowhere: only that proves an absence.
    """

    files: Sequence[SourceFile] = ()
    dependencies: FoundNames = field(default_factory=FoundNames)
    imports: FoundNames = field(default_factory=FoundNames)
    tables: FoundNames = field(default_factory=FoundNames)
    columns: FoundNames = field(default_factory=FoundNames)
    is_complete: bool = False

    def found(self, target: Target) -> FoundNames:
        """What a target of names is asked of."""
        return {
            "dependency": self.dependencies,
            "import": self.imports,
            "table": self.tables,
            "column": self.columns,
        }[target]

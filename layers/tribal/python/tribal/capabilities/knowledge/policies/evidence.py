"""The evidence of a check: files, and the names in them or passed with them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    # A process that reads files starts faster without the contracts.
    from tribal_contracts.knowledge import Target


@dataclass(frozen=True, slots=True)
class NameUse:
    """An occurrence of a name: of a dependency, an import, a table or a column.

    Attributes:
        spellings: its names, longest first; a pattern matches if it matches any of them.
        file: where it occurs, if known.
        line: counted from 1.
        included_by: other files that it belongs to too.
    """

    spellings: tuple[str, ...]
    file: str | None = None
    line: int | None = None
    included_by: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The name shown in messages."""
        return self.spellings[0]


@dataclass(frozen=True, slots=True)
class Gap:
    """Something that could not be read, so that constraints on its targets cannot be evaluated there."""

    file: str | None
    targets: frozenset[Target]
    reason: str
    line: int | None = None
    included_by: tuple[str, ...] = ()


@dataclass(frozen=True)
class SourceFile:
    """A file by its path, relative and with `/`."""

    path: str
    text: str
    unread: str | None = None
    """Why the text is missing, if it is: then only the path is known."""
    is_binary: bool = False
    """Whether it is binary; patterns are not searched in it."""

    @classmethod
    def of(cls, path: str, text: str) -> SourceFile:
        """A file prepared for checks: without a byte order mark, with line feeds as line ends."""
        return cls(path, text.removeprefix("\ufeff").replace("\r\n", "\n"))

    @cached_property
    def data(self) -> bytes:
        """The text as bytes, for searching."""
        return self.text.encode("utf-8", "surrogateescape")


@dataclass(frozen=True, slots=True)
class Inclusion:
    """A file of requirements that another one includes.

    Attributes:
        path: as written: relative to the folder of the other one.
        file: the other one.
    """

    path: str
    file: str
    line: int | None = None


@dataclass(frozen=True)
class CollectedNames:
    """The names of one kind, what could not be read, and the files that have more of them."""

    named: Sequence[NameUse] = ()
    unread: Sequence[Gap] = ()
    included: Sequence[Inclusion] = ()


@dataclass(frozen=True)
class Evidence:
    """Everything that one check looks at.

    Attributes:
        files: their paths are unique.
        dependencies: the dependencies, including those passed with the request.
        tables: of SQL and of documents.
        columns: likewise.
        is_complete: whether nothing is missing, so that an absence is proof.
    """

    files: Sequence[SourceFile] = ()
    dependencies: CollectedNames = field(default_factory=CollectedNames)
    imports: CollectedNames = field(default_factory=CollectedNames)
    tables: CollectedNames = field(default_factory=CollectedNames)
    columns: CollectedNames = field(default_factory=CollectedNames)
    is_complete: bool = False

    def found(self, target: Target) -> CollectedNames:
        """The names of a target."""
        return {
            "dependency": self.dependencies,
            "import": self.imports,
            "table": self.tables,
            "column": self.columns,
        }[target]

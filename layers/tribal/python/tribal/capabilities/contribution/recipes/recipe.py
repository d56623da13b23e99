"""What every recipe offers: what a repository says about its tables, and the edits that add descriptions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, Protocol

from tribal_contracts import DatabaseType
from tribal_contracts.contribution.cycles import RecipeName
from tribal_contracts.documentation.catalog import TableKind


class RecipeBlocked(Exception):
    """The repository does not allow an edit; the message says why and what to do."""


class Files(Protocol):
    """The files of one commit; links and submodules are not among them."""

    @property
    def paths(self) -> Sequence[str]:
        """Every path, relative to the root and separated by `/`, in order."""
        ...

    def read(self, path: str) -> bytes:
        """The bytes of a file; raises `KeyError` when it does not exist."""
        ...


class Relation(NamedTuple):
    """A documented table or view of any kind, by the names that the server stores."""

    schema: str
    name: str
    kind: TableKind
    columns: tuple[str, ...]


class TargetName(NamedTuple):
    """A table, or one of its columns."""

    schema: str
    relation: str
    column: str | None = None


@dataclass(frozen=True, slots=True)
class Saying:
    """What a repository says about a table or a column."""

    text: str
    path: str
    line: int
    """From 1."""


@dataclass(frozen=True, slots=True)
class OfferedText:
    """A description to write."""

    relation: Relation
    column: str | None
    text: str
    comment: str | None
    """What the database says now."""

    @property
    def target(self) -> TargetName:
        """What it describes."""
        return TargetName(self.relation.schema, self.relation.name, self.column)


@dataclass(frozen=True, slots=True, kw_only=True)
class EditContext:
    """What names of new files are made from; the same values give the same bytes."""

    swarm_id: str
    cycle: int
    at: str
    """ISO 8601 in UTC, in whole seconds."""
    title: str
    """Of the commit: an imperative sentence on one line."""
    taken: frozenset[str] = frozenset()
    """Paths that our other open contributions add."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One file as it will be."""

    path: str
    before: bytes | None
    """`None` for a new file."""
    after: bytes
    description: str
    """What is done to the file, as a sentence fragment such as `describe 3 columns of billing.invoice`."""


CheckName = Literal["parsed", "equal", "only_intended_lines"]


@dataclass(frozen=True, slots=True)
class RecipeCheck:
    """A check of the edits: the result was parsed, its texts are equal, and no other line has changed."""

    name: CheckName
    passed: bool
    output: str
    """What was compared, or what is wrong."""


@dataclass(frozen=True, slots=True)
class Edits:
    """The edits of one contribution, checked."""

    edits: Sequence[Edit]
    checks: Sequence[RecipeCheck]
    warnings: Sequence[str] = ()
    notes: Sequence[str] = field(default_factory=tuple)
    """For the reviewer: what else the repository needs, in Markdown; names in it are escaped."""
    identifiers: Sequence[str] = ()
    """Identifiers of the repository's tool in the edits, which may look like personal data."""


class Recipe(Protocol):
    """One way to write descriptions, opened on the files of one commit for one database.

    Opening it raises `RecipeBlocked` when the repository is not of its form.
    """

    @property
    def name(self) -> RecipeName:
        """Its name in settings."""
        ...

    @property
    def folder(self) -> str:
        """The folder of its files; empty for the root."""
        ...

    def said(self, target: TargetName) -> Saying | None:
        """What the repository says about a target; `None` if it is silent."""
        ...

    def refusal(self, relation: Relation, column: str | None, text: str) -> str | None:
        """Why a text is not offered, such as "not created here"; `None` if it is."""
        ...

    def reaches_database(self, relation: Relation) -> bool:
        """Whether the repository's tool writes the descriptions of a relation into the database."""
        ...

    def edits(self, texts: Sequence[OfferedText], context: EditContext) -> Edits:
        """The edits that add texts, which none of `refusal` or a conflict speaks against.

        Raises:
            RecipeBlocked: when they cannot be added.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class RecipeOptions:
    """What the entry of a repository says about its recipe, and the database that it creates."""

    dialect: DatabaseType
    recipe: RecipeName | None = None
    """Found if unset."""
    folder: str | None = None
    """Found if unset."""
    tables: Sequence[str] = ()
    """Globs over `schema.table` of tables that it creates although no file says so."""
    manifest: bytes | None = None
    """The manifest of dbt that the entry names, if any."""


def folded(text: str) -> str:
    """A text for comparison: runs of white space count as one blank."""
    return " ".join(text.split())

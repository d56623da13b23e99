"""What migrations leave behind when all have run: which relations exist, and the comments on them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from tribal.capabilities.contribution.recipes.recipe import RecipeOptions, Relation, Saying, TargetName
from tribal.sql.comments import CommentKind, CommentTarget, SchemaChange
from tribal_contracts import DatabaseType
from tribal_contracts.documentation.catalog import TableKind

RelationName = tuple[str, str]

_KINDS: dict[DatabaseType, dict[TableKind, CommentKind]] = {
    "postgres": {
        "table": "TABLE",
        "partitioned_table": "TABLE",
        "partition": "TABLE",
        "view": "VIEW",
        "materialized_view": "MATERIALIZED VIEW",
    },
    # Snowflake names no object types for its other kinds in the documentation of COMMENT.
    "snowflake": {"table": "TABLE", "hybrid_table": "TABLE", "iceberg_table": "TABLE", "view": "VIEW"},
}


def default_schema(dialect: DatabaseType) -> str:
    """Return the schema of unqualified names where nothing else is set."""
    return "PUBLIC" if dialect == "snowflake" else "public"


def comment_target(relation: Relation, column: str | None, dialect: DatabaseType) -> CommentTarget | None:
    """Return what a statement comments on, or `None` if no documented statement does."""
    kind = _KINDS[dialect].get(relation.kind)
    if kind is None or column is None:
        return kind and CommentTarget(kind, (relation.schema, relation.name))
    if dialect == "snowflake" and kind == "VIEW":
        return None
    return CommentTarget("COLUMN", (relation.schema, relation.name, column))


class SchemaHistory:
    """Relations that migrations create, and their comments, after the changes applied so far.

    Args:
        options: the globs of relations that the repository creates although no file says so. For such a relation, an
            unqualified name in a file counts too: the schema is then set outside of the repository.
        unqualified: the schema of unqualified names.
    """

    def __init__(self, options: RecipeOptions, unqualified: str) -> None:
        self._tables: Sequence[str] = options.tables
        self._unqualified = unqualified
        self._created: set[RelationName] = set()
        self._sayings: dict[RelationName, dict[str | None, Saying]] = {}

    def apply(self, changes: Iterable[SchemaChange], path: str) -> None:
        """Apply the changes of a file, in order."""
        for change in changes:
            sayings = self._sayings.setdefault(change.relation, {})
            if change.action == "create":
                self._created.add(change.relation)
            elif change.action == "comment":
                sayings.pop(change.column, None)
                if change.text:
                    # A literal of Python may hold half of a surrogate pair, which cannot be shown.
                    text = change.text.encode("utf-8", "replace").decode()
                    sayings[change.column] = Saying(text, path, change.line)
            elif change.column is not None:
                saying = sayings.pop(change.column, None)
                if saying and change.new_column:
                    sayings[change.new_column] = saying
            else:
                self._move(change)

    def _move(self, change: SchemaChange) -> None:
        """Drop a relation, or give it its new name."""
        sayings = self._sayings.pop(change.relation, {})
        if change.new_relation:
            self._sayings[change.new_relation] = sayings
            if change.relation in self._created:
                self._created.add(change.new_relation)
        self._created.discard(change.relation)

    def said(self, target: TargetName) -> Saying | None:
        """Return the last comment on a target."""
        name = (target.schema, target.relation)
        if name not in self._sayings and self._is_named(name):
            name = (self._unqualified, target.relation)
        return self._sayings.get(name, {}).get(target.column)

    def creates(self, relation: Relation) -> bool:
        """Tell whether a file creates the relation, or the entry of the repository names it."""
        name = (relation.schema, relation.name)
        return name in self._created or self._is_named(name)

    def _is_named(self, name: RelationName) -> bool:
        return any(fnmatchcase(".".join(name), glob) for glob in self._tables)

"""Comments as SQL statements, and the checks of what was written. Used by every recipe that writes SQL."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.capabilities.contribution.recipes.recipe import (
    Edit,
    OfferedText,
    RecipeBlocked,
    RecipeCheck,
    Relation,
    Saying,
    TargetName,
)
from tribal.capabilities.contribution.recipes.schema_history import SchemaHistory, comment_target
from tribal.rendering.words import number
from tribal.sql.comments import comment_statement, find_difference
from tribal_contracts import DatabaseType


class CommentWriter:
    """Writes statements that comment on documented relations.

    Args:
        dialect: of the statements.
        marks: strings that a tool would act on; they do not appear in statements.
    """

    def __init__(self, dialect: DatabaseType, marks: Sequence[str] = ()) -> None:
        self.dialect = dialect
        self._marks = tuple(dict.fromkeys(marks))

    def refusal(self, relation: Relation, column: str | None, text: str) -> str | None:
        """Say why a text cannot be written; `None` if it can."""
        try:
            self.statement(relation, column, text)
        except RecipeBlocked as error:
            return str(error)
        return None

    def statement(self, relation: Relation, column: str | None, text: str | None) -> str:
        """Write a statement on one line.

        Raises:
            RecipeBlocked: no documented statement comments on this, or the text or a name cannot be written.
        """
        target = comment_target(relation, column, self.dialect)
        if target is None:
            part = "columns of a " if column is not None else "a "
            raise RecipeBlocked(f"no documented statement comments on {part}{relation.kind.replace('_', ' ')}")
        try:
            return comment_statement(target, text or None, self.dialect, self._marks)
        except ValueError as error:
            raise RecipeBlocked(str(error)) from error

    def parsed(self, texts: Sequence[OfferedText]) -> RecipeCheck:
        """Parse the statement of each text, and compare kind, name and text."""
        problems = []
        for each in texts:
            target = comment_target(each.relation, each.column, self.dialect)
            statement = self.statement(each.relation, each.column, each.text)
            if target and (problem := find_difference(statement, target, each.text, self.dialect)):
                problems.append(f"{'.'.join(target.name)}: {problem}")
        return RecipeCheck("parsed", not problems, "\n".join(problems) or f"{number(len(texts), 'statement')} parsed")


class CommentRecipe:
    """Base of the recipes whose files run in order and set comments."""

    _folder: str
    _history: SchemaHistory
    """After all files have run."""
    _writer: CommentWriter

    @property
    def folder(self) -> str:
        """The folder of its files or configuration; empty for the root."""
        return self._folder

    def said(self, target: TargetName) -> Saying | None:
        """Return the last comment on a target over all files, in the order in which they run."""
        return self._history.said(target)

    def refusal(self, relation: Relation, column: str | None, text: str) -> str | None:
        """Say why a text is not offered; `None` if it is."""
        return self._writer.refusal(relation, column, text) or (
            None if self._history.creates(relation) else "not created here"
        )

    def reaches_database(self, relation: Relation) -> bool:  # noqa: ARG002 - the interface names it
        """Return true: the files set the comments."""
        return True


def compared(texts: Sequence[OfferedText], written: SchemaHistory) -> RecipeCheck:
    """Compare the texts with what the new files say when they are read as the repository's files are."""
    differing = []
    for each in texts:
        saying = written.said(each.target)
        if saying is None or saying.text != each.text:
            differing.append(f"{each.target}: the text that was read back differs")
    equal = f"{number(len(texts), 'text')} read back as written"
    return RecipeCheck("equal", not differing, "\n".join(differing) or equal)


def only_new_files(edits: Sequence[Edit], existing: Sequence[str]) -> RecipeCheck:
    """Check that no file that exists is changed."""
    changed = [each.path for each in edits if each.before is not None or each.path in existing]
    output = f"already exists: {', '.join(changed)}" if changed else f"{number(len(edits), 'file')} added, none changed"
    return RecipeCheck("only_intended_lines", not changed, output)


def description_of(texts: Sequence[OfferedText]) -> str:
    """Describe an edit, such as `describe billing.invoice and 2 columns`."""
    relations = sorted({f"{each.relation.schema}.{each.relation.name}" for each in texts})
    columns = sum(each.column is not None for each in texts)
    tables = len(texts) - columns
    counted = [number(tables, "table or view", "tables and views")] if tables else []
    counted += [number(columns, "column")] if columns else []
    of = f" of {relations[0]}" if len(relations) == 1 and not tables else ""
    return f"describe {' and '.join(counted)}{of}"

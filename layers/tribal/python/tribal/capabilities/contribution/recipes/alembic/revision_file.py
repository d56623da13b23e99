"""Writes a revision script in the shape of Alembic's generic template."""

from __future__ import annotations

from collections.abc import Sequence

from tribal.capabilities.contribution.recipes.comment_texts import CommentWriter
from tribal.capabilities.contribution.recipes.recipe import EditContext, OfferedText
from tribal_contracts import DatabaseType

_HEADER = '''"""{title}

Revision ID: {revision}
Revises: {down}
Create Date: {at}

"""
from typing import Sequence, Union

from alembic import op


revision: str = {revision!r}
down_revision: Union[str, Sequence[str], None] = {down!r}
branch_labels: Union[str, Sequence[str], None] = None
depends_on: Union[str, Sequence[str], None] = None
'''


def is_executed(text: OfferedText, dialect: DatabaseType) -> bool:
    """Tell whether a comment is set by SQL: Alembic has no operation on views, and none on Snowflake's columns."""
    return dialect == "snowflake" or "view" in text.relation.kind


def write_revision(
    revision: str, down: str, texts: Sequence[OfferedText], context: EditContext, writer: CommentWriter
) -> str:
    """Write a script whose `upgrade` sets comments and whose `downgrade` restores the previous ones.

    Every text is a literal on one line that shows invisible characters.

    Raises:
        RecipeBlocked: a text or a name cannot be written.
    """
    title = context.title.replace("\\", "\\\\").replace('"', '\\"')
    header = _HEADER.format(title=title, revision=revision, down=down, at=context.at)
    upgrade = "".join(_operation(each, each.text, each.comment, writer) for each in texts)
    downgrade = "".join(_operation(each, each.comment, each.text, writer) for each in reversed(texts))
    return (
        f'{header}\n\ndef upgrade() -> None:\n    """Upgrade schema."""\n{upgrade}'
        f'\n\ndef downgrade() -> None:\n    """Downgrade schema."""\n{downgrade}'
    )


def _operation(offered: OfferedText, text: str | None, existing: str | None, writer: CommentWriter) -> str:
    """Write the call that replaces a comment."""
    if is_executed(offered, writer.dialect):
        statement = writer.statement(offered.relation, offered.column, text).removesuffix(";")
        # A colon before a word would be a parameter.
        return f"    op.execute({statement.replace(':', chr(92) + ':')!r})\n"
    relation, schema = offered.relation.name, offered.relation.schema
    lines = [f"existing_comment={existing or None!r}", f"schema={schema!r}"]
    if offered.column is not None:
        function, lines = "alter_column", [repr(offered.column), f"comment={text or None!r}", *lines]
    elif text:
        function, lines = "create_table_comment", [repr(text), *lines]
    else:
        function = "drop_table_comment"
    arguments = "".join(f"        {line},\n" for line in (repr(relation), *lines))
    return f"    op.{function}(\n{arguments}    )\n"

"""Writes `COMMENT ON` statements, and proves with a parser that they say what was meant."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from tribal.sql.comments.literals import TEMPLATE_MARKS, text_literal
from tribal.sql.dialect import fold, quote_identifier
from tribal.sql.visibility import is_visible
from tribal_contracts import DatabaseType

CommentKind = Literal["TABLE", "VIEW", "MATERIALIZED VIEW", "COLUMN"]


class CommentTarget(NamedTuple):
    """A table, a view or a column, by the names that the server stores."""

    kind: CommentKind
    name: tuple[str, ...]
    """Schema and relation, and the column of a `COLUMN`."""


def comment_statement(target: CommentTarget, text: str | None, dialect: DatabaseType, marks: Sequence[str] = ()) -> str:
    """Write a statement on one line that sets a comment, or removes it if there is no text.

    Args:
        target: what to comment on.
        text: the comment.
        dialect: of the statement.
        marks: strings that must not appear because a tool would act on them; see `text_literal`.

    Raises:
        ValueError: the text or a name cannot be written; the message says why.
    """
    name = ".".join(quote_identifier(part, dialect) for part in target.name)
    if not all(map(is_visible, name)):
        raise ValueError("the name contains an invisible character")
    if found := next((mark for mark in (*TEMPLATE_MARKS, *marks) if mark in name), None):
        raise ValueError(f"the name contains {found!r}, which the migration tool would act on")
    # Snowflake has no NULL here; the empty comment is none.
    empty = "''" if dialect == "snowflake" else "NULL"
    literal = empty if text is None else text_literal(text, dialect, marks)
    return f"COMMENT ON {target.kind} {name} IS {literal};"


def find_difference(statement: str, target: CommentTarget, text: str | None, dialect: DatabaseType) -> str | None:
    """Parse a statement and return what differs from the target and the text, or `None` if nothing does.

    sqlglot reads the names and the literal, independently of the code that wrote them. It has no syntax for `E'...'`
    and `NULL` in this statement, so such a token is handed to its parser as the string that its tokenizer read.
    """
    # The parser takes 0.3 s to load.
    from tribal.sql.parsing import NotParsed, Token, TokenType, exp, parse_statement, split_statements

    try:
        statements = split_statements(statement, dialect)
        if len(statements) != 1:
            return f"it is {len(statements)} statements"
        *tokens, last = statements[0]
        if last.token_type not in (TokenType.STRING, TokenType.BYTE_STRING, TokenType.NULL):
            return "it does not end with a literal"
        value = "" if last.token_type is TokenType.NULL else last.text
        string = Token(TokenType.STRING, value, last.line, last.col, last.start, last.end, last.comments)
        tree = parse_statement([*tokens, string], statement, dialect)
    except NotParsed as error:
        return error.reason
    if not isinstance(tree, exp.Comment):
        return "it is not a comment"
    kind = f"MATERIALIZED {tree.args['kind']}" if tree.args.get("materialized") else tree.args["kind"]
    parts = tuple(part.this if part.quoted else fold(part.this, dialect) for part in tree.this.parts)
    if (kind, parts) != target:
        return f"it comments on {kind} {'.'.join(parts)}"
    return None if tree.expression.name == (text or "") else "its text differs"

"""Parse SQL within limits. This is the only module that imports sqlglot, which takes about 0.3 s and 40 MB.

Modules that need syntax trees take `exp` from here and are imported where there is something to parse.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence

import sqlglot
from sqlglot import exp as exp
from sqlglot.errors import SqlglotError as SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers as normalize_identifiers
from sqlglot.optimizer.qualify import qualify as qualify
from sqlglot.schema import MappingSchema as MappingSchema
from sqlglot.tokenizer_core import Token, TokenType

from tribal.sql.references import MAX_SQL_BYTES, MAX_SQL_TOKENS

# Failures are exceptions; sqlglot's own warnings would appear among our messages.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_MAX_PARENTHESES = 400
"""Nested parentheses: the parser descends recursively."""
_MAX_BRACKETS = 10
"""Nested brackets: the parser tries each of them twice, so every level doubles its time."""
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_DEEPER = {
    TokenType.L_PAREN: (1, 0),
    TokenType.R_PAREN: (-1, 0),
    TokenType.L_BRACKET: (0, 1),
    TokenType.R_BRACKET: (0, -1),
}
_WITHOUT_NAMES = frozenset("BEGIN COMMIT END ROLLBACK SAVEPOINT SHOW USE VACUUM".split())
"""Commands that sqlglot does not parse, and that name no table."""


class NotParsed(Exception):
    """SQL cannot be parsed, or is over a limit.

    Attributes:
        reason: why, without a full stop.
        is_over_limit: whether it is over a limit.
    """

    def __init__(self, reason: str, *, is_over_limit: bool = False) -> None:
        super().__init__(reason)
        self.reason = reason
        self.is_over_limit = is_over_limit


def split_statements(text: str, dialect: str) -> list[list[Token]]:
    """The tokens of each statement of a text.

    Args:
        text: statements, separated by semicolons.
        dialect: as sqlglot names it.

    Raises:
        NotParsed: the text is over a limit, or a literal or a comment in it is not closed.
    """
    if len(text) > MAX_SQL_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_SQL_BYTES:
        raise NotParsed(f"it is larger than {MAX_SQL_BYTES:,} bytes", is_over_limit=True)
    # Counted in a tenth of the time; literals and comments count by their words, so more are allowed here.
    if len(text) > 3 * MAX_SQL_TOKENS and sum(1 for _ in _WORD_OR_SIGN.finditer(text)) > 3 * MAX_SQL_TOKENS:
        raise _too_many_tokens(3 * MAX_SQL_TOKENS)
    try:
        return list(_statements(sqlglot.tokenize(text, dialect=dialect)))
    except (SqlglotError, ValueError) as error:
        raise NotParsed(f"cannot parse the SQL: {_first_line(error)}") from error


def parse_statement(tokens: list[Token], text: str, dialect: str) -> exp.Expr:
    """The syntax tree of a statement.

    Args:
        tokens: of the statement.
        text: in which it is.
        dialect: as sqlglot names it.

    Raises:
        NotParsed: the statement cannot be parsed, or is nested too deeply.
    """
    try:
        parsed = sqlglot.Dialect.get_or_raise(dialect).parser().parse(tokens, text)
    except RecursionError as error:
        raise NotParsed("the SQL is nested too deeply", is_over_limit=True) from error
    except (SqlglotError, ValueError) as error:
        raise NotParsed(f"the SQL cannot be read: {_first_line(error)}") from error
    statement = next((each for each in parsed if each is not None), None)
    if statement is None:
        raise NotParsed("the SQL cannot be read: there is no statement")
    if isinstance(statement, exp.Command) and statement.name.upper() not in _WITHOUT_NAMES:
        raise NotParsed(f"the SQL cannot be read: {statement.name} is not understood")
    return statement


def parse_query(text: str, dialect: str) -> exp.Expr:
    """The syntax tree of a text that is one statement.

    Raises:
        NotParsed: it cannot be parsed, is over a limit, or is not one statement.
    """
    statements = split_statements(text, dialect)
    if len(statements) != 1:
        raise NotParsed(f"the text has {len(statements)} statements")
    return parse_statement(statements[0], text, dialect)


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens up to each semicolon that is not in parentheses."""
    if len(tokens) > MAX_SQL_TOKENS:
        raise _too_many_tokens(MAX_SQL_TOKENS)
    statement: list[Token] = []
    parentheses = brackets = 0
    for token in tokens:
        if token.token_type in _DEEPER:
            more_parentheses, more_brackets = _DEEPER[token.token_type]
            parentheses += more_parentheses
            brackets += more_brackets
            if parentheses > _MAX_PARENTHESES or brackets > _MAX_BRACKETS:
                raise NotParsed("its parentheses or brackets are nested too deeply", is_over_limit=True)
        if token.token_type is TokenType.SEMICOLON:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _too_many_tokens(most: int) -> NotParsed:
    return NotParsed(f"it has more than {most:,} tokens", is_over_limit=True)


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0].rstrip(".")[:200] if lines else "it has no form"

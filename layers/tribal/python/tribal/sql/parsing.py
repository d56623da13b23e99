"""Parse SQL within limits. This is the only module that imports sqlglot, which takes about 0.3 s and 40 MB.

Modules that need syntax trees take `exp` from here and are imported where there is something to parse.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

import sqlglot
from sqlglot import exp as exp
from sqlglot.errors import ParseError as ParseError
from sqlglot.errors import SqlglotError as SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers as normalize_identifiers
from sqlglot.optimizer.qualify import qualify as qualify
from sqlglot.optimizer.scope import Scope as Scope
from sqlglot.optimizer.scope import traverse_scope as traverse_scope
from sqlglot.optimizer.scope import walk_in_scope as walk_in_scope
from sqlglot.schema import MappingSchema as MappingSchema
from sqlglot.tokenizer_core import Token as Token
from sqlglot.tokenizer_core import TokenType as TokenType

from tribal.sql.references import MAX_SQL_BYTES, MAX_SQL_TOKENS

# Failures are exceptions; sqlglot's own warnings would appear among our messages.
logging.getLogger("sqlglot").setLevel(logging.ERROR)

_MAX_PARENTHESES = 400
"""Nested parentheses: the parser descends recursively."""
_MAX_BRACKETS = 10
"""Nested brackets: the parser tries each of them twice, so every level doubles its time."""
_SHOWN_WORD = re.compile(r"[A-Za-z_][\w.]{0,40}|[^\w\s'\"]{1,3}")
_WORD_OR_SIGN = re.compile(r"\w+|[^\w\s]")
_DEEPER = {
    TokenType.L_PAREN: (1, 0),
    TokenType.R_PAREN: (-1, 0),
    TokenType.L_BRACKET: (0, 1),
    TokenType.R_BRACKET: (0, -1),
}
_WITHOUT_NAMES = frozenset("BEGIN COMMIT END ROLLBACK SAVEPOINT SHOW USE".split())
"""Commands that sqlglot does not parse, and that name no table."""


class NotParsed(Exception):
    """SQL cannot be parsed, or is over a limit.

    Attributes:
        reason: why, without a full stop.
        line: where in the text, if known.
    """

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.line = line


def split_statements(text: str, dialect: str) -> list[list[Token]]:
    """The tokens of each statement of a text.

    Args:
        text: statements, separated by semicolons.
        dialect: as sqlglot names it.

    Raises:
        NotParsed: the text is over a limit, or a literal or a comment in it is not closed.
    """
    if len(text) > MAX_SQL_BYTES or len(text.encode("utf-8", "surrogatepass")) > MAX_SQL_BYTES:
        raise NotParsed(f"it is larger than {MAX_SQL_BYTES:,} bytes")
    # Counted in a tenth of the time; literals and comments count by their words, so more are allowed here.
    if len(text) > 3 * MAX_SQL_TOKENS and sum(1 for _ in _WORD_OR_SIGN.finditer(text)) > 3 * MAX_SQL_TOKENS:
        raise _too_many_tokens(3 * MAX_SQL_TOKENS)
    try:
        return list(_statements(_tokenizer(dialect)(dialect).tokenize(text)))
    except (SqlglotError, ValueError) as error:
        raise NotParsed(f"cannot parse the SQL as {_name(dialect)}: a quote or a comment is not closed") from error


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
        raise NotParsed("the SQL is nested too deeply") from error
    except (SqlglotError, ValueError) as error:
        raise _not_parsed(error, dialect) from error
    statement = next((each for each in parsed if each is not None), None)
    if statement is None:
        raise NotParsed(f"cannot parse the SQL as {_name(dialect)}: it has no statement")
    if isinstance(statement, exp.Command) and statement.name.upper() not in _WITHOUT_NAMES:
        raise NotParsed(f"cannot parse this {statement.name.upper()[:40]} as SQL of {_name(dialect)}")
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


def conjuncts_of(condition: exp.Expr) -> Iterator[exp.Expr]:
    """The conditions that AND combines, also within parentheses."""
    waiting = [condition]
    while waiting:
        node = waiting.pop()
        if isinstance(node, exp.Paren):
            waiting.append(node.this)
        elif isinstance(node, exp.And):
            waiting += (node.expression, node.this)
        else:
            yield node


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
                raise NotParsed("its parentheses or brackets are nested too deeply")
        if token.token_type is TokenType.SEMICOLON:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _too_many_tokens(most: int) -> NotParsed:
    return NotParsed(f"it has more than {most:,} tokens")


def _not_parsed(error: Exception, dialect: str) -> NotParsed:
    details = error.errors if isinstance(error, ParseError) else []
    first = details[0] if details else {}
    word, line = first.get("highlight"), first.get("line")
    # A literal is not shown: it may be a password.
    near = f" near {word!r}" if isinstance(word, str) and _SHOWN_WORD.fullmatch(word) else ""
    return NotParsed(f"cannot parse the SQL as {_name(dialect)}{near}", line if isinstance(line, int) else None)


def _name(dialect: str) -> str:
    return {"postgres": "PostgreSQL", "snowflake": "Snowflake"}.get(dialect, dialect)


@cache
def _tokenizer(dialect: str) -> type[Any]:
    """A tokenizer that splits commands such as EXPLAIN too; sqlglot keeps the rest of them as one string."""
    known = sqlglot.Dialect.get_or_raise(dialect).tokenizer_class
    return type("Tokenizer", (known,), {"COMMANDS": frozenset()})

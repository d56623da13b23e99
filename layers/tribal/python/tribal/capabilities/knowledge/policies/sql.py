"""Reads the tables and columns that SQL names.

A name that a `WITH` defines is no table where it is visible; functions, sequences and schemas are none either. Names
are folded as the dialect folds them. What cannot be parsed is told, statement by statement.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.normalize_identifiers import normalize_identifiers
from sqlglot.tokenizer_core import Token, TokenType

from tribal.capabilities.knowledge.policies.evidence import Named, Unread
from tribal.capabilities.knowledge.policies.limits import (
    MAX_SQL_TOKENS,
    OverLimit,
    first_of_each,
    require_few_bytes,
    require_few_tokens,
    too_many_tokens,
)
from tribal.capabilities.knowledge.policies.references import (
    SQL_TARGETS,
    ColumnReference,
    Resolve,
    SqlReferences,
    TableReference,
    suffixes,
)
from tribal.capabilities.knowledge.policies.sql_scopes import Collector

logging.getLogger("sqlglot").setLevel(logging.ERROR)

_MAX_PARENTHESES = 400
"""Of parentheses in each other: the parser descends recursively."""
_MAX_BRACKETS = 10
"""Of brackets in each other: the parser tries each of them twice, so that every level doubles its time."""
_DEEPER = {
    TokenType.L_PAREN: (1, 0),
    TokenType.R_PAREN: (-1, 0),
    TokenType.L_BRACKET: (0, 1),
    TokenType.R_BRACKET: (0, -1),
}


@dataclass(frozen=True, slots=True)
class SqlNames:
    """What a text of SQL names, with all spellings."""

    tables: Sequence[Named] = ()
    columns: Sequence[Named] = ()
    unread: Sequence[Unread] = ()


def names_in(text: str, dialect: str, file: str | None = None, resolve: Resolve = suffixes) -> SqlNames:
    """The tables and columns that statements name, in order of appearance.

    Args:
        text: statements, separated by semicolons.
        dialect: one of sqlglot's.
        file: where they stand.
        resolve: spellings of a table.
    """
    references = references_in(text, dialect, file)
    tables, columns = references.named(file, resolve)
    return SqlNames(tables.named, columns.named, references.unread)


def references_in(text: str, dialect: str, file: str | None = None) -> SqlReferences:
    """The tables and columns that statements name, each once; see `names_in`."""
    try:
        require_few_bytes(text)
        # Counted in a tenth of the time; literals and comments count by their words, so that more are allowed here.
        require_few_tokens(text, 3 * MAX_SQL_TOKENS)
        statements = [*_statements(sqlglot.tokenize(text, dialect=dialect))]
    except OverLimit as error:
        return SqlReferences(unread=[Unread(file, SQL_TARGETS, str(error), None, is_over_limit=True)])
    except (SqlglotError, ValueError) as error:
        return SqlReferences(unread=[Unread(file, SQL_TARGETS, f"cannot parse the SQL: {_first_line(error)}")])
    tables: list[TableReference] = []
    columns: list[ColumnReference] = []
    unread: list[Unread] = []
    for tokens in statements:
        line = tokens[0].line
        try:
            collector = Collector(line)
            collector.collect(normalize_identifiers(_parsed(tokens, text, dialect), dialect=dialect))
        except RecursionError:
            unread.append(Unread(file, SQL_TARGETS, "the SQL is nested too deeply", line, is_over_limit=True))
            continue
        except (SqlglotError, ValueError) as error:
            unread.append(Unread(file, SQL_TARGETS, f"the SQL cannot be read: {_first_line(error)}", line))
            continue
        tables += collector.tables
        columns += collector.columns
    try:
        return SqlReferences(
            first_of_each(tables, lambda each: each.parts),
            first_of_each(columns, lambda each: (each.table, each.name)),
            unread,
        )
    except OverLimit as error:
        return SqlReferences(unread=[*unread, Unread(file, SQL_TARGETS, str(error), None, is_over_limit=True)])


def _statements(tokens: Sequence[Token]) -> Iterator[list[Token]]:
    """Tokens up to each semicolon that is in no parentheses."""
    if len(tokens) > MAX_SQL_TOKENS:
        raise too_many_tokens(MAX_SQL_TOKENS)
    statement: list[Token] = []
    parentheses = brackets = 0
    for token in tokens:
        if token.token_type in _DEEPER:
            more_parentheses, more_brackets = _DEEPER[token.token_type]
            parentheses += more_parentheses
            brackets += more_brackets
            if parentheses > _MAX_PARENTHESES or brackets > _MAX_BRACKETS:
                raise OverLimit("its parentheses or brackets are nested too deeply")
        if token.token_type is TokenType.SEMICOLON:
            if statement:
                yield statement
            statement = []
        else:
            statement.append(token)
    if statement:
        yield statement


def _parsed(tokens: list[Token], text: str, dialect: str) -> exp.Expr:
    parsed = sqlglot.Dialect.get_or_raise(dialect).parser().parse(tokens, text)
    statement = next((each for each in parsed if each is not None), None)
    if statement is None:
        raise ValueError("there is no statement")
    if isinstance(statement, exp.Command) and not _names_nothing(statement):
        raise ValueError(f"{statement.name} is not understood")
    return statement


def _names_nothing(command: exp.Command) -> bool:
    return command.name.upper() in ("BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "SHOW", "USE", "VACUUM")


def _first_line(error: Exception) -> str:
    lines = str(error).splitlines()
    return lines[0].rstrip(".")[:200] if lines else "it has no form"

"""Reads from a script which tables and views it creates, renames, drops and comments on, in linear time.

Only statements on the top level count: bodies of routines are literals or contain no such statement. Settings are as a
new session has them, so `standard_conforming_strings` is on. Nothing is evaluated: dynamic SQL is not read.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Literal, NamedTuple

from tribal.sql.comments.literals import unescape_postgres, unescape_unicode
from tribal.sql.dialect import fold
from tribal.sql.scanner import Token, TokenType, scan
from tribal_contracts import DatabaseType

RelationName = tuple[str, str]
"""Schema and name, as the server stores them."""
_MODIFIERS = frozenset(
    """
    OR REPLACE ALTER GLOBAL LOCAL UNLOGGED TRANSIENT SECURE RECURSIVE MATERIALIZED DYNAMIC EXTERNAL FOREIGN ICEBERG
    HYBRID
    """.split()
)
_TEMPORARY = frozenset({"TEMP", "TEMPORARY", "VOLATILE"})
_NO_COLUMN = frozenset("CONSTRAINT PARTITION PRIMARY FOREIGN UNIQUE CHECK CLUSTERING ROW SEARCH".split())
_COPY = re.compile(r"^COPY [^\n;]*;", re.MULTILINE | re.IGNORECASE)
_NOT_A_LINE_BREAK = re.compile(r"[^\n]")
_END = Token(TokenType.SIGN, 0, 0, "")


class SchemaChange(NamedTuple):
    """What a statement does to a table or view, or to one of its columns."""

    action: Literal["create", "comment", "rename", "drop"]
    relation: RelationName
    column: str | None = None
    text: str | None = None
    """The comment; `None` if it is removed."""
    new_relation: RelationName | None = None
    new_column: str | None = None
    line: int = 1


def changes_in(sql: str, dialect: DatabaseType, default_schema: str) -> list[SchemaChange]:
    """Return the changes that a script makes, in order; statements of other kinds and errors are skipped.

    Args:
        sql: any text.
        dialect: its dialect.
        default_schema: of unqualified names, until the script sets a search path or uses a schema.
    """
    if dialect == "postgres":
        sql = _without_copied_rows(sql)
    changes: list[SchemaChange] = []
    line, counted = 1, 0
    for tokens in _statements(sql, dialect):
        line, counted = line + sql.count("\n", counted, tokens[0].start), tokens[0].start
        statement = _Statement(sql, tokens, dialect, default_schema, line)
        if read := _READERS.get(tokens[0].word):
            changes += read(statement)
            default_schema = statement.default_schema
    return changes


def _without_copied_rows(sql: str) -> str:
    """Blank the rows that follow a `COPY ... FROM stdin`, which are not SQL; lines stay."""
    pieces, start = [], 0
    for found in _COPY.finditer(sql):
        if found.start() >= start and "from stdin" in found[0].casefold():
            end = sql.find("\n\\.", found.end())
            end = len(sql) if end < 0 else end + 3
            pieces += [sql[start : found.end()], _NOT_A_LINE_BREAK.sub("", sql[found.end() : end])]
            start = end
    return "".join([*pieces, sql[start:]])


def _statements(sql: str, dialect: DatabaseType) -> Iterator[list[Token]]:
    """Yield the tokens of each statement without comments; commands of psql, which end with their line, are dropped."""
    tokens: list[Token] = []
    position, is_command = 0, False
    for token in scan(sql, dialect):
        gap = sql[position : token.start]
        position = token.end
        if ";" in gap or (is_command and "\n" in gap):
            if tokens and not is_command:
                yield tokens
            tokens, is_command = [], False
        is_command = is_command or (not tokens and "\\" in gap)
        if token.type is not TokenType.COMMENT:
            tokens.append(token)
    if tokens and not is_command:
        yield tokens


class _Statement:
    """The tokens of a statement, read from left to right."""

    def __init__(self, sql: str, tokens: list[Token], dialect: DatabaseType, default_schema: str, line: int) -> None:
        self.dialect = dialect
        self.default_schema = default_schema
        self.line = line
        self._sql = sql
        self._tokens = tokens
        self._next = 1

    @property
    def token(self) -> Token:
        """The next token; an empty one at the end."""
        return self._tokens[self._next] if self._next < len(self._tokens) else _END

    def skip(self) -> Token:
        """Take the next token."""
        token = self.token
        self._next += 1
        return token

    def take(self, *words: str) -> bool:
        """Take these words if all of them come next."""
        coming = self._tokens[self._next : self._next + len(words)]
        matches = [each.word for each in coming] == list(words)
        self._next += len(words) if matches else 0
        return matches

    def take_kind(self) -> bool:
        """Take `TABLE` or `VIEW` with the words before it."""
        while self.token.word in _MODIFIERS:
            self.skip()
        return self.take("TABLE") or self.take("VIEW")

    def part(self) -> str | None:
        """Take one part of a name, as the server stores it."""
        token = self.token
        if token.type is not TokenType.NAME:
            return None
        self.skip()
        if token.word:
            return fold(token.text, self.dialect)
        return unescape_unicode(token.text) if self._sql[token.start] in "uU" else token.text

    def parts(self) -> list[str]:
        """Take a name with all its parts; without any, the list is empty."""
        parts = []
        while (part := self.part()) is not None:
            parts.append(part)
            if self.token.type is not TokenType.DOT:
                break
            self.skip()
        return parts

    def relation(self) -> RelationName | None:
        """Take the name of a table or a view."""
        return self.qualified(self.parts())

    def qualified(self, parts: list[str]) -> RelationName | None:
        """Return schema and name of a relation, of which the parts are given."""
        return (parts[-2] if len(parts) > 1 else self.default_schema, parts[-1]) if parts else None

    def text(self) -> str | None:
        """Take adjacent literals, which are one; the empty text is `None`, as no comment is stored."""
        texts = []
        while (token := self.token).type is TokenType.STRING:
            self.skip()
            written = self._sql[token.start : token.end]
            if self.dialect == "snowflake":
                texts.append(token.text)
            elif written[0] in "eE":
                texts.append(unescape_postgres(written[2:].removesuffix("'")))
            elif written[0] in "uU":
                escape = self.skip().text if self.take("UESCAPE") else "\\"
                texts.append(unescape_unicode(token.text, escape))
            else:
                texts.append(token.text)
        return "".join(texts) or None


def _read_comment(statement: _Statement) -> Iterator[SchemaChange]:
    statement.take("IF", "EXISTS")
    if not statement.take("ON"):
        return
    is_column = statement.take("COLUMN")
    if not is_column and not statement.take_kind():
        return
    parts = statement.parts()
    column = parts.pop() if is_column and parts else None
    relation = statement.qualified(parts)
    if relation and statement.take("IS"):
        yield SchemaChange("comment", relation, column, statement.text(), line=statement.line)


def _read_create(statement: _Statement) -> Iterator[SchemaChange]:
    replaces = statement.take("OR", "REPLACE")
    while statement.token.word in _MODIFIERS:
        statement.skip()
    if statement.token.word in _TEMPORARY or not statement.take_kind():
        return
    statement.take("IF", "NOT", "EXISTS")
    relation = statement.relation()
    if relation is None:
        return
    # In Snowflake the replaced object and its comments are gone; PostgreSQL replaces only the query of a view.
    if replaces and statement.dialect == "snowflake":
        yield SchemaChange("drop", relation, line=statement.line)
    yield SchemaChange("create", relation, line=statement.line)
    if statement.dialect == "snowflake":
        yield from _inline_comments(statement, relation)


def _inline_comments(statement: _Statement, relation: RelationName) -> Iterator[SchemaChange]:
    """Yield Snowflake's `COMMENT '...'` in the list of columns and `COMMENT = '...'` behind it."""
    depth, column, is_first = 0, None, False
    while (token := statement.token) is not _END:
        if token.word in ("AS", "SELECT") and depth == 0:
            return
        if depth == 1 and is_first:
            is_first = False
            column = None if token.word in _NO_COLUMN else statement.part()
            continue
        statement.skip()
        depth += (token.type is TokenType.OPEN) - (token.type is TokenType.CLOSE)
        is_first = depth == 1 and token.type in (TokenType.OPEN, TokenType.COMMA)
        if token.word == "COMMENT" and depth < 2:
            target = column if depth else None
            if statement.token.text == "=":
                statement.skip()
            if statement.token.type is TokenType.STRING and (target or not depth):
                yield SchemaChange("comment", relation, target, statement.text(), line=statement.line)


def _read_alter(statement: _Statement) -> Iterator[SchemaChange]:
    if not statement.take_kind():
        return
    statement.take("IF", "EXISTS")
    statement.take("ONLY")
    relation = statement.relation()
    while relation and statement.token is not _END:
        change = _alteration(statement, relation)
        if change is not None:
            yield change
        depth = 0
        while statement.token is not _END and (depth or statement.token.type is not TokenType.COMMA):
            token = statement.skip()
            depth += (token.type is TokenType.OPEN) - (token.type is TokenType.CLOSE)
        statement.skip()


def _alteration(statement: _Statement, relation: RelationName) -> SchemaChange | None:
    """Read one clause of `ALTER TABLE`."""
    line = statement.line
    if statement.take("RENAME", "TO"):
        parts = statement.parts()
        new = (parts[-2] if len(parts) > 1 else relation[0], parts[-1]) if parts else None
        return SchemaChange("rename", relation, new_relation=new, line=line) if new else None
    if statement.take("SET", "SCHEMA"):
        schema = statement.part()
        return SchemaChange("rename", relation, new_relation=(schema, relation[1]), line=line) if schema else None
    if statement.take("SET", "COMMENT"):
        statement.skip()
        return SchemaChange("comment", relation, None, statement.text(), line=line)
    action = statement.skip().word
    if action not in ("RENAME", "DROP", "ALTER", "MODIFY") or statement.token.word in _NO_COLUMN:
        return None
    statement.take("COLUMN")
    statement.take("IF", "EXISTS")
    column = statement.part()
    if action == "DROP" and column:
        return SchemaChange("drop", relation, column, line=line)
    if action != "RENAME":
        says = column is not None and statement.take("COMMENT")
        return SchemaChange("comment", relation, column, statement.text(), line=line) if says else None
    new_column = statement.part() if statement.take("TO") else None
    return SchemaChange("rename", relation, column, new_column=new_column, line=line) if column and new_column else None


def _read_drop(statement: _Statement) -> Iterator[SchemaChange]:
    if not statement.take_kind():
        return
    statement.take("IF", "EXISTS")
    while relation := statement.relation():
        yield SchemaChange("drop", relation, line=statement.line)
        if statement.token.type is not TokenType.COMMA:
            return
        statement.skip()


def _read_search_path(statement: _Statement) -> Iterable[SchemaChange]:
    """Follow `SET search_path`: new tables are created in its first schema."""
    _ = statement.take("LOCAL") or statement.take("SESSION")
    if statement.take("SEARCH_PATH"):
        statement.skip()
        while statement.token.text == "$user":
            statement.skip()
            statement.skip()
        statement.default_schema = statement.part() or statement.text() or statement.default_schema
    return ()


def _read_use(statement: _Statement) -> Iterable[SchemaChange]:
    """Follow Snowflake's `USE SCHEMA s` and `USE database.s`."""
    is_schema = statement.take("SCHEMA")
    parts = statement.parts()
    if len(parts) > 1 - is_schema:
        statement.default_schema = parts[-1]
    return ()


_READERS: dict[str, Callable[[_Statement], Iterable[SchemaChange]]] = {
    "COMMENT": _read_comment,
    "CREATE": _read_create,
    "ALTER": _read_alter,
    "DROP": _read_drop,
    "SET": _read_search_path,
    "USE": _read_use,
}

"""Split SQL of PostgreSQL or Snowflake into names, literals and operators, in linear time; any text is accepted."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from tribal.sql.dialect import unescaped
from tribal_contracts import DatabaseType


class TokenType(Enum):
    """The type of a token."""

    STRING = auto()
    COMMENT = auto()
    NUMBER = auto()
    NAME = auto()
    OPEN = auto()
    CLOSE = auto()
    COMMA = auto()
    DOT = auto()
    CAST = auto()
    SIGN = auto()


class Token(NamedTuple):
    """A token at `sql[start:end]`."""

    type: TokenType
    start: int
    end: int
    text: str
    """The value of a string, the unquoted form of a name, otherwise the token as written."""
    word: str = ""
    """An unquoted name in upper case, for comparison with keywords."""


# In each repetition only one branch can match the next character, so there is no backtracking. An unclosed literal or
# comment runs to the end of the text.
def _pattern(blank: str, literals: str, quoted: str, name: str) -> re.Pattern[str]:
    return re.compile(
        rf"""
        (?P<blank>\s+)
        | (?P<comment>(?:{blank})[^\n\r]*)
        | (?P<block>/\*)
        | {literals}
        | (?P<quoted>{quoted}"[^"]*(?:""[^"]*)*(?:"|\Z))
        | (?P<name>{name})
        | (?P<number>\.?\d(?:[\w.]|(?<=[eE])[+-](?=\d))*)
        | (?P<cast>::)
        | (?P<open>[(\[])
        | (?P<close>[)\]])
        | (?P<comma>,)
        | (?P<dot>\.)
        | (?P<sign>(?:(?!{blank}|/\*)[-+*/<>=~!@\#%^&|`?:])+)
        | .
        """,
        re.VERBOSE | re.DOTALL,
    )


_PATTERNS: dict[DatabaseType, re.Pattern[str]] = {
    "postgres": _pattern(
        blank="--",
        literals=r"""
        (?P<escaped>[eE]'[^'\\]*(?:(?:''|\\(?:.|\Z))[^'\\]*)*(?:'|\Z))
        | (?P<string>(?:[bBxXnN]|[uU]&)?'[^']*(?:''[^']*)*(?:'|\Z))
        | (?P<dollars>\$(?:[^\W\d]\w*)?\$)""",
        quoted="(?:[uU]&)?",
        name=r"[^\W\d][\w$]*",
    ),
    # https://docs.snowflake.com/en/sql-reference/data-types-text#string-constants: a backslash escapes in every quoted
    # literal and never between `$$`. A name ends before `$$`, which hides too much rather than too little.
    "snowflake": _pattern(
        blank="--|//",
        literals=r"""
        (?P<string>[xXnN]?'[^'\\]*(?:(?:''|\\(?:.|\Z))[^'\\]*)*(?:'|\Z))
        | (?P<dollars>\$\$)""",
        quoted="",
        name=r"[^\W\d](?:\w|\$(?!\$))*",
    ),
}
_BLOCK_EDGE = re.compile(r"/\*|\*/")
_TYPES = {
    "escaped": TokenType.STRING,
    "string": TokenType.STRING,
    "comment": TokenType.COMMENT,
    "quoted": TokenType.NAME,
    "name": TokenType.NAME,
    "number": TokenType.NUMBER,
    "cast": TokenType.CAST,
    "open": TokenType.OPEN,
    "close": TokenType.CLOSE,
    "comma": TokenType.COMMA,
    "dot": TokenType.DOT,
    "sign": TokenType.SIGN,
}


def tokens_of(sql: str, dialect: DatabaseType, hidden: re.Pattern[str] | None = None) -> list[Token]:
    """The tokens of an SQL text without comments; see `scan`."""
    return [token for token in scan(sql, dialect, hidden) if token.type is not TokenType.COMMENT]


def without_comments(sql: str, dialect: DatabaseType) -> str:
    """An SQL text with each comment replaced by a space."""
    parts, position = [], 0
    for token in scan(sql, dialect):
        if token.type is TokenType.COMMENT:
            parts += [sql[position : token.start], " "]
            position = token.end
    return "".join([*parts, sql[position:]])


def scan(sql: str, dialect: DatabaseType, hidden: re.Pattern[str] | None = None) -> Iterator[Token]:
    """The tokens of an SQL text, delimited as the server delimits them.

    Args:
        sql: any text.
        dialect: its dialect.
        hidden: what replaced an unquoted number, in square brackets; such placeholders are skipped.
    """
    pattern, position = _PATTERNS[dialect], 0
    while found := pattern.match(sql, position):
        group = found.lastgroup or ""
        start, position = found.span()
        if group == "dollars":
            closing = sql.find(found[0], position)
            end = len(sql) if closing < 0 else closing
            text = sql[position:end]
            position = len(sql) if closing < 0 else end + len(found[0])
            yield Token(TokenType.STRING, start, position, text)
        elif group == "block":
            position = _end_of_block(sql, position, dialect)
            yield Token(TokenType.COMMENT, start, position, sql[start:position])
        elif group in ("string", "escaped"):
            yield Token(TokenType.STRING, start, position, _text_of(found[0], dialect))
        elif group == "quoted":
            yield Token(TokenType.NAME, start, position, _content(found[0], '"').replace('""', '"'))
        elif group == "name":
            yield Token(TokenType.NAME, start, position, found[0], found[0].upper())
        elif group == "open" and hidden is not None and (placeholder := hidden.match(sql, start)):
            position = placeholder.end()
        elif group in _TYPES:
            yield Token(_TYPES[group], start, position, found[0])


def _end_of_block(sql: str, position: int, dialect: DatabaseType) -> int:
    """The end of a comment whose `/*` ends at the position; PostgreSQL nests comments."""
    depth = 1
    for edge in _BLOCK_EDGE.finditer(sql, position):
        if edge[0] == "*/":
            depth -= 1
        elif dialect == "postgres":
            depth += 1
        if depth == 0:
            return edge.end()
    return len(sql)


def _text_of(written: str, dialect: DatabaseType) -> str:
    content = _content(written, "'")
    return unescaped(content) if dialect == "snowflake" else content.replace("''", "'")


def _content(written: str, quote: str) -> str:
    return written[written.index(quote) + 1 :].removesuffix(quote)

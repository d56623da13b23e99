"""Splits SQL into names, literals and signs, exactly and in linear time; it accepts any text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum, auto
from typing import NamedTuple

from tribal.masking.kinds import PLACEHOLDER


class TokenType(Enum):
    """What a token is; spaces and comments are none."""

    STRING = auto()
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
    """The content of a string, a name as the catalog has it, else the token as written."""
    word: str = ""
    """An unquoted name in capitals, to be compared with keywords."""


# Of each repetition only one branch can match the next character, so nothing is tried twice. A literal or comment that
# is not closed runs to the end of the text.
_TOKEN = re.compile(
    rf"""
    (?P<blank>\s+ | --[^\n]* | /\*.*?(?:\*/|\Z))
    | (?P<escaped>[eE]'[^'\\]*(?:(?:''|\\(?:.|\Z))[^'\\]*)*(?:'|\Z))
    | (?P<string>(?:[bBxXnN]|[uU]&)?'[^']*(?:''[^']*)*(?:'|\Z))
    | (?P<dollars>\$(?:[^\W\d]\w*)?\$)
    | (?P<quoted>(?:[uU]&)?"[^"]*(?:""[^"]*)*(?:"|\Z))
    | (?P<placeholder>{PLACEHOLDER.pattern})
    | (?P<name>[^\W\d][\w$]*)
    | (?P<number>\.?\d(?:[\w.]|(?<=[eE])[+-](?=\d))*)
    | (?P<cast>::)
    | (?P<open>[(\[])
    | (?P<close>[)\]])
    | (?P<comma>,)
    | (?P<dot>\.)
    | (?P<sign>(?:(?!--|/\*)[-+*/<>=~!@\#%^&|`?:])+)
    | .
    """,
    re.VERBOSE | re.DOTALL,
)
_TYPES = {
    "escaped": TokenType.STRING,
    "string": TokenType.STRING,
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


def tokens_of(sql: str) -> list[Token]:
    """The tokens of an SQL text as PostgreSQL reads it, but with the placeholders of hidden numbers left out."""
    return list(_tokens(sql))


def _tokens(sql: str) -> Iterator[Token]:
    position = 0
    while found := _TOKEN.match(sql, position):
        group = found.lastgroup or ""
        start, position = found.span()
        if group == "dollars":
            closing = sql.find(found[0], position)
            end = len(sql) if closing < 0 else closing
            text = sql[position:end]
            position = len(sql) if closing < 0 else end + len(found[0])
            yield Token(TokenType.STRING, start, position, text)
        elif group in ("string", "escaped"):
            yield Token(TokenType.STRING, start, position, _content(found[0], "'"))
        elif group == "quoted":
            yield Token(TokenType.NAME, start, position, _content(found[0], '"'))
        elif group == "name":
            yield Token(TokenType.NAME, start, position, found[0], found[0].upper())
        elif group in _TYPES:
            yield Token(_TYPES[group], start, position, found[0])


def _content(written: str, quote: str) -> str:
    inside = written[written.index(quote) + 1 :]
    return inside.removesuffix(quote).replace(quote * 2, quote)

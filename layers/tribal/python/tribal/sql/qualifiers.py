"""The schemas that SQL, or a sentence made from it, names before a dot."""

from __future__ import annotations

import re

from tribal.sql.dialect import unescaped
from tribal_contracts import DatabaseType

SYSTEM_SCHEMAS = frozenset(("pg_catalog", "information_schema", "pg_toast"))
"""Schemas that every database has."""

_QUOTED = r'"(?:[^"]|"")+"'
_PART = rf"(?:{_QUOTED}|[^\W\d][\w$]*)"
_NAME = re.compile(rf"(?P<first>{_PART})\.{_PART}")
# Literals and names in one pattern, since either may hold the other's quotes. A literal cast to a type such as
# `regclass` is a name. PostgreSQL prints its texts without comments.
_LEXEMES: dict[DatabaseType, re.Pattern[str]] = {
    "postgres": re.compile(
        rf"'(?P<literal>(?:[^']|'')*)'(?P<named>::(?:pg_catalog\.)?reg\w+)?|(?P<name>{_PART}(?:\.{_PART})*)"
    ),
    "snowflake": re.compile(
        rf"(?P<named>--[^\n\r]*|//[^\n\r]*|/\*.*?(?:\*/|\Z))|'(?P<literal>(?:[^'\\]|''|\\.)*)(?:'|\Z)"
        rf"|\$\$(?P<raw>.*?)(?:\$\$|\Z)|(?P<name>{_PART}(?:\.{_PART})*)",
        re.DOTALL,
    ),
}


def qualifiers(text: str) -> frozenset[str]:
    """The part before the first dot of each dotted name in a sentence, unquoted."""
    found: set[str] = set()
    position = 0
    while (name := _NAME.search(text, position)) is not None:
        if text[name.start() - 1 : name.start()] != ".":
            found.add(_plain(name["first"]))
        position = name.end("first")
    return frozenset(found)


def sql_qualifiers(sql: str, dialect: DatabaseType) -> frozenset[str]:
    """The same of an SQL expression or a type; literals count only where they are cast to the name of an object."""
    found: set[str] = set()
    for lexeme in _LEXEMES[dialect].finditer(sql):
        if lexeme["name"] is not None:
            found |= {_plain(name["first"])} if (name := _NAME.match(lexeme["name"])) else set()
        elif lexeme["named"] is not None:
            found |= qualifiers(_quoted(lexeme, dialect) or lexeme["named"])
    return frozenset(found)


def literals(sql: str, dialect: DatabaseType) -> list[str]:
    """The texts that an SQL expression quotes, and its comments."""
    found = (_quoted(lexeme, dialect) for lexeme in _LEXEMES[dialect].finditer(sql) if lexeme["name"] is None)
    return [text for text in found if text]


def _quoted(lexeme: re.Match[str], dialect: DatabaseType) -> str:
    if dialect == "postgres":
        return lexeme["literal"].replace("''", "'")
    return unescaped(lexeme["literal"]) if lexeme["literal"] is not None else lexeme["raw"] or lexeme["named"] or ""


def _plain(name: str) -> str:
    return name[1:-1].replace('""', '"') if name.startswith('"') else name

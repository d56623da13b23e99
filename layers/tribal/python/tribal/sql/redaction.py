"""Replace literals in SQL; the caller chooses which ones from the structure of the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from tribal.sql.scanner import TokenType
from tribal.sql.segments import Literal, Structure
from tribal.sql.structure import structure_of
from tribal_contracts import DatabaseType

Choose = Callable[[Structure], Iterable[tuple[Literal, str]]]
"""The literals to replace, each with the word that replaces it in square brackets."""


def redact_literals(
    sql: str, dialect: DatabaseType, choose: Choose, *, columns: Sequence[str] = (), hidden: re.Pattern[str]
) -> str:
    """The SQL with literals replaced: a string by `'[word]'`, a number by `[word]`.

    Args:
        sql: an expression, or the query of a view. Any text is accepted, and takes time linear in its length.
        dialect: its dialect.
        choose: chooses the literals.
        columns: the columns of the view.
        hidden: matches the placeholders that earlier replacements left.
    """
    if "'" not in sql and "$" not in sql and not any(char.isdecimal() for char in sql):
        return sql
    parts: list[str] = []
    position = 0
    chosen = choose(structure_of(sql, dialect, columns, hidden))
    for (token, _), word in sorted(chosen, key=lambda each: each[0].token.start):
        parts += (sql[position : token.start], f"'[{word}]'" if token.type is TokenType.STRING else f"[{word}]")
        position = token.end
    return "".join([*parts, sql[position:]])

"""Replaces the literals in SQL that stand beside names of sensitive columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tribal.masking.column_names import detect_by_name
from tribal.masking.kinds import SensitiveKind
from tribal.masking.sql.harmless import is_harmless_number, is_harmless_text
from tribal.masking.sql.lexer import Token, TokenType, tokens_of
from tribal.masking.sql.segments import Literal, Name, Structure, kinds_of_literals
from tribal.masking.sql.structure import structure_of
from tribal_contracts import DatabaseType


def hide_in_expression(sql: str, *, table: str, dialect: DatabaseType, kind: SensitiveKind | None = None) -> str:
    """Replaces, in an expression on a table, each literal that belongs to a sensitive column by the column's kind.

    With a kind given, every literal goes, as in the default of a column of that kind. Literals that tell nothing stay.
    """
    if not _may_hold_literals(sql):
        return sql
    tokens = tokens_of(sql, dialect)
    structure = structure_of(tokens)
    structure.segments[0].forced = kind
    return _replaced(sql, tokens, structure, (table,))


def hide_in_view(sql: str, *, view: str, columns: Sequence[str], dialect: DatabaseType) -> str:
    """Replaces, in the definition of a view with these columns, each literal that belongs to a sensitive column.

    A literal belongs to what it is compared or put together with, and to the name under which it is selected.
    """
    if not _may_hold_literals(sql):
        return sql
    tokens = tokens_of(sql, dialect)
    structure = structure_of(tokens, columns)
    return _replaced(sql, tokens, structure, (view, *structure.tables.values()))


def _may_hold_literals(sql: str) -> bool:
    return "'" in sql or "$" in sql or any(char.isdecimal() for char in sql)


def _replaced(sql: str, tokens: Sequence[Token], structure: Structure, tables: Collection[str]) -> str:
    def kind_of(name: Name) -> SensitiveKind | None:
        kind = detect_by_name(name.text)
        if kind is not None or name.text.lower() != "name":
            return kind
        # Whether a mere `name` is a person's, its table tells.
        among = (structure.tables[name.qualifier],) if name.qualifier in structure.tables else tables
        return next((kind for table in among if (kind := detect_by_name("name", table)) is not None), None)

    parts: list[str] = []
    position = 0
    for literal, kind in sorted(kinds_of_literals(structure, kind_of)):
        token = tokens[literal.token]
        if not _is_harmless(token, literal, kind):
            hidden = f"'[{kind}]'" if token.type is TokenType.STRING else f"[{kind}]"
            parts += (sql[position : token.start], hidden)
            position = token.end
    return "".join([*parts, sql[position:]])


def _is_harmless(token: Token, literal: Literal, kind: SensitiveKind) -> bool:
    harmless = is_harmless_text if token.type is TokenType.STRING else is_harmless_number
    return harmless(token.text, literal.place, kind)

"""Remove personal data and secrets from comments, SQL and errors, by patterns and by the columns of literals."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TypeVar

from tribal.masking.detectors import find_sensitive
from tribal.masking.kinds import SensitiveKind
from tribal.masking.literals import hide_literals, is_sensitive_text, literal_kind
from tribal.sql.dialect import string_literal
from tribal.sql.scanner import TokenType, scan
from tribal_contracts import (
    CatalogCheck,
    CatalogColumn,
    CatalogForeignKey,
    CatalogIndex,
    CatalogKey,
    CatalogPolicy,
    CatalogRoutine,
    CatalogTable,
    CatalogTrigger,
    DatabaseType,
)

_SHARED = frozenset({SensitiveKind.PERSON_NAME})
"""What people share may name people, as annotations do."""
_ACCOUNTS = frozenset({SensitiveKind.CARD, SensitiveKind.IBAN, SensitiveKind.BANK_ACCOUNT})
_TEXT_ROUNDS = 4
"""A limit by judgement: redacting may uncover another match. It stops as soon as there are no more."""

# Values that a server quotes from rows in its errors follow no pattern. They may span lines, up to the next part of the
# message.
_TO_THE_NEXT_PART = r"[^\n]*(?:\n(?![A-Z][A-Z ]{2,20}:)[^\n]*)*"
_QUOTED_VALUES = re.compile(
    rf"Failing row contains \((?P<row>{_TO_THE_NEXT_PART})"
    r"|Key \([^()\n]{1,1000}\)=\((?:"
    r"(?P<key>[^\n]*?)\)(?= (?:already exists|is not present|is still referenced|conflicts with|is duplicated))"
    rf"|(?P<open_key>{_TO_THE_NEXT_PART}))"
    r"|(?:invalid input (?:syntax|value) for [^\n:\"]{1,100}|value out of range): \"(?P<input>[^\n]*)\""
    r"|(?:Numeric value|Boolean value|Date|Timestamp|Time) '(?P<literal>[^\n]{0,300}?)' is not recognized"
)
_SQL_ROUNDS = 3
"""A limit by judgement: one way of hiding may uncover something for the other. Two rounds are usual."""

_NO_SQL = re.compile(r"--|//|/\*|\*/|(?<=\w\w)'(?=\w)")
"""Comment marks and apostrophes, which would end the comment or start a literal if the text were SQL."""


def redact_text(text: str, *, prose: bool = True) -> str:
    """Replace each sensitive part of a text with its kind, such as `[email]`.

    Values that PostgreSQL and Snowflake quote from rows in their errors become `[value]`. Redacting again changes
    nothing. Takes time linear in the length of the text.

    Args:
        prose: whether a word such as "password" marks values after or near it in the same sentence.
    """
    return _redact_spans(_QUOTED_VALUES.sub(_without_quoted, text), prose=prose)[0]


def redact_shared(text: str) -> tuple[str, int]:
    """Redact what several people read, such as memories and uploads; names of persons stay. Also how many parts were.

    Redacting again changes nothing. Takes time linear in the length of the text.
    """
    return _redact_spans(text, allowed=_SHARED)


def holds_secret(text: str) -> bool:
    """Whether a text contains what looks like a secret, a card number or an account number."""
    return any(span.kind.is_secret or span.kind in _ACCOUNTS for span in find_sensitive(text))


def _redact_spans(text: str, *, prose: bool = True, allowed: frozenset[SensitiveKind] = frozenset()) -> tuple[str, int]:
    redacted = 0
    for _ in range(_TEXT_ROUNDS):
        spans = [span for span in find_sensitive(text, prose=prose) if span.kind not in allowed]
        if not spans:
            break
        parts: list[str] = []
        position = 0
        for span in spans:
            parts += (text[position : span.start], f"[{span.kind}]")
            position = span.end
        text = "".join([*parts, text[position:]])
        redacted += len(spans)
    return text, redacted


def _without_quoted(found: re.Match[str]) -> str:
    start, end = found.span(found.lastgroup or 0)
    closing = ")" if found.lastgroup in ("row", "open_key") else ""
    return found.string[found.start() : start] + f"[{SensitiveKind.VALUE}]{closing}" + found.string[end : found.end()]


Commented = TypeVar(
    "Commented",
    CatalogKey,
    CatalogForeignKey,
    CatalogCheck,
    CatalogTrigger,
    CatalogPolicy,
    CatalogRoutine,
)


def redact_table(table: CatalogTable, dialect: DatabaseType) -> CatalogTable:
    """Redact all free text of a table: comments, defaults, expressions, labels and the SQL of a view.

    Names stay, since everything is looked up by name. Redacting again changes nothing.

    Args:
        table: the table as read from the catalog.
        dialect: the dialect of its SQL, which decides where a literal ends.
    """
    names = [column.name for column in table.columns]
    name = table.table_name
    changed = {
        "comment": _redact(table.comment),
        "columns": [_redact_column(column, name, dialect) for column in table.columns],
        "indexes": [_redact_index(index, name, names, dialect) for index in table.indexes],
        "primary_key": table.primary_key and _redact_comment_of(table.primary_key),
        "unique_keys": [_redact_comment_of(key) for key in table.unique_keys],
        "foreign_keys": [_redact_comment_of(key) for key in table.foreign_keys],
        "checks": [
            _redact_comment_of(check).model_copy(
                update={"expression": redact_expression(check.expression, table=name, dialect=dialect)}
            )
            for check in table.checks
        ],
        "exclusions": table.exclusions
        and [
            each.model_copy(update={"definition": redact_expression(each.definition, table=name, dialect=dialect)})
            for each in table.exclusions
        ],
        "triggers": table.triggers and [_redact_comment_of(each) for each in table.triggers],
        "policies": table.policies and [_redact_comment_of(each) for each in table.policies],
        "written_by": table.written_by and [_redact_comment_of(each) for each in table.written_by],
        "partition_key": table.partition_key and redact_expression(table.partition_key, table=name, dialect=dialect),
        "view_definition": table.view_definition
        and redact_view(table.view_definition, view=name, columns=names, dialect=dialect),
        "view_query": table.view_query and redact_view(table.view_query, view=name, columns=names, dialect=dialect),
        "clustering_key": table.clustering_key and redact_expression(table.clustering_key, table=name, dialect=dialect),
    }
    return table.model_copy(update=changed)


def redact_expression(sql: str, *, table: str, dialect: DatabaseType, column: str = "") -> str:
    """Redact an expression of a table; `column` is the column whose value it is."""
    return _redact_sql(sql, table, dialect, kind=literal_kind(column, table) if column else None)


def redact_view(sql: str, *, view: str, columns: Sequence[str], dialect: DatabaseType) -> str:
    """Redact the definition of a view."""
    return _redact_sql(sql, view, dialect, columns)


def _redact_sql(
    sql: str, table: str, dialect: DatabaseType, columns: Sequence[str] = (), kind: SensitiveKind | None = None
) -> str:
    for _ in range(_SQL_ROUNDS):
        before = sql
        sql = hide_literals(sql, table=table, dialect=dialect, columns=columns, kind=kind)
        sql = _without_patterns(sql, table, dialect)
        if sql == before:
            break
    return sql


def redact_labels(labels: Sequence[str], *, table: str, column: str) -> list[str] | None:
    """Redact the labels of a column's enum type; `None` if they may be secrets."""
    kind = literal_kind(column, table)
    if kind is None:
        return [redact_text(label) for label in labels]
    hidden = [is_sensitive_text(label, kind) for label in labels]
    if kind.is_secret and any(hidden):
        return None
    return [f"[{kind}]" if hide else redact_text(label) for label, hide in zip(labels, hidden, strict=True)]


def _without_patterns(sql: str, table: str, dialect: DatabaseType) -> str:
    """Redact SQL by patterns: literals and comments are read as prose, the SQL around them is not.

    In a sentence, a value near the word `password` may be one. In SQL that word is a name, and the literals that belong
    to it are known.
    """
    parts: list[str] = []
    position = 0
    for token in scan(sql, dialect):
        if token.type in (TokenType.STRING, TokenType.COMMENT):
            written = sql[token.start : token.end]
            if token.type is TokenType.STRING:
                shown = _redact_string(written, token.text, dialect)
            else:
                shown = _redact_comment(written, table, dialect)
            parts += (sql[position : token.start], shown)
            position = token.end
    return redact_text("".join([*parts, sql[position:]]), prose=False)


def _redact_string(written: str, text: str, dialect: DatabaseType) -> str:
    """Return a literal unchanged, or rewritten if its unescaped text is sensitive."""
    if dialect == "snowflake" and "\\" in written:
        shown = redact_text(text)
        if shown != text:
            return string_literal(shown)
    return redact_text(written)


def _redact_comment(written: str, table: str, dialect: DatabaseType) -> str:
    """Redact a comment as prose, and as the SQL that it may contain."""
    inside = _NO_SQL.sub("  ", written[2:])
    hidden = hide_literals(inside, table=table, dialect=dialect)
    if hidden != inside:
        written = f"{written[:2]}{hidden.rstrip()}{' */' if written.startswith('/*') else ''}"
    return redact_text(written)


def _redact_column(column: CatalogColumn, table: str, dialect: DatabaseType) -> CatalogColumn:
    texts = (column.comment, column.type_comment, column.default_value, column.generated, column.enum_values)
    if all(text is None for text in texts):
        return column
    value, generated, labels = column.default_value, column.generated, column.enum_values

    def redacted(sql: str) -> str:
        return redact_expression(sql, table=table, column=column.name, dialect=dialect)

    return column.model_copy(
        update={
            "comment": _redact(column.comment),
            "type_comment": _redact(column.type_comment),
            "default_value": value and redacted(value),
            "generated": generated and redacted(generated),
            "enum_values": labels and redact_labels(labels, table=table, column=column.name),
        }
    )


def _redact_index(index: CatalogIndex, table: str, names: Sequence[str], dialect: DatabaseType) -> CatalogIndex:
    def redacted(sql: str) -> str:
        return redact_expression(sql, table=table, dialect=dialect)

    parts = [part if part in names else redacted(part) for part in index.columns]
    where = index.predicate
    changed = {"columns": parts, "predicate": where and redacted(where), "comment": _redact(index.comment)}
    return index.model_copy(update=changed)


def _redact_comment_of(part: Commented) -> Commented:
    return part if part.comment is None else part.model_copy(update={"comment": redact_text(part.comment)})


def _redact(text: str | None) -> str | None:
    return None if text is None else redact_text(text)

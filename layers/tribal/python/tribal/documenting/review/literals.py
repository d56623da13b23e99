"""Find texts in written documents that the current masking rules would hide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

from tribal.masking import PLACEHOLDER, detect_by_name, redact_expression, redact_labels, redact_view
from tribal_contracts import DatabaseType, DocumentedColumn, TableDocument


class UnmaskedText(NamedTuple):
    """A sensitive part of a catalog text in a document; `column` is unset if it concerns the table itself."""

    column: str | None
    what: str
    kind: str


def unmasked_literals(document: TableDocument) -> Iterator[UnmaskedText]:
    """Sensitive literals in defaults, generated columns, labels, indexes, checks and the SQL of a view."""
    table, dialect, names = document.table, document.database_type, [column.name for column in document.columns]
    for column in document.columns:
        yield from _of_column(column, table, dialect)
    for index in document.indexes:
        texts = [part for part in index.columns if part not in names]
        texts += [index.predicate] if index.predicate else []
        for text in texts:
            yield from _new(None, f"index {index.name!r}", text, redact_expression(text, table=table, dialect=dialect))
    for check in document.checks:
        redacted = redact_expression(check.expression, table=table, dialect=dialect)
        yield from _new(None, f"check {check.name!r}", check.expression, redacted)
    if document.view_definition:
        redacted = redact_view(document.view_definition, view=table, columns=names, dialect=dialect)
        yield from _new(None, "definition", document.view_definition, redacted)


def _of_column(column: DocumentedColumn, table: str, dialect: DatabaseType) -> Iterator[UnmaskedText]:
    for what, text in (("default", column.default_value), ("expression", column.generated)):
        if text:
            redacted = redact_expression(text, table=table, column=column.name, dialect=dialect)
            yield from _new(column.name, what, text, redacted)
    labels = column.enum_values or []
    shown = redact_labels(labels, table=table, column=column.name)
    if shown is None:
        yield UnmaskedText(column.name, "list of values", str(detect_by_name(column.name, table)))
    else:
        yield from _new(column.name, "list of values", "\n".join(labels), "\n".join(shown))


def _new(column: str | None, what: str, text: str, redacted: str) -> Iterator[UnmaskedText]:
    """One per kind that redaction hides and that was not hidden before."""
    hidden = Counter(PLACEHOLDER.findall(redacted)) - Counter(PLACEHOLDER.findall(text))
    for placeholder in sorted(hidden):
        yield UnmaskedText(column, what, placeholder.strip("[]"))

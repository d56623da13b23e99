"""Descriptions that contradict the catalog. English only: in other languages nothing is found.

Each kind prefers to miss a contradiction over reporting a wrong one: denied, weakened, limited and dated claims count
as none, and so does a claim about anything other than the described column or table.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tribal.identity.table_names import format_name
from tribal.joins.outline import row_keys
from tribal.text_checks.contradictions.clauses import MAX_TEXT_CHARS
from tribal.text_checks.contradictions.nullability import allows_null, mandatory_claim, optional_claim
from tribal.text_checks.contradictions.references import other_reference
from tribal.text_checks.contradictions.types import impossible_type
from tribal.text_checks.contradictions.uniqueness import is_unique, row_claim, unique_claim
from tribal.text_checks.contradictions.values import forbidden_values
from tribal_contracts import Description, DocumentedColumn, TableDocument

ContradictionKind = Literal["unique", "nullable", "values", "reference", "type"]

_WITH_KEYS = ("table", "partitioned_table", "partition", "hybrid_table")
"""Views have no keys and no NOT NULL; those of external tables are seldom declared."""
_MAX_QUOTED_CHARS = 120


@dataclass(frozen=True, slots=True)
class CatalogContradiction:
    """A description and a fact of the catalog that disagree."""

    target: str
    """The table as `database.schema.table`, or one of its columns after a further dot."""
    kind: ContradictionKind
    description: str
    """One sentence that quotes the text and states the fact."""


def catalog_contradictions(table: TableDocument) -> list[CatalogContradiction]:
    """Find what the descriptions of a table and its columns say against the catalog.

    Texts that rules derived from the catalog are not read. The table's own comes first, then those of its columns.
    """
    found = []
    if table.kind in _WITH_KEYS and (words := row_claim(_written(table.description), table)):
        found.append(_contradiction(table.name, "unique", words, "no key makes it so"))
    for column in table.columns:
        if text := _written(column.description):
            target = f"{table.name}.{format_name((column.name,))}"
            found += [_contradiction(target, *each) for each in _of_column(text, column, table)]
    return found


def _written(description: Description) -> str:
    return "" if description.source == "derived" else description.text[:MAX_TEXT_CHARS]


def _of_column(
    text: str, column: DocumentedColumn, table: TableDocument
) -> Iterator[tuple[ContradictionKind, str, str]]:
    """The kind, the words of the text, and the fact."""
    if table.kind in _WITH_KEYS:
        # A table without any key declares nothing that a text could contradict.
        if row_keys(table) and (words := unique_claim(text, column, table)) and not is_unique(column.name, table):
            yield "unique", words, "no key makes it unique"
        if not column.nullable and (words := optional_claim(text, column)):
            yield "nullable", words, "it is NOT NULL"
        if (words := mandatory_claim(text, column)) and allows_null(column, table.checks):
            yield "nullable", words, "it may be NULL"
    if values := forbidden_values(text, column):
        source = "type" if column.allowed_values_from == "enum" else "check"
        yield "values", " or ".join(values), f"its {source} does not allow that"
    keys = [key for key in table.foreign_keys if column.name in key.columns]
    if keys and (words := other_reference(text, keys)):
        place = f"{keys[0].references_table} ({', '.join(keys[0].references_columns)})"
        yield "reference", words, f"its foreign key references {place}"
    if words := impossible_type(text, column):
        yield "type", words, f"its type is {column.type}"


def _contradiction(target: str, kind: ContradictionKind, words: str, fact: str) -> CatalogContradiction:
    return CatalogContradiction(target, kind, f"the description of {target} says {_quoted(words)}, but {fact}")


def _quoted(words: str) -> str:
    """A part of a description in quotes, on one line and cut where it is long."""
    line = " ".join(words.split())
    return f'"{line if len(line) <= _MAX_QUOTED_CHARS else line[: _MAX_QUOTED_CHARS - 1] + "…"}"'

"""The parts of a table's document that a caller may see."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tribal.capabilities.retrieval.names import may_see
from tribal.identity.table_names import format_name, parse_name
from tribal.naming.mentions import OwnNames
from tribal.naming.stemming import stem
from tribal.naming.tokens import split_identifier
from tribal.scoping.bounds import WITHHELD, Bounds
from tribal_contracts import (
    DatabaseType,
    Description,
    DocumentedColumn,
    DocumentedForeignKey,
    DocumentedIndex,
    DocumentedInferredKey,
    KeyEvidence,
    TableDocument,
    ValueMeaning,
)


def bounded_table(document: TableDocument, bounds: Bounds) -> TableDocument:
    """The document without anything that reveals objects outside the bounds; unchanged if the caller may see all.

    Keys and relations to hidden tables are left out. A text by a person, a comment or a model is withheld whole if it
    mentions something hidden; of a text made by rules, only the sentences that do. Types, defaults and expressions are
    replaced.
    """
    if bounds.is_open:
        return document
    own = OwnNames.of(
        [document.database, document.schema_, document.table, *(column.name for column in document.columns)]
    )
    texts = _Texts(bounds, document.database, document.database_type, own)
    keys = [key for key in document.foreign_keys if may_see(key.references_table, bounds.scope)]
    in_keys = {column for key in keys for column in key.columns}
    partitions = [name for name in document.partitions or () if may_see(name, bounds.scope)]
    return document.model_copy(
        update={
            "domain": bounds.shown_domain(document.domain),
            "owner": None if document.owner and bounds.withholds(document.owner, own) else document.owner,
            "description": texts.description(document.description),
            "notes": [left for note in document.notes if (left := texts.derived(note)) == note],
            "columns": [
                _without_hidden_meanings(
                    _without_lookup(_column(column, column.name in in_keys, texts), document, keys), texts
                )
                for column in document.columns
            ],
            "foreign_keys": keys,
            "indexes": [_index(index, document, texts) for index in document.indexes],
            "relations": [other for other in document.relations if may_see(other.name, bounds.scope)],
            "inferred_keys": [_likely_key(key, bounds) for key in document.inferred_keys if _may_see_ends(key, bounds)],
            "checks": [check for check in document.checks if not texts.hides_sql(check.expression)],
            "view_definition": texts.sql(document.view_definition),
            "partition_key": texts.sql(document.partition_key),
            "partition_of": document.partition_of if may_see(document.partition_of or "", bounds.scope) else None,
            "partitions": partitions or None,
            "partition_count": len(partitions) or None,
            "inherits_from": [name for name in document.inherits_from or () if may_see(name, bounds.scope)] or None,
            # The line says how much is written about tables before this one.
            "annotation_line": None,
            **_bounded_lineage(document, bounds),
        }
    )


def _bounded_lineage(document: TableDocument, bounds: Bounds) -> dict[str, object]:
    """What the table reads and is read by, without hidden tables; the totals count those that are left."""
    left: dict[str, object] = {}
    for name in ("reads", "read_by"):
        seen = [each for each in getattr(document, name) or () if may_see(each, bounds.scope)]
        left |= {name: seen or None, f"{name}_total": len(seen) or None}
    edges = [edge for edge in document.lineage or () if may_see(edge.from_table, bounds.scope)]
    # A message of the parser may quote a hidden name.
    return {**left, "lineage": edges or None, "lineage_problem": document.lineage_problem and WITHHELD}


class _Texts:
    """Limits the texts of a table to what a caller may see."""

    def __init__(self, bounds: Bounds, database: str, dialect: DatabaseType, own: OwnNames) -> None:
        self._bounds = bounds
        self._database = database
        self._dialect = dialect
        self._own = own

    def description(self, description: Description) -> Description:
        """A description, whose text is empty when it is withheld."""
        if description.source != "derived":
            return _withheld(description) if self._bounds.withholds(description.text, self._own) else description
        left = self.derived(description.text)
        # The evidence refers to the full text, sentence by sentence.
        return (
            description if left == description.text else description.model_copy(update={"text": left, "evidence": None})
        )

    def derived(self, text: str) -> str:
        """The visible sentences of a text made by rules."""
        return self._bounds.bounded_derived(text, self._database, self._own)

    def hides_meaning(self, meaning: ValueMeaning) -> bool:
        """Whether a hidden view says what a value means, or a text that mentions something hidden."""
        if meaning.view and not may_see(meaning.view, self._bounds.scope):
            return True
        return meaning.source != "lookup" and self._bounds.withholds(meaning.text, self._own)

    def hides_name(self, name: str, withheld: Iterable[str]) -> bool:
        """Whether a name reveals something hidden: servers name indexes after the functions that they call."""
        inside = {token for sql in withheld for token in split_identifier(sql) if stem(token) not in self._own.stems}
        return not inside.isdisjoint(split_identifier(name)) or self._bounds.withholds(name, self._own)

    def hides_sql(self, sql: str) -> bool:
        """Whether an expression or a type names something hidden."""
        return self._bounds.withholds_sql(sql, self._database, self._dialect)

    def sql(self, sql: str | None) -> str | None:
        """An expression or a type, or its placeholder."""
        return WITHHELD if sql is not None and self.hides_sql(sql) else sql


_NO_VALUES: dict[str, object] = {
    "allowed_values": None,
    "allowed_values_from": None,
    "allowed_values_complete": None,
    "value_meanings": None,
}


def _column(column: DocumentedColumn, is_foreign_key: bool, texts: _Texts) -> DocumentedColumn:
    update: dict[str, object] = {
        "default_value": texts.sql(column.default_value),
        "description": texts.description(column.description),
        "is_foreign_key": is_foreign_key,
        "generated": texts.sql(column.generated),
        "base_type": texts.sql(column.base_type),
    }
    if texts.hides_sql(column.type):
        # Its values, and descriptions made from them, are labels of the type.
        update |= {"type": WITHHELD, "base_type": None, "samples": None} | _NO_VALUES
    told_of_hidden = "type" in update or (column.is_foreign_key and not is_foreign_key)
    if told_of_hidden and column.description.source == "derived":
        update["description"] = _withheld(column.description)
    return column.model_copy(update=update)


def _without_lookup(
    column: DocumentedColumn, document: TableDocument, visible: Sequence[DocumentedForeignKey]
) -> DocumentedColumn:
    """The column without what a look-up table says, unless all tables that it references alone are visible."""
    hidden = any(key.columns == [column.name] for key in document.foreign_keys if key not in visible)
    if not hidden:
        return column
    left = {value: each for value, each in (column.value_meanings or {}).items() if each.source != "lookup"}
    update: dict[str, object] = {"value_meanings": left or None}
    if column.allowed_values_from == "lookup":
        update |= _NO_VALUES
    return column.model_copy(update=update)


def _without_hidden_meanings(column: DocumentedColumn, texts: _Texts) -> DocumentedColumn:
    """The column without what hidden views say of its values, or texts that mention something hidden."""
    meanings = column.value_meanings or {}
    left = {value: each for value, each in meanings.items() if not texts.hides_meaning(each)}
    if len(left) == len(meanings):
        return column
    update: dict[str, object] = {"value_meanings": left or None}
    if column.allowed_values_from in ("human", "comment", "view"):
        update = {"value_meanings": left, "allowed_values": [*left]} if left else _NO_VALUES
    return column.model_copy(update=update)


def _may_see_ends(key: DocumentedInferredKey, bounds: Bounds) -> bool:
    return may_see(key.from_table, bounds.scope) and may_see(key.to_table, bounds.scope)


def _likely_key(key: DocumentedInferredKey, bounds: Bounds) -> DocumentedInferredKey:
    return key.model_copy(update={"evidence": bounded_evidence(key.evidence, bounds)})


def bounded_evidence(evidence: Iterable[KeyEvidence], bounds: Bounds) -> list[KeyEvidence]:
    """The evidence for a likely key, without names of hidden tables."""
    return [one for one in evidence if bounds.is_open or may_see(_table_of(one), bounds.scope)]


def _table_of(evidence: KeyEvidence) -> str:
    """The table that the evidence names, or whose column it names; empty if it is not a name."""
    try:
        return format_name(parse_name(evidence.of)[:3])
    except ValueError:
        return ""


def _index(index: DocumentedIndex, document: TableDocument, texts: _Texts) -> DocumentedIndex:
    columns = {column.name for column in document.columns}
    shown = [part if part in columns else texts.sql(part) or "" for part in index.columns]
    withheld = [part for part, left in zip(index.columns, shown, strict=True) if left != part]
    name = WITHHELD if texts.hides_name(index.name, withheld) else index.name
    return index.model_copy(update={"name": name, "columns": shown, "predicate": texts.sql(index.predicate)})


def _withheld(description: Description) -> Description:
    return description.model_copy(update={"text": "", "evidence": None})

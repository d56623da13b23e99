"""The published definitions that a caller may see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

from tribal.identity.locations import DEFINITIONS_FILE
from tribal.identity.table_names import TableIdentity
from tribal.naming.mentions import OwnNames
from tribal.ports import DerivedValues, ObjectStore
from tribal.scoping.bounds import Bounds
from tribal.sql.scanner import TokenType, scan
from tribal.store import content_hash, read_record
from tribal_contracts import DatabaseType, DefinedMetric, DefinedTerm, Definition, Definitions, VerifiedQuery

Item = TypeVar("Item", bound=Definition)
_DIALECTS: tuple[DatabaseType, ...] = ("postgres", "snowflake")
NOTHING = Definitions(schema_version="1.0")


def visible_definitions(bounds: Bounds, store: ObjectStore, derived: DerivedValues) -> Definitions:
    """The definitions of the last run that a caller may see, cached until they change; empty if no one has written any.

    A caller sees those whose tables the scope holds, all of them, and whose texts mention no hidden table. SQL that
    does more than read and compute is shown to no one.

    Raises:
        StoreError: when the store cannot be read.
    """
    digest = content_hash(store, DEFINITIONS_FILE)
    if digest is None:
        return NOTHING
    generation = ("definitions", digest)
    found = derived.get(generation, "all", lambda: read_record(store, DEFINITIONS_FILE, Definitions) or NOTHING)
    return derived.get(generation, (bounds.scope, bounds.hidden, bounds.is_open), lambda: _within(found, bounds))


def _within(found: Definitions, bounds: Bounds) -> Definitions:
    items = {
        "metrics": list(_visible(found.metrics, bounds)),
        "terms": list(_visible(found.terms, bounds)),
        "queries": list(_visible(found.queries, bounds)),
        "routines": [each for each in found.routines if _is_in(bounds, TableIdentity.parse(each))],
    }
    return (found if bounds.is_open else NOTHING).model_copy(update=items)


def _is_in(bounds: Bounds, routine: TableIdentity) -> bool:
    return bounds.is_open or bounds.scope.allows(routine.database, routine.schema)


def _visible(items: Iterable[Item], bounds: Bounds) -> Iterator[Item]:
    for item in items:
        if not item.is_safe:
            continue
        tables = [TableIdentity.parse(name) for name in item.tables]
        if not all(bounds.scope.allows(each.database, each.schema) for each in tables):
            continue
        if not _may_see_rest(item, bounds):
            continue
        own = OwnNames.of(part for each in tables for part in (each.database, each.schema, each.table))
        if not any(bounds.withholds(text, own) for text in _texts(item)):
            yield item


def _may_see_rest(item: Definition, bounds: Bounds) -> bool:
    """Whether a caller who sees all tables of an item may see what else it names."""
    if not item.is_bounded:
        # Names that no documented table has may be those of hidden ones.
        return item.database is not None and bounds.scope.allows_all_of(item.database)
    return bool(item.tables) or item.database is None or bounds.scope.allows(item.database)


def _texts(item: Definition) -> list[str]:
    """Everything that a person wrote in words, also in SQL; its names are those of tables that were checked."""
    if isinstance(item, DefinedMetric):
        said = [item.name, item.description, item.grain or "", item.owner or "", *item.synonyms]
        return [*said, *_words_in_sql(item.expression, *item.filters)]
    if isinstance(item, DefinedTerm):
        return [item.name, item.definition, *item.synonyms]
    assert isinstance(item, VerifiedQuery)
    return [*item.questions, item.owner or "", *_words_in_sql(item.sql)]


def _words_in_sql(*texts: str) -> Iterator[str]:
    for sql in texts:
        for dialect in _DIALECTS:
            found = scan(sql, dialect)
            yield from (token.text for token in found if token.type in (TokenType.STRING, TokenType.COMMENT))

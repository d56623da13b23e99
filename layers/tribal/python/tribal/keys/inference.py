"""Puts together what names, sisters, views and values suggest, and chooses what is likely."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from tribal.catalog.outline import TableOutline
from tribal.keys.composites import composite_references
from tribal.keys.guesses import UNLIKELY, Guess, column_name, inferred_key, merged
from tribal.keys.likenesses import alike_columns
from tribal.keys.overlap import MOST_PAIRS, KeyPair, Overlap, Overlaps, weighed
from tribal.keys.references import (
    Directory,
    is_polymorphic,
    named_after_references,
    named_references,
    nameless_references,
)
from tribal.keys.sisters import sister_references
from tribal.keys.tables import KeyTable
from tribal.keys.viewed import Viewed, read_views, viewed_references
from tribal_contracts import InferredKey, KeyEvidence


def infer_keys(tables: Sequence[TableOutline], overlaps: Overlaps | None = None) -> list[InferredKey]:
    """Infer keys between tables of one database from columns without a declared one; in a stable order.

    At most one key of a column is `LIKELY`; the others are guesses.

    Args:
        tables: all tables whose keys are wanted and that they may reference.
        overlaps: what comparing the values of some of the `candidate_pairs` showed.
    """
    known = [KeyTable(outline) for outline in sorted(tables, key=lambda outline: outline.name)]
    suggested = _suggested(known)
    if overlaps:
        suggested = list(_weighed(suggested, overlaps, {table.name: table for table in known}))
    return list(map(inferred_key, _chosen(suggested, {table.name for table in known if table.is_bridge})))


def candidate_pairs(tables: Sequence[TableOutline]) -> list[KeyPair]:
    """The columns whose values are worth comparing, the most promising first, at most `MOST_PAIRS`."""
    known = [KeyTable(outline) for outline in sorted(tables, key=lambda outline: outline.name)]
    views = {table.name for table in known if table.is_view}
    found = sorted(_suggested(known), key=lambda each: (-each.confidence, each.pair))
    pairs = (pair for each in found for pair in _directions(each) if views.isdisjoint((pair.from_table, pair.to_table)))
    return list(dict.fromkeys(pairs))[:MOST_PAIRS]


def _suggested(tables: Sequence[KeyTable]) -> list[Guess]:
    """All that is suggested before values are looked at."""
    viewed = read_views(tables, {(table.schema, table.outline.table): table for table in tables})
    by_schema: defaultdict[str, list[KeyTable]] = defaultdict(list)
    for table in tables:
        by_schema[table.schema].append(table)
    directories = {schema: Directory(some) for schema, some in by_schema.items()}
    neighbours = _neighbours(tables, viewed)
    by_name = {table.name: table for table in tables}
    alike = (each for each in alike_columns([table.outline for table in tables]) if _may_reference(each, by_name))
    guesses = [*viewed_references(viewed), *alike]
    for schema, some in by_schema.items():
        around = [directories[other] for other in sorted(neighbours[schema]) if other in directories]
        named = list(named_references(some, directories[schema], around))
        guesses += named
        guesses += named_after_references(some)
        guesses += nameless_references(some, directories[schema])
        guesses += sister_references(some, directories[schema])
        alone = {(each.pair.from_table, column) for each in named for column in each.pair.from_columns}
        alone |= {(table.name, column) for table in some for column in table.declared}
        guesses += composite_references(some, alone)
    return merged(guesses)


def _may_reference(each: Guess, tables: Mapping[str, KeyTable]) -> bool:
    """Whether a column may reference what it is like: it is neither its own table's key nor an id of several kinds."""
    table, (column,) = tables[each.pair.from_table], each.pair.from_columns
    return _is_shared(each) or not (table.is_own_key(column) or is_polymorphic(table, column))


def _neighbours(tables: Sequence[KeyTable], viewed: Viewed) -> defaultdict[str, set[str]]:
    """The other schemas to which a schema belongs, because keys are declared between them or views join them."""
    schemas = {table.name: table.schema for table in tables}
    declared = (
        (table.schema, schemas.get(key.references_table, table.schema))
        for table in tables
        for key in table.outline.foreign_keys
    )
    found: defaultdict[str, set[str]] = defaultdict(set)
    for one, other in chain(declared, ((here.schema, there.schema) for _, here, there, _ in viewed)):
        if one != other:
            found[one].add(other)
            found[other].add(one)
    return found


def _directions(each: Guess) -> Iterator[KeyPair]:
    """The pair, and the other way round if nothing says which references which."""
    yield each.pair
    if not each.is_likely and each.pair.from_columns == each.pair.to_columns:
        yield _reversed(each.pair)


def _reversed(pair: KeyPair) -> KeyPair:
    return KeyPair(pair.to_table, pair.to_columns, pair.from_table, pair.from_columns)


def _weighed(guesses: Iterable[Guess], overlaps: Overlaps, tables: Mapping[str, KeyTable]) -> Iterator[Guess]:
    """The guesses that values allow, in the direction that they show."""
    for each in guesses:
        ways = []
        for pair in _directions(each):
            overlap = overlaps.get(pair)
            is_key = pair.to_columns in tables[pair.to_table].keys
            way = replace(each, pair=pair, confidence=weighed(each.confidence, overlap, is_key=is_key))
            ways.append(_with_values(way, overlap) if way.confidence > each.confidence and overlap else way)
        best = max(ways, key=lambda way: (way.confidence, not tables[way.pair.to_table].is_bridge))
        if best.confidence:
            yield best


def _with_values(each: Guess, overlap: Overlap) -> Guess:
    of = column_name(each.pair.to_table, each.pair.to_columns[0])
    values = KeyEvidence(kind="values", of=of, compared=overlap.compared, found=overlap.found)
    return replace(each, evidence=(*each.evidence, values))


def _chosen(guesses: Iterable[Guess], bridges: Collection[str]) -> Iterator[Guess]:
    """All guesses, of which at most one a column is likely: the surest, or none if there are two of those."""
    every = sorted(guesses, key=lambda each: each.pair)
    likely = [each for each in every if each.is_likely]
    by_column: defaultdict[tuple[str, str], list[Guess]] = defaultdict(list)
    for each in likely:
        for column in each.pair.from_columns:
            by_column[each.pair.from_table, column].append(each)
    hops = {(each.pair.from_table, each.pair.from_columns, each.pair.to_table) for each in likely}

    def is_surer(one: Guess, other: Guess) -> bool:
        if _rank(one) != _rank(other):
            return _rank(one) > _rank(other)
        if (one.pair.to_table in bridges) != (other.pair.to_table in bridges):
            return other.pair.to_table in bridges
        # What references the other itself is only on the way to it.
        forth = (other.pair.to_table, other.pair.to_columns, one.pair.to_table) in hops
        return forth and (one.pair.to_table, one.pair.to_columns, other.pair.to_table) not in hops

    for each in every:
        rivals = (other for column in each.pair.from_columns for other in by_column[each.pair.from_table, column])
        if each.is_likely and not all(other is each or is_surer(each, other) for other in rivals):
            yield replace(each, confidence=UNLIKELY)
        else:
            yield each


def _rank(each: Guess) -> tuple[bool, float]:
    return len(each.pair.from_columns) > 1, each.confidence


def _is_shared(each: Guess) -> bool:
    """Whether two columns merely have the same name."""
    return all(evidence.kind == "shared_name" for evidence in each.evidence)

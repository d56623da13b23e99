"""Combines what names, same-name columns, views and values suggest, and chooses the likely keys."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from tribal.joins.outline import TableOutline
from tribal.key_inference.composites import composite_references
from tribal.key_inference.guesses import UNLIKELY, Guess, column_name, inferred_key, merged
from tribal.key_inference.name_words import is_key_like, words_of
from tribal.key_inference.nameless_references import named_after_references, nameless_references
from tribal.key_inference.overlap import (
    ENOUGH,
    ENOUGH_NUMBERS,
    MOST_PAIRS,
    KeyPair,
    Overlap,
    Overlaps,
    confidence_with_values,
)
from tribal.key_inference.references import (
    Directory,
    is_polymorphic,
    named_references,
)
from tribal.key_inference.same_name_columns import same_name_references
from tribal.key_inference.similar_names import alike_columns
from tribal.key_inference.tables import KeyTable
from tribal.key_inference.told import Comments, told_references
from tribal.key_inference.viewed import Viewed, read_views, viewed_references
from tribal.naming import glued_prefixes
from tribal_contracts import DatabaseType, InferredKey, KeyEvidence

_NO_COMMENTS: Comments = MappingProxyType({})


def infer_keys(tables: Sequence[TableOutline], overlaps: Overlaps | None = None) -> list[InferredKey]:
    """Infer keys between tables of one database, as `Inference.keys` does, without parsing views."""
    return Inference.of(tables).keys(overlaps)


def candidate_pairs(tables: Sequence[TableOutline]) -> list[KeyPair]:
    """The columns whose values are worth comparing, as `Inference.candidate_pairs` says, without parsing views."""
    return Inference.of(tables).candidate_pairs()


@dataclass(frozen=True)
class Inference:
    """What names, same-name columns and views suggest about the tables of one database. Each part is computed once,
    when it is needed.

    Build it with `of`.
    """

    tables: Sequence[KeyTable]
    """Sorted by name."""
    dialect: DatabaseType | None
    comments: Comments

    @classmethod
    def of(
        cls, tables: Sequence[TableOutline], dialect: DatabaseType | None = None, comments: Comments = _NO_COMMENTS
    ) -> Inference:
        """Start from all tables whose keys are wanted and that they may reference.

        Args:
            tables: of one database.
            dialect: of the definitions of views; without one they are not parsed.
            comments: on columns.
        """
        names: defaultdict[str, list[str]] = defaultdict(list)
        for outline in tables:
            names[outline.schema_].append(outline.table)
        prefixes = {schema: glued_prefixes(some) for schema, some in names.items()}
        return cls(
            [
                KeyTable(outline, next(filter(outline.table.lower().startswith, prefixes[outline.schema_]), ""))
                for outline in sorted(tables, key=lambda outline: outline.name)
            ],
            dialect,
            comments,
        )

    def keys(self, overlaps: Overlaps | None = None) -> list[InferredKey]:
        """Keys of columns without a declared one, in a stable order; at most one of a column is `LIKELY`.

        Args:
            overlaps: results of comparing the values of some `candidate_pairs`.
        """
        return list(map(inferred_key, self._chosen(self._every, overlaps)))

    def likely_keys(self, overlaps: Overlaps | None = None) -> list[InferredKey]:
        """The `keys` that are `LIKELY`. Without values no guess is, so guesses are skipped."""
        suggested = (
            self._every if overlaps else self._merged(chain(self._told, viewed_references(self._viewed), self._named))
        )
        return [inferred_key(each) for each in self._chosen(suggested, overlaps) if each.is_likely]

    def candidate_pairs(self) -> list[KeyPair]:
        """The columns whose values are worth comparing, the most promising first, at most `MOST_PAIRS`."""
        views = {table.name for table in self.tables if table.is_view}
        found = sorted(self._every, key=lambda each: (-each.confidence, each.pair))
        pairs = (pair for each in found for pair in _directions(each, self._by_name))
        kept = (pair for pair in pairs if views.isdisjoint((pair.from_table, pair.to_table)))
        return list(dict.fromkeys(kept))[:MOST_PAIRS]

    def _chosen(self, guesses: Iterable[Guess], overlaps: Overlaps | None) -> Iterator[Guess]:
        if overlaps:
            guesses = _compared(guesses, overlaps, self._by_name)
        return _chosen(guesses, {table.name for table in self.tables if table.is_bridge})

    @cached_property
    def _every(self) -> list[Guess]:
        """Every suggestion, before values are compared."""
        # Of several with the same confidence, the first provides the evidence.
        return self._merged(chain(self._told, viewed_references(self._viewed), self._guesses(), self._named))

    def _merged(self, guesses: Iterable[Guess]) -> list[Guess]:
        """Each pair once, without pairs that are declared keys in the other direction."""
        return [each for each in merged(guesses) if _reversed(each.pair) not in self._declared]

    def _guesses(self) -> Iterator[Guess]:
        """Suggestions that names alone never make `LIKELY`."""
        alike = alike_columns([table.outline for table in self.tables])
        yield from (each for each in alike if _may_reference(each, self._by_name))
        for some in self._by_schema.values():
            yield from named_after_references(some)

    @cached_property
    def _told(self) -> list[Guess]:
        """Suggestions from comments."""
        return list(told_references(self.tables, self.comments))

    @cached_property
    def _named(self) -> list[Guess]:
        """Suggestions from names and same-name columns, which may be `LIKELY` without values."""
        guesses: list[Guess] = []
        for schema, some in self._by_schema.items():
            around = self._around(schema)
            named = list(named_references(some, self._directories[schema], around))
            guesses += named
            guesses += nameless_references(some, self._directories[schema], around)
            guesses += same_name_references(some, self._directories[schema])
            alone = {(each.pair.from_table, column) for each in named for column in each.pair.from_columns}
            alone |= {(table.name, column) for table in some for column in table.declared}
            guesses += composite_references(some, alone)
        return guesses

    def _around(self, schema: str) -> list[Directory]:
        """The directories of the schemas that are related to one."""
        return [self._directories[other] for other in sorted(self._neighbours[schema]) if other in self._directories]

    @cached_property
    def _neighbours(self) -> Mapping[str, set[str]]:
        return _neighbours(self.tables, self._viewed)

    @cached_property
    def _viewed(self) -> Viewed:
        if self.dialect is None:
            return []
        by_name = {(table.schema, table.outline.table): table for table in self.tables}
        return read_views(self.tables, by_name, self.dialect)

    @cached_property
    def _declared(self) -> frozenset[KeyPair]:
        return frozenset(
            KeyPair(table.name, tuple(key.columns), key.references_table, tuple(key.references_columns))
            for table in self.tables
            for key in table.outline.foreign_keys
        )

    @cached_property
    def _by_name(self) -> Mapping[str, KeyTable]:
        return {table.name: table for table in self.tables}

    @cached_property
    def _by_schema(self) -> Mapping[str, Sequence[KeyTable]]:
        found: defaultdict[str, list[KeyTable]] = defaultdict(list)
        for table in self.tables:
            found[table.schema].append(table)
        return found

    @cached_property
    def _directories(self) -> Mapping[str, Directory]:
        return {schema: Directory(some) for schema, some in self._by_schema.items()}


def _may_reference(each: Guess, tables: Mapping[str, KeyTable]) -> bool:
    """Whether the column may be a reference: it is neither generated, nor its own table's key, nor polymorphic."""
    table, (column,) = tables[each.pair.from_table], each.pair.from_columns
    if column not in table.free or _are_numbers_of_rows(each.pair, tables):
        return False
    return _is_shared(each) or not (table.is_own_key(column) or is_polymorphic(table, column))


def _are_numbers_of_rows(pair: KeyPair, tables: Mapping[str, KeyTable]) -> bool:
    """Whether both columns number the rows of their tables, under a name that is not that of the referenced table."""
    parent = tables[pair.to_table]
    return _are_numbered_keys(pair, tables) and not any(map(parent.is_own_key, pair.to_columns))


def _are_numbered_keys(pair: KeyPair, tables: Mapping[str, KeyTable]) -> bool:
    """Whether each column is a key of its table by itself and a number: 1, 2, 3 occur in any such key."""
    ends = ((tables[pair.from_table], pair.from_columns), (tables[pair.to_table], pair.to_columns))
    return all(columns in table.keys and table.families.get(columns[0]) == "number" for table, columns in ends)


def _neighbours(tables: Sequence[KeyTable], viewed: Viewed) -> defaultdict[str, set[str]]:
    """The schemas related to each schema, by declared keys between them or views that join them."""
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


def _directions(each: Guess, tables: Mapping[str, KeyTable]) -> Iterator[KeyPair]:
    """The pair, and its reverse if nothing shows the direction and its columns declare no key."""
    yield each.pair
    is_same = each.pair.from_columns == each.pair.to_columns
    if not each.is_likely and is_same and set(each.pair.to_columns) <= set(tables[each.pair.to_table].free):
        yield _reversed(each.pair)


def _reversed(pair: KeyPair) -> KeyPair:
    return KeyPair(pair.to_table, pair.to_columns, pair.from_table, pair.from_columns)


def _compared(guesses: Iterable[Guess], overlaps: Overlaps, tables: Mapping[str, KeyTable]) -> Iterator[Guess]:
    """The guesses that the values allow, in the direction that they show."""
    for each in guesses:
        ways = []
        for pair in _directions(each, tables):
            overlap = overlaps.get(pair)
            is_key = pair.to_columns in tables[pair.to_table].keys
            enough = ENOUGH_NUMBERS if _may_be_a_number(each, tables) else ENOUGH
            confidence = confidence_with_values(each.confidence, overlap, is_key=is_key, enough=enough)
            if _are_numbered_keys(pair, tables):
                confidence = min(confidence, each.confidence)
            way = replace(each, pair=pair, confidence=confidence)
            ways.append(_with_values(way, overlap) if way.confidence > each.confidence and overlap else way)
        best = max(ways, key=lambda way: (way.confidence, not tables[way.pair.to_table].is_bridge))
        if best.confidence:
            yield best


def _may_be_a_number(each: Guess, tables: Mapping[str, KeyTable]) -> bool:
    """Whether a column may be a count or a version, whose values any ids contain."""
    (column, *others), is_same_name = each.pair.from_columns, each.pair.from_columns == each.pair.to_columns
    is_number = tables[each.pair.from_table].families.get(column) == "number"
    return is_number and not others and not is_same_name and not is_key_like(words_of(column))


def _with_values(each: Guess, overlap: Overlap) -> Guess:
    of = column_name(each.pair.to_table, each.pair.to_columns[0])
    values = KeyEvidence(kind="values", of=of, compared=overlap.compared, found=overlap.found)
    return replace(each, evidence=(*each.evidence, values))


def _chosen(guesses: Iterable[Guess], bridges: Collection[str]) -> Iterator[Guess]:
    """All guesses. At most one per column and direction stays likely: the one with the highest confidence."""
    every = sorted(guesses, key=lambda each: each.pair)
    likely = [each for each in every if each.is_likely]
    by_column: defaultdict[tuple[str, str], list[Guess]] = defaultdict(list)
    for each in likely:
        for column in each.pair.from_columns:
            by_column[each.pair.from_table, column].append(each)
    references = {(each.pair.from_table, each.pair.from_columns, each.pair.to_table) for each in likely}
    ways = {each.pair: each for each in likely}

    def is_surer(one: Guess, other: Guess) -> bool:
        if _rank(one) != _rank(other):
            return _rank(one) > _rank(other)
        if (one.pair.to_table in bridges) != (other.pair.to_table in bridges):
            return other.pair.to_table in bridges
        # A table that references the other one is only a step on the way to it.
        forth = (other.pair.to_table, other.pair.to_columns, one.pair.to_table) in references
        return forth and (one.pair.to_table, one.pair.to_columns, other.pair.to_table) not in references

    for each in every:
        rivals = [other for column in each.pair.from_columns for other in by_column[each.pair.from_table, column]]
        if (back := ways.get(_reversed(each.pair))) is not None:
            # With the same columns, only one of two tables can reference the other.
            rivals.append(back)
        if each.is_likely and not all(other is each or is_surer(each, other) for other in rivals):
            yield replace(each, confidence=UNLIKELY)
        else:
            yield each


def _rank(each: Guess) -> tuple[bool, float]:
    return len(each.pair.from_columns) > 1, each.confidence


def _is_shared(each: Guess) -> bool:
    """Whether the two columns only have the same name."""
    return all(evidence.kind == "shared_name" for evidence in each.evidence)

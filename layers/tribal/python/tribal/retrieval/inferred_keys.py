"""Undeclared keys inferred from names and types: guesses, kept apart from the catalog's own keys.

They are inferred for the schemas of two tables that no declared keys join, and cached, since the next question is often
about the same schemas.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from tribal.catalog.graph import JoinGraph
from tribal.catalog.type_families import key_family
from tribal.naming import split_identifier, stem
from tribal.ports import IndexedTable
from tribal.retrieval.graphs import role_words
from tribal.retrieval.toolbox import OpenIndex, Toolbox
from tribal_contracts import DocumentedColumn, KeyEdge, TableDocument

# The confidences are labels by judgement (decision 12); only their order decides anything.
SAME_NAME = 0.8
"""Confidence if a column has the name of another table's key, or of that table and its key."""
WITH_A_ROLE = 0.6
"""Confidence if other words precede such a name."""
SHARED = 0.5
"""Confidence if two columns look like keys and have the same name, but match no table's key."""

LOOKED_AT = 200
"""The most tables whose columns are compared. By judgement: it bounds one answer to about a second."""

_SHARED_BY = 12
"""The most tables that may share a column name; a more common one, such as `tenant_id`, joins nothing. By judgement."""
_KEY_WORDS = frozenset(("id", "key", "code", "no", "nr", "num", "uid", "uuid", "guid"))

Words = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class InferredKey:
    """A likely key and the confidence in it."""

    edge: KeyEdge
    confidence: float


@dataclass(frozen=True, slots=True)
class InferredJoins:
    """Some tables with all keys between them, declared and inferred."""

    graph: JoinGraph
    tables: frozenset[str]
    """Fully qualified names of the tables that were compared."""
    confidences: Mapping[bytes, float]
    """Confidence in each inferred key, by its JSON."""

    def confidence(self, key: KeyEdge) -> float | None:
        """Confidence in a key; `None` if it is declared."""
        return None if key.source == "declared" else self.confidences[key.to_compact_json()]


@dataclass(frozen=True, slots=True)
class _Column:
    table: str
    name: str
    words: Words
    family: str


@dataclass(frozen=True, slots=True)
class _Parent:
    """A table that can be referenced, with its single-column key."""

    words: Words
    """The words of the table's name."""
    key: _Column
    codes: Mapping[str, _Column]
    """Columns named with a single key word, by that word: `setCode` refers to `sets.code`, whatever the primary key."""

    def called(self, word: str) -> _Column:
        """The column that a name ending in this word refers to."""
        return self.codes.get(word, self.key)


def inferred_joins(source: IndexedTable, target: IndexedTable, opened: OpenIndex, toolbox: Toolbox) -> InferredJoins:
    """The joins between the tables in the schemas of two tables, limited to those that the caller may see."""
    schemas = {(entry.database, entry.schema) for entry in (source, target)}
    around = (entry for entry in opened.tables if (entry.database, entry.schema) in schemas)
    ids = [entry.record_id for entry in dict.fromkeys((source, target, *around))][:LOOKED_AT]
    key = ("likely joins", frozenset(ids))
    return toolbox.derived.get(opened.generation, key, lambda: _joins_of(ids, toolbox))


def _joins_of(ids: Sequence[int], toolbox: Toolbox) -> InferredJoins:
    keys, records = toolbox.index.key_graph(), toolbox.index.records(sorted(ids)).values()
    documents = [record.structured for record in records if record.structured is not None]
    known = frozenset(document.name for document in documents)
    declared = [edge for edge in (keys.edges if keys else ()) if {edge.from_table, edge.to_table} <= known]
    inferred = infer_keys(documents)
    graph = JoinGraph.of([*declared, *(key.edge for key in inferred)], role_words)
    return InferredJoins(graph, known, {key.edge.to_compact_json(): key.confidence for key in inferred})


def infer_keys(tables: Sequence[TableDocument]) -> list[InferredKey]:
    """Infer keys between tables of one database from columns without a declared one; in a stable order."""
    parents = [parent for table in tables if (parent := _parent(table)) is not None]
    own = {(parent.key.table, parent.key.name) for parent in parents}
    guesses: list[InferredKey] = []
    unmatched: defaultdict[tuple[Words, str], list[_Column]] = defaultdict(list)
    for table in tables:
        for column in _free_columns(table):
            found = _likeliest(column, parents)
            guesses += found
            if (not found or (column.table, column.name) in own) and _is_specific_key(column.words):
                unmatched[column.words, column.family].append(column)
    for alike in unmatched.values():
        if len(alike) <= _SHARED_BY:
            pairs = ((one, other) for place, one in enumerate(alike) for other in alike[place + 1 :])
            guesses += [_guess(one, other, SHARED) for one, other in pairs if one.table != other.table]
    return sorted(_distinct(guesses), key=lambda guess: guess.edge.to_compact_json())


def _distinct(guesses: Iterable[InferredKey]) -> list[InferredKey]:
    """Each pair of columns once, with its highest confidence."""
    best: dict[frozenset[tuple[str, str]], InferredKey] = {}
    for guess in guesses:
        edge = guess.edge
        ends = frozenset(((edge.from_table, edge.from_columns[0]), (edge.to_table, edge.to_columns[0])))
        if ends not in best or guess.confidence > best[ends].confidence:
            best[ends] = guess
    return list(best.values())


def _parent(table: TableDocument) -> _Parent | None:
    """Choose the key: the primary key, else a unique column, else a column named like a key."""
    keys = [table.primary_key] if table.primary_key else table.unique_keys
    single = [key.columns[0] for key in keys if len(key.columns) == 1]
    columns = {column.name: column for column in table.columns}
    words = _words(table.table)
    if not single and not table.primary_key:
        named = (column.name for column in table.columns if _is_named_after(_words(column.name), words))
        first = [table.columns[0].name] if table.columns and _is_key_like(_words(table.columns[0].name)) else []
        single = [*named, *first]
    key = next((_column(table, columns[name]) for name in single if name in columns), None)
    if key is None:
        return None
    found = (_column(table, column) for column in table.columns)
    codes = {one.words[0]: one for one in found if one and len(one.words) == 1 and one.words[0] in _KEY_WORDS}
    return _Parent(words, key, codes)


def _is_named_after(column: Words, table: Words) -> bool:
    return column[:-1] in ((), table, table[-1:]) and column[-1:] != () and column[-1] in _KEY_WORDS


def _free_columns(table: TableDocument) -> list[_Column]:
    found = (_column(table, column) for column in table.columns if not column.is_foreign_key)
    return [column for column in found if column is not None and column.words]


def _column(table: TableDocument, column: DocumentedColumn) -> _Column | None:
    family = key_family(column.type)
    return None if family is None else _Column(table.name, column.name, _words(column.name), family)


def _likeliest(column: _Column, parents: Sequence[_Parent]) -> list[InferredKey]:
    """The likeliest references of a column: those of the highest confidence, preferably to tables that it names."""
    found: list[tuple[float, bool, _Column]] = []
    for parent in parents:
        if parent.key.table == column.table:
            continue
        confidence, referenced = _referenced(column.words, parent)
        if confidence and referenced.family == column.family:
            found.append((confidence, bool({*parent.words} & {*column.words}), referenced))
    best = max(((confidence, says) for confidence, says, _ in found), default=None)
    return [_guess(column, referenced, best[0]) for *rank, referenced in found if best == tuple(rank)]


def _referenced(words: Words, parent: _Parent) -> tuple[float, _Column]:
    """Confidence that a column with these words references the table, and the referenced column."""
    key, table = parent.key.words, parent.words
    if words == key and _is_specific_key(words):
        return SAME_NAME, parent.key
    if not _is_key_like(words):
        return 0.0, parent.key
    for name in (table, table[-1:]):
        if words[:-1] == name:
            return SAME_NAME, parent.called(words[-1])
        if words[-1 - len(name) : -1] == name:
            return WITH_A_ROLE, parent.called(words[-1])
    # Such as `sbTxCustId` and `sbCustId` in a schema where every name begins with `sb`.
    if len(key) > 2 and words[0] == key[0] and words[-len(key) + 1 :] == key[1:]:
        return WITH_A_ROLE, parent.key
    return 0.0, parent.key


def _is_specific_key(words: Words) -> bool:
    """Whether a name says which table's key it is; `id` alone occurs everywhere."""
    return _is_key_like(words) and not set(words) <= _KEY_WORDS


def _is_key_like(words: Words) -> bool:
    return bool(words) and (words[-1] in _KEY_WORDS or (len(words) == 1 and words[0].endswith("id")))


def _guess(child: _Column, parent: _Column, confidence: float) -> InferredKey:
    edge = KeyEdge(
        name=f"{child.name} = {parent.name}",
        from_table=child.table,
        from_columns=[child.name],
        to_table=parent.table,
        to_columns=[parent.name],
        nullable=True,
        source="inferred",
    )
    return InferredKey(edge, confidence)


@lru_cache(maxsize=16_384)
def _words(name: str) -> Words:
    return tuple(stem(token) for token in split_identifier(name))

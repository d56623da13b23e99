"""The part of the page's data for diagrams and joins, as declared in `page/src/joins/types.ts`.

`get_join_path` defines what joins two tables. The page repeats its search, so everything that the search weighs comes
from here as numbers: what it costs to follow a key and to pass a table, which keys are inferred, and every limit.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations_with_replacement
from typing import Any

from tribal.capabilities.retrieval.graphs import join_graph
from tribal.capabilities.retrieval.join_path import (
    MAX_COMPARED_TABLES,
    LikelyJoins,
    in_different_databases,
    likely_joins,
)
from tribal.capabilities.retrieval.toolbox import Toolbox, unreached
from tribal.identity.table_names import format_name
from tribal.joins import costs
from tribal.joins.ambiguities import MAX_ALTERNATIVES, SUBJECT, hub_text
from tribal.joins.costs import confidence_of, key_cost, transit_cost
from tribal.joins.graph import HUB, JoinGraph, Way
from tribal.joins.outline import TableOutline, row_keys
from tribal.joins.paths import MAX_EXTENDED, MAX_EXTRA_COST
from tribal.joins.statements import ROW_LIMIT
from tribal.joins.trees import COMPARED_PATHS, MAX_HOPS, MORE_HOPS
from tribal.page_data.survey import Survey, SurveyedTable
from tribal.rendering.web.records import trimmed
from tribal.sql.dialect import legible_identifier
from tribal_contracts import AgentError, DatabaseType, GetJoinPathInput, KeyEdge

COMPARED_TABLES = 10_000
"""Tables compared for one site, each counted once per pair of schemas. By judgement: it takes at most some 5 s."""
GUESSED_KEYS = 7_000
"""Guessed keys of one site, each counted once per pair of schemas. By judgement: they take at most some 250 KB."""

_NULLABLE, _INFERRED, _ONE, _ALONE, _WITH_ANOTHER, _OTHER_NOT_UNIQUE, _GUESSED = 1, 2, 4, 8, 16, 32, 64
_FOR_DIAGRAMS = _NULLABLE | _INFERRED | _ONE
_IDENTIFIES = {None: 0, "alone": _ALONE, "with_another": _WITH_ANOTHER}
_PLAIN_TRANSIT = [0, costs.SHARED_PARENT, 0]
"""The costs of passing a table that few reference and that references at most two."""
_TURNS: tuple[tuple[Way, Way], ...] = (("across", "across"), ("up", "down"), ("down", "up"))

Schema = tuple[str, str]
"""A database and a schema of it."""
Pair = tuple[Schema, Schema]
"""Two schemas of one database, or one of them twice."""


def keys_part(found: Survey, toolbox: Toolbox) -> dict[str, Any]:
    """Return the primary keys of all tables and the keys between them, for diagrams.

    A server is asked for joins, so nothing about them is here: costs depend on the keys of all tables, and would reveal
    to a restricted caller how many hidden tables reference a visible one.
    """
    return _Writer.of(found, toolbox).keys(found.keys)


def keys_with_joins(found: Survey, toolbox: Toolbox) -> dict[str, Any]:
    """Return what `keys_part` does, and everything that joins are found with. Only for callers who may see all."""
    return _Joins(_Writer.of(found, toolbox), found, toolbox).part()


@dataclass(frozen=True, slots=True)
class _Writer:
    """Writes keys by the places of their tables and the numbers of their columns' names."""

    tables: Mapping[str, SurveyedTable]
    outlines: Mapping[str, TableOutline]
    columns: dict[str | tuple[str, str, str], int] = field(default_factory=dict)
    """Numbers of the names of columns: alone, or with the name in SQL and the one in sentences if they differ."""

    @classmethod
    def of(cls, found: Survey, toolbox: Toolbox) -> _Writer:
        """Read the keys of all tables."""
        ids = [table.entry.record_id for table in found.tables]
        outlines = toolbox.index.documents(ids, TableOutline).values()
        return cls({table.name: table for table in found.tables}, {outline.name: outline for outline in outlines})

    def keys(self, edges: Iterable[KeyEdge]) -> dict[str, Any]:
        """The whole part, without what joins need."""
        lines = [[*self._ends(edge), self._flags(edge) & _FOR_DIAGRAMS] for edge in self.usable(edges)]
        primary = self.primary_keys()
        return {"c": list(self.columns), "p": primary, "k": lines}

    def usable(self, edges: Iterable[KeyEdge]) -> list[KeyEdge]:
        """The keys that can be followed between these tables, in the order in which equal steps of joins are taken."""
        usable = (
            edge
            for edge in edges
            if edge.from_table in self.tables
            and edge.to_table in self.tables
            and edge.from_columns
            and len(edge.from_columns) == len(edge.to_columns)
        )
        return sorted(usable, key=lambda edge: (edge.name, edge.from_columns, edge.to_columns))

    def primary_keys(self) -> list[int | list[int]]:
        """The columns of every table's primary key."""
        keys = []
        for name, table in self.tables.items():
            outline = self.outlines.get(name)
            own = outline.primary_key if outline else None
            keys.append(self._numbers(own.columns if own else (), table.database_type))
        return keys

    def line(self, edge: KeyEdge, graph: JoinGraph, evidence: list[int] | None, *, guessed: bool) -> list[Any]:
        """A key with all that joins need; `evidence` are numbers of pieces."""
        flags = self._flags(edge) | _IDENTIFIES[edge.identifies] | _GUESSED * guessed
        known = [confidence_of(edge)] if evidence is None else [confidence_of(edge), evidence]
        inferred = known if edge.source == "inferred" else []
        return trimmed([*self._ends(edge), flags, key_cost(edge, graph), graph.role_words(edge), *inferred])

    def _ends(self, edge: KeyEdge) -> list[Any]:
        child, parent = self.tables[edge.from_table], self.tables[edge.to_table]
        own, other = (self._numbers(columns, child.database_type) for columns in (edge.from_columns, edge.to_columns))
        return [child.place, parent.place, own, other]

    def _flags(self, edge: KeyEdge) -> int:
        one = self._is_unique(edge.from_table, edge.from_columns)
        other = self._is_unique(edge.to_table, edge.to_columns)
        inferred = edge.source == "inferred"
        return _NULLABLE * edge.nullable | _INFERRED * inferred | _ONE * one | _OTHER_NOT_UNIQUE * (not other)

    def _is_unique(self, table: str, columns: Sequence[str]) -> bool:
        return any(set(key) <= set(columns) for key in row_keys(self.outlines[table]))

    def _numbers(self, columns: Iterable[str], kind: DatabaseType) -> int | list[int]:
        """The numbers of some names of columns; of a single one without a list."""
        numbers = []
        for name in columns:
            in_sql, in_sentences = legible_identifier(name, kind), format_name((name,))
            entry = name if name == in_sql == in_sentences else (name, in_sql, in_sentences)
            numbers.append(self.columns.setdefault(entry, len(self.columns)))
        return numbers[0] if len(numbers) == 1 else numbers


@dataclass(slots=True)
class _Joins:
    """Writes what joins are found with."""

    writer: _Writer
    found: Survey
    toolbox: Toolbox
    pieces: dict[str, int] = field(default_factory=dict)
    """Numbers of the pieces of evidence for inferred keys, by their JSON."""

    def part(self) -> dict[str, Any]:
        """The whole part."""
        found, writer = self.found, self.writer
        graph = join_graph(found.opened, self.toolbox)
        schemas = {schema: number for number, schema in enumerate(sorted(_by_schema(found)))}
        known = writer.usable(found.keys)
        compared = dict(self._compared(known))
        guessed = {_identity(edge): edge for each in compared.values() for edge in each.guessed}
        edges = writer.usable([*known, *guessed.values()])
        numbers = {_identity(edge): number for number, edge in enumerate(edges)}
        lines = [self._line(edge, graph, guessed=_identity(edge) in guessed) for edge in edges]
        in_sql = [0 if table.sql_name == table.label else table.sql_name for table in found.tables]
        joins = {
            "q": trimmed(in_sql),
            "b": list(_databases(found)),
            "s": [schemas[_schema_of(table)] for table in found.tables],
            **self._passing(graph, found.tables),
            "g": {
                ",".join(str(schemas[schema]) for schema in pair): self._guessed(each, numbers)
                for pair, each in compared.items()
            },
            "v": [json.loads(piece) for piece in self.pieces],
            "w": [[each.code, each.message] for each in self._unreached()],
            "n": _LIMITS,
        }
        # It numbers names of columns too.
        primary = writer.primary_keys()
        return {"c": list(writer.columns), "p": primary, "k": lines, "j": joins}

    def _line(self, edge: KeyEdge, graph: JoinGraph, *, guessed: bool) -> list[Any]:
        pieces = None if edge.evidence is None else [one.to_compact_json().decode() for one in edge.evidence]
        evidence = None if pieces is None else [self.pieces.setdefault(piece, len(self.pieces)) for piece in pieces]
        return self.writer.line(edge, graph, evidence, guessed=guessed)

    def _unreached(self) -> list[AgentError]:
        opened = self.found.opened
        return unreached(self.toolbox, opened.metadata, opened.tables)

    def _compared(self, known: Sequence[KeyEdge]) -> Iterator[tuple[Pair, LikelyJoins]]:
        """Pairs of schemas with the joins between them, until there are `GUESSED_KEYS`."""
        schemas, left = _by_schema(self.found), GUESSED_KEYS
        for pair in _pairs(self.found, known):
            ids = [table.entry.record_id for schema in set(pair) for table in schemas[schema]]
            joins = likely_joins(ids, self.toolbox)
            left -= len(joins.guessed)
            if left < 0:
                return
            yield pair, joins

    def _guessed(self, joins: LikelyJoins, numbers: Mapping[bytes, int]) -> dict[str, Any] | int:
        """The keys that two schemas have in addition, and what it costs to pass their tables then; 0 without keys."""
        # Columns of the same name may reference a table that is not documented.
        keys = sorted(numbers[name] for name in map(_identity, joins.guessed) if name in numbers)
        if not keys:
            return 0
        tables = [table for table in self.found.tables if table.name in joins.tables]
        return {"k": keys, **self._passing(joins.graph, tables)}

    def _passing(self, graph: JoinGraph, tables: Iterable[SurveyedTable]) -> dict[str, Any]:
        """Return the transit costs that differ from `_PLAIN_TRANSIT`, and the hubs."""
        passing, hubs = [], {}
        for table in tables:
            transit = [transit_cost(table.name, way, then, graph) for way, then in _TURNS]
            if transit != _PLAIN_TRANSIT:
                passing.append(trimmed([table.place, *transit]))
            ties = graph.tied(table.name)
            if ties.fan_in >= HUB:
                hubs[table.place] = hub_text(ties)
        return {"t": passing, "h": hubs}


def _identity(edge: KeyEdge) -> bytes:
    """A key by everything that is known of it; the same guess is made for several pairs of schemas."""
    return edge.to_compact_json()


def _schema_of(table: SurveyedTable) -> Schema:
    return table.entry.database, table.entry.schema


def _by_schema(found: Survey) -> Mapping[Schema, Sequence[SurveyedTable]]:
    tables: defaultdict[Schema, list[SurveyedTable]] = defaultdict(list)
    for table in found.tables:
        tables[_schema_of(table)].append(table)
    return tables


def _pairs(found: Survey, known: Sequence[KeyEdge]) -> Iterator[Pair]:
    """Pairs of schemas whose tables are compared because keys do not connect all of them; the most related first."""
    schemas = _by_schema(found)
    groups = _connected(known)
    places = {table.name: _schema_of(table) for table in found.tables}
    keys = Counter(tuple(sorted((places[key.from_table], places[key.to_table]))) for key in known)
    pairs = [pair for pair in combinations_with_replacement(sorted(schemas), 2) if pair[0][0] == pair[1][0]]
    left = COMPARED_TABLES
    for pair in sorted(pairs, key=lambda pair: (-keys[pair], pair)):
        tables = [table.name for schema in set(pair) for table in schemas[schema]]
        if len({groups.get(table, table) for table in tables}) > 1 and len(tables) <= min(MAX_COMPARED_TABLES, left):
            left -= len(tables)
            yield pair


def _connected(keys: Iterable[KeyEdge]) -> Mapping[str, str]:
    """For each table with keys, one table of all those that keys connect."""
    groups: dict[str, str] = {}

    def group(table: str) -> str:
        while (other := groups.setdefault(table, table)) != table:
            groups[table] = groups[other]
            table = other
        return table

    for key in keys:
        groups[group(key.from_table)] = group(key.to_table)
    return {table: group(table) for table in list(groups)}


def _databases(found: Survey) -> Iterator[list[Any]]:
    """Each database: how many tables it has, what their full names begin with, and why it is not joined to others."""
    for name in found.databases:
        tables = [table for table in found.tables if table.entry.database == name]
        yield [len(tables), f"{format_name((name,))}.", in_different_databases(tables[0].database_type)]


_LIMITS = {
    "hops": GetJoinPathInput.model_fields["max_hops"].default,
    "mostHops": MAX_HOPS,
    "moreHops": MORE_HOPS,
    "compared": COMPARED_PATHS,
    "extended": MAX_EXTENDED,
    "extra": MAX_EXTRA_COST,
    "step": costs.STEP,
    "across": costs.ACROSS,
    "transit": _PLAIN_TRANSIT,
    "nearlyEqual": costs.NEARLY_EQUAL,
    "nearlyEqualBridges": costs.NEARLY_EQUAL_BRIDGES,
    "otherMeaning": costs.OTHER_MEANING,
    "subject": SUBJECT,
    "alternatives": MAX_ALTERNATIVES,
    "rows": ROW_LIMIT,
}

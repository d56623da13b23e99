"""The keys that join the tables of a context, and the tables that lie between them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations

from tribal.capabilities.retrieval.context.packing import Item
from tribal.capabilities.retrieval.graphs import graph_for, join_graph
from tribal.capabilities.retrieval.names import name_of
from tribal.capabilities.retrieval.toolbox import OpenIndex, Toolbox
from tribal.identity.table_names import TableIdentity
from tribal.joins.graph import JoinGraph
from tribal.joins.outline import row_keys
from tribal.joins.paths import Keys
from tribal.joins.trees import cheapest_tree
from tribal.naming import split_identifier, stem
from tribal.rendering.markdown import one_line
from tribal.rendering.words import listing
from tribal.sql.dialect import legible_identifier, legible_table
from tribal_contracts import ContextJoin, KeyEdge, TableDocument

_MAX_HOPS = 3
_MOST_REFERENCED = 6
"""The most tables that are added because others refer to them. By judgement."""
_BETWEEN_TWO = 3
"""The most keys between the same two tables."""


def tables_between(names: Sequence[str], terms: Collection[str], opened: OpenIndex, toolbox: Toolbox) -> dict[str, str]:
    """Visible tables on the cheapest joins of some tables, and link tables of two of them, each with the reason.

    Args:
        names: of the tables to join.
        terms: of the question; they choose between keys.
        opened: what the caller may see.
        toolbox: has the keys.
    """
    visible = frozenset(map(name_of, opened.tables))
    if len(names) < 2:
        return {}
    graph = graph_for(join_graph(opened, toolbox), terms)
    tree = cheapest_tree(Keys(graph, visible.__contains__), names[0], names[1:], _MAX_HOPS)
    found = dict(_link_tables(names, graph, opened))
    for branch in tree.branches:
        path = branch.best.tables
        for place, name in enumerate(path[1:-1], start=1):
            if name not in names:
                found.setdefault(name, f"it joins {path[place - 1]} and {path[place + 1]}")
    return found


def _link_tables(names: Sequence[str], graph: JoinGraph, opened: OpenIndex) -> Iterator[tuple[str, str]]:
    """Tables that link rows of two of some tables: they have no other columns, or are called after both."""
    tables = {name_of(table): table for table in opened.tables}
    for name in sorted({other for each in names for other in graph.adjacent.get(each, ())} & tables.keys()):
        ends = [step.target for step in graph.steps.get(name, ()) if step.to_parent and step.target in names]
        ends = list(dict.fromkeys(ends))
        if name not in names and len(ends) > 1 and (tables[name].is_junction or _is_called_after(name, ends)):
            yield name, f"it links {ends[0]} and {ends[1]}"


def _is_called_after(name: str, ends: Sequence[str]) -> bool:
    """Whether the words of a table's name are those of two other tables."""
    words, *others = (frozenset(map(stem, split_identifier(TableIdentity.parse(each).table))) for each in (name, *ends))
    return any(words == one | other and one != other for one, other in combinations(others, 2))


def referenced_tables(names: Sequence[str], opened: OpenIndex, toolbox: Toolbox) -> dict[str, str]:
    """Visible tables that some tables refer to, each with the reason: they say what a key means."""
    graph = join_graph(opened, toolbox)
    visible = frozenset(map(name_of, opened.tables))
    found: dict[str, str] = {}
    for name in names:
        steps = sorted(graph.steps.get(name, ()), key=lambda step: _rank(step.key, graph))
        for step in steps:
            if step.to_parent and step.target not in names and step.target in visible:
                found.setdefault(step.target, f"{name} refers to it")
    return dict(list(found.items())[:_MOST_REFERENCED])


def joins_among(
    tables: Mapping[str, TableDocument], terms: Collection[str], opened: OpenIndex, toolbox: Toolbox
) -> list[ContextJoin]:
    """The keys between some tables, in the order of the tables.

    Of keys between the same two, those that the terms of the question name come first, then the plainest.
    """
    graph = graph_for(join_graph(opened, toolbox), terms)
    order = {name: place for place, name in enumerate(tables)}
    edges = [
        step.key
        for name in tables
        for step in graph.steps.get(name, ())
        if step.to_parent and step.key.to_table in tables
    ]
    edges.sort(key=lambda key: (max(order[key.from_table], order[key.to_table]), *_rank(key, graph)))
    between: defaultdict[tuple[str, str], int] = defaultdict(int)
    joins = []
    for key in edges:
        ends = (key.from_table, key.to_table)
        between[ends] += 1
        if between[ends] <= _BETWEEN_TWO:
            joins.append(_join(key, tables))
    return joins


def _rank(key: KeyEdge, graph: JoinGraph) -> tuple[bool, int, str, list[str]]:
    return key.source == "inferred", graph.role_words(key), key.from_table, key.from_columns


def _join(key: KeyEdge, tables: Mapping[str, TableDocument]) -> ContextJoin:
    child, parent = tables[key.from_table], tables[key.to_table]
    is_unique = any(set(columns) <= set(key.from_columns) for columns in row_keys(child))
    return ContextJoin(
        tables=[child.name, parent.name],
        sql=_join_sql(key, child, parent),
        cardinality="one_to_one" if is_unique else "many_to_one",
        inferred=key.source == "inferred",
    )


def _join_sql(key: KeyEdge, child: TableDocument, parent: TableDocument) -> str:
    kind = child.database_type
    own = legible_identifier(child.table, kind)
    other = legible_identifier(parent.table, kind)
    alias = ""
    if own == other:
        # A reference to the same table, or to one of the same name.
        other, alias = "parent", " AS parent"
    pairs = " AND ".join(
        f"{own}.{legible_identifier(mine, kind)} = {other}.{legible_identifier(theirs, kind)}"
        for mine, theirs in zip(key.from_columns, key.to_columns, strict=True)
    )
    return one_line(f"{_written(child)} JOIN {_written(parent)}{alias} ON {pairs}")


def _written(table: TableDocument) -> str:
    return legible_table(table.server_database or table.database, table.schema_, table.table, table.database_type)


def join_name(join: ContextJoin) -> str:
    """Return the name under which a join is listed if it did not fit."""
    child, parent = join.tables
    return f"join of {child} and {parent} on {join.sql.partition(' ON ')[2]}"


def join_items(joins: Sequence[ContextJoin], needed: Collection[str]) -> Iterator[Item]:
    """Each join as a line of SQL with its cardinality; those between needed tables are needed too."""
    for join in joins:
        meets = "one to one" if join.cardinality == "one_to_one" else "many to one"
        likely = "; not declared, only likely" if join.inferred else ""
        text = f"{join.sql} -- {meets}{likely}"
        yield Item(join_name(join), text, frozenset(join.tables), needed={*join.tables} <= {*needed})


def fan_out_items(joins: Sequence[ContextJoin]) -> Iterator[Item]:
    """A warning for each table whose rows several other tables of the context repeat."""
    children: dict[str, dict[str, None]] = {}
    for join in joins:
        child, parent = join.tables
        if join.cardinality == "many_to_one" and child != parent:
            children.setdefault(parent, {})[child] = None
    for parent, others in children.items():
        if len(others) > 1:
            names = listing([_short(name) for name in others], limit=len(others))
            text = f"-- {_short(parent)} meets many rows of {names}: aggregate each before you join more than one"
            yield Item(f"warning about {parent}", text, frozenset((parent, *others)))


def _short(name: str) -> str:
    return one_line(TableIdentity.parse(name).table)


def are_in(names: Collection[str], join: ContextJoin) -> bool:
    """Whether both tables of a join are among some tables."""
    return set(join.tables) <= set(names)

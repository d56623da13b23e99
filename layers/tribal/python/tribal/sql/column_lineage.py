"""Which columns each output of a query comes from, through everything in between."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tribal.sql.case_labels import label_cases, unwrapped, without_rivals
from tribal.sql.parsing import (
    MappingSchema,
    NotParsed,
    Scope,
    SqlglotError,
    exp,
    parse_query,
    qualify,
    traverse_scope,
    walk_in_scope,
)
from tribal.sql.references import MAX_VIEW_CHARS, ColumnEdge, ColumnName, QueryLineage, TableName, ValueLabel, Via
from tribal_contracts import DatabaseType

MAX_EDGES = 5_000
"""The most edges kept for one query; a query with more has lineage by table only."""
MAX_DEPTH = 400
"""Of a syntax tree. The optimizer looks from each name up to the top, so that a list of 4,000 conditions takes 15 s."""
_MOST_ROUNDS = 10
"""Of a recursive query, each of which may pass a column on to the next one. By judgement; most need one."""
_ANY_TYPE = "VARIANT"
_STRENGTH: Mapping[Via, int] = {"direct": 0, "computed": 1, "aggregated": 2, "filter": 3}
_UNCHANGED = (exp.Alias, exp.Paren, exp.Subquery)
_OF_ONE_ROW = (exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue)
"""Window functions that sqlglot counts among the aggregates."""
_AGGREGATE_NAMES = frozenset("regr_slope regr_intercept regr_r2 range_intersect_agg mode listagg".split())
"""Aggregates that sqlglot does not know, in addition to those whose names end with `_agg`."""
_SYSTEM_COLUMNS = frozenset("ctid oid tableoid xmin xmax cmin cmax".split())
"""Columns that every table of PostgreSQL has, and none lists."""

Sources = dict[ColumnName, Via]
"""Columns of tables, and how they get into something."""


def read_lineage(
    query: str, dialect: DatabaseType, columns: Mapping[TableName, Sequence[str]], outputs: Sequence[str] = ()
) -> QueryLineage:
    """The lineage of a query; with a problem where it cannot be parsed or is over a limit.

    Args:
        query: names are as PostgreSQL prints them, or as `ViewQueries` rewrote them for Snowflake. A table without its
            schema, or of another database, is not read.
        dialect: of the query.
        columns: the columns of every table and view.
        outputs: the names of the query's columns in order, if they are known.
    """
    if len(query) > MAX_VIEW_CHARS:
        return QueryLineage(problem=f"it is longer than {MAX_VIEW_CHARS:,} characters")
    try:
        tree = parse_query(query, dialect)
        if not isinstance(tree, exp.Query):
            return QueryLineage(problem=None if isinstance(tree, exp.Values) else "it is not a query")
        if _is_deep(tree):
            return QueryLineage(problem="the SQL is nested too deeply")
        qualified = qualify(
            tree,
            dialect=dialect,
            schema=_schema(tree, dialect, columns),
            # Written out, names of outputs that refer to each other double in size with each.
            expand_alias_refs=False,
            validate_qualify_columns=False,
            quote_identifiers=False,
        )
        return _Query(qualified, columns).lineage(outputs)
    except NotParsed as error:
        return QueryLineage(problem=error.reason)
    except RecursionError:
        return QueryLineage(problem="the SQL is nested too deeply")
    except (SqlglotError, ValueError, KeyError, AssertionError):
        # The optimizer's own messages quote the SQL, which may hold values.
        return QueryLineage(problem="the names in it cannot be resolved")


def _is_deep(tree: exp.Expr) -> bool:
    level: list[exp.Expr] = [tree]
    for _ in range(MAX_DEPTH):
        level = [child for node in level for child in node.iter_expressions()]
    return bool(level)


def _schema(tree: exp.Expr, dialect: DatabaseType, columns: Mapping[TableName, Sequence[str]]) -> MappingSchema:
    """The tables that a query names, as the optimizer wants them: to add one takes time."""

    def quoted(name: str) -> str:
        return exp.to_identifier(name, quoted=True).sql(dialect)

    schemas: dict[str, Any] = {}
    for schema, table in {(each.db, each.name) for each in tree.find_all(exp.Table)} & columns.keys():
        names = {quoted(name): _ANY_TYPE for name in columns[schema, table]}
        schemas.setdefault(quoted(schema), {})[quoted(table)] = names
    return MappingSchema(schemas, dialect=dialect)


@dataclass(frozen=True, slots=True)
class _Outputs:
    """The columns of a query or of another source, each with what it comes from."""

    names: Sequence[str] = ()
    columns: Sequence[Sources] = ()
    others: Sources | None = None
    """What any further column comes from: a function in FROM does not say which columns it returns."""

    def of(self, name: str) -> Sources:
        if name in self.names:
            return self.columns[self.names.index(name)]
        return self.others or {}

    def every(self) -> Iterator[Sources]:
        yield from self.columns
        if self.others:
            yield self.others

    def renamed(self, names: Sequence[str]) -> _Outputs:
        return _Outputs([*names, *self.names[len(names) :]], self.columns, self.others)


class _Query:
    """A query whose names are qualified."""

    def __init__(self, tree: exp.Expr, columns: Mapping[TableName, Sequence[str]]) -> None:
        self._tree = tree
        self._columns = columns
        self._scopes = traverse_scope(tree)
        self._traversed = {id(scope) for scope in self._scopes}
        self._outputs: dict[int, _Outputs] = {}
        self._recursive: dict[int, _Outputs] = {}
        """What a recursive query returns as far as it is known, by the id of its first part."""
        self._named: dict[int, Sources] = {}
        """What the outputs that others refer to come from, by their ids."""
        self._has_unresolved = False

    def lineage(self, names: Sequence[str]) -> QueryLineage:
        """The lineage, with the given names of the outputs if there are as many."""
        tables = sorted({name for table in self._tree.find_all(exp.Table) if (name := self._table(table))})
        for scope in self._scopes:
            # Inner ones first, so that nothing recurses deeply.
            self._outputs_of(scope)
        outputs = self._outputs_of(self._scopes[-1]) if self._scopes else _Outputs()
        shown = names if len(names) == len(outputs.names) else outputs.names
        found: dict[tuple[str | None, ColumnName], Via] = {}
        for output, sources in zip(shown, outputs.columns, strict=True):
            for column, via in sources.items():
                if self._exists(column):
                    found[output, column] = _stronger(via, found.get((output, column)))
        for column in self._row_columns():
            if self._exists(column):
                found[None, column] = "filter"
        if len(found) > MAX_EDGES:
            return QueryLineage(tables, problem=f"it has more than {MAX_EDGES:,} pairs of columns")
        order = {output: place for place, output in enumerate(shown)}
        edges = [ColumnEdge(output, column, via) for (output, column), via in found.items()]
        edges.sort(key=lambda each: (order.get(each.output or "", len(order)), each.column))
        return QueryLineage(tables, edges, self._labels(shown), self._problem())

    def _labels(self, outputs: Sequence[str]) -> list[ValueLabel]:
        """What values of tables' columns mean."""
        scopes = {id(scope.expression): scope for scope in self._scopes}
        shown = {
            id(unwrapped(each.unalias())): name
            for each, name in zip(
                self._tree.selects if isinstance(self._tree, exp.Select) else (), outputs, strict=False
            )
        }
        found: list[list[ValueLabel]] = []
        for case in label_cases(self._tree):
            scope = scopes.get(id(case.node.find_ancestor(exp.Select)))
            sources = self._resolved(case.column, scope) if scope else {}
            # Of columns on top of each other, only those of one name certainly have the same values.
            if {*sources.values()} == {"direct"} and len({name for _, _, name in sources}) == 1:
                named = [(v.written, v.label.name, shown.get(id(case.node))) for v in case.values]
                found += [[ValueLabel(each, *label) for label in named] for each in sources if self._exists(each)]
        return without_rivals(found)

    def _problem(self) -> str | None:
        return "it is not known which table has some of its columns" if self._has_unresolved else None

    def _exists(self, column: ColumnName) -> bool:
        return column[2] in self._columns.get(column[:2], ())

    def _table(self, table: exp.Table) -> TableName | None:
        """The table that is named, if it is known."""
        if not isinstance(table.this, exp.Identifier) or table.catalog:
            return None
        name = (table.db, table.name)
        return name if name in self._columns else None

    def _outputs_of(self, scope: Scope) -> _Outputs:
        if id(scope) not in self._traversed:
            # Within a recursive query, its own name.
            return self._recursive.get(id(scope.expression), _Outputs())
        if id(scope) not in self._outputs:
            self._outputs[id(scope)] = self._read_outputs(scope)
        return self._outputs[id(scope)]

    def _read_outputs(self, scope: Scope) -> _Outputs:
        query = scope.expression
        if isinstance(query, exp.Select):
            columns = [self._sources_of(each, scope) for each in query.expressions]
            return _Outputs([each.alias_or_name for each in query.expressions], columns)
        if isinstance(query, exp.SetOperation):
            return self._combined(scope)
        inner = [each for each in (*scope.subquery_scopes, *scope.table_scopes) if id(each) in self._traversed]
        if isinstance(query, exp.Subquery) and inner:
            return self._outputs_of(inner[-1]).renamed(scope.outer_columns)
        if isinstance(query, exp.Lateral) and isinstance(query.this, exp.Subquery) and inner:
            return self._outputs_of(inner[-1]).renamed(scope.outer_columns)
        if isinstance(query, exp.Values):
            return self._values(query, scope).renamed(scope.outer_columns)
        return _Outputs(others=_changed(self._within(query, scope)))

    def _values(self, values: exp.Values, scope: Scope) -> _Outputs:
        """The columns of a list of values, which may come from tables that stand before it."""
        rows = [row.expressions if isinstance(row, exp.Tuple) else [row] for row in values.expressions]
        columns = [
            _merged(self._sources_of(value, scope) for value in values_of_column)
            for values_of_column in zip(*rows, strict=False)
        ]
        return _Outputs([f"column{place}" for place in range(1, len(columns) + 1)], columns)

    def _combined(self, scope: Scope) -> _Outputs:
        """The columns of two queries on top of each other."""
        left, right = scope.set_operation_scopes
        first = self._outputs_of(left)
        if isinstance(scope.expression, exp.Except):
            return first
        mine = id(scope.expression.this.unnest())
        self._recursive[mine] = first
        both = first
        for _ in range(_MOST_ROUNDS if _is_recursive(scope) else 1):
            second = self._outputs_of(right)
            both = _Outputs(first.names, [_merged(pair) for pair in zip(first.columns, second.columns, strict=False)])
            if both == self._recursive[mine]:
                break
            self._recursive[mine] = both
            for inner in right.traverse():
                self._outputs.pop(id(inner), None)
        return both

    def _sources_of(self, expression: exp.Expr, scope: Scope) -> Sources:
        """What one expression of a query comes from."""
        found: Sources = {}
        for node, sources in self._mentions(expression, scope):
            via = _via(node, expression)
            for column, earlier in sources.items():
                found[column] = _stronger(_stronger(via, earlier), found.get(column))
        return found

    def _within(self, part: exp.Expr, scope: Scope) -> Sources:
        return _merged(sources for _, sources in self._mentions(part, scope))

    def _mentions(self, part: exp.Expr, scope: Scope) -> Iterator[tuple[exp.Expr, Sources]]:
        """The columns, rows and subqueries in a part of a query, each with what it comes from."""
        queries = {id(inner.expression): inner for inner in scope.subquery_scopes}
        for node in walk_in_scope(part, prune=lambda each: each is not part and isinstance(each, exp.Values)):
            if id(node) in queries and node is not scope.expression:
                yield node, _merged(self._outputs_of(queries[id(node)]).every())
            elif isinstance(node, exp.Column | exp.TableColumn):
                yield node, self._resolved(node, scope)
            elif isinstance(node, exp.Window) and node.args.get("alias") and isinstance(scope.expression, exp.Select):
                for window in scope.expression.args.get("windows") or ():
                    if window.name == node.args["alias"].name:
                        yield window, self._within(window, scope)

    def _resolved(self, column: exp.Expr, scope: Scope) -> Sources:
        """The columns of tables that a column, or a whole row, comes from."""
        is_row = isinstance(column, exp.TableColumn) or isinstance(column.this, exp.Star)
        table = column.name if isinstance(column, exp.TableColumn) else column.text("table")
        around: Scope | None = scope
        while around is not None:
            if table in around.sources:
                return self._from(around.sources[table], None if is_row else column.name, around)
            if not table and (found := self._unqualified(column.name, around)) is not None:
                return found
            around = around.parent
        if is_row or table:
            return {}
        if column.name in _SYSTEM_COLUMNS:
            return {}
        if (output := _output_named(column, scope)) is not None:
            if id(output) not in self._named:
                # Names that refer to each other in a circle come from nothing.
                self._named[id(output)] = {}
                self._named[id(output)] = self._sources_of(output, scope)
            return self._named[id(output)]
        self._has_unresolved = True
        return {}

    def _unqualified(self, name: str, scope: Scope) -> Sources | None:
        """What a name without a table comes from, as the optimizer leaves some; `None` if it is of no source here."""
        sources = [source for _, source in scope.selected_sources.values()]
        having = [each for each in sources if name in self._names_of(each)]
        if having:
            return _merged(self._from(each, name, scope) for each in having)
        return {} if any(not self._names_of(each) for each in sources) else None

    def _names_of(self, source: exp.Table | Scope) -> Sequence[str]:
        """The columns of a source; empty if they are not known."""
        if isinstance(source, Scope):
            return self._outputs_of(source).names
        name = self._table(source)
        return () if name is None else [*_renamed(source), *self._columns[name][len(_renamed(source)) :]]

    def _from(self, source: exp.Table | Scope, column: str | None, scope: Scope) -> Sources:
        """A column of a source, or all of them."""
        if isinstance(source, Scope):
            outputs = self._outputs_of(source)
            return _merged(outputs.every()) if column is None else outputs.of(column)
        name = self._table(source)
        if name is None:
            is_function = not isinstance(source.this, exp.Identifier)
            return _changed(self._within(source, scope)) if is_function else {}
        if column is None:
            return dict.fromkeys(((*name, each) for each in self._columns[name]), "direct")
        column = dict(zip(_renamed(source), self._columns[name], strict=False)).get(column, column)
        if column not in self._columns[name] and source.args.get("pivots"):
            mentioned = [each.name for pivot in source.args["pivots"] for each in pivot.find_all(exp.Column)]
            return dict.fromkeys(((*name, each) for each in mentioned), "aggregated")
        return {(*name, column): "direct"}

    def _row_columns(self) -> Iterator[ColumnName]:
        """The columns that decide which rows there are: those of conditions, groupings and orders."""
        for scope in self._scopes:
            query = scope.expression
            if isinstance(query, exp.Except):
                for sources in self._outputs_of(scope.set_operation_scopes[1]).every():
                    yield from sources
            if not isinstance(query, exp.Select | exp.SetOperation):
                continue
            for key, value in query.args.items():
                if key in ("expressions", "with_", "windows", "this", "expression"):
                    continue
                for part in value if isinstance(value, list) else [value]:
                    if isinstance(part, exp.Expr):
                        yield from self._within(part, scope)


def _renamed(table: exp.Table) -> list[str]:
    """The new names that an alias gives to the first columns of a table."""
    alias = table.args.get("alias")
    return [each.name for each in alias.columns] if alias is not None else []


def _stronger(one: Via, other: Via | None) -> Via:
    """The one that changes the value more."""
    return one if other is None or _STRENGTH[one] >= _STRENGTH[other] else other


def _changed(sources: Sources) -> Sources:
    return {column: _stronger("computed", via) for column, via in sources.items()}


def _merged(parts: Iterable[Sources]) -> Sources:
    found: Sources = {}
    for part in parts:
        for column, via in part.items():
            found[column] = _stronger(via, found.get(column))
    return found


def _via(node: exp.Expr, expression: exp.Expr) -> Via:
    """How something gets into the expression that it is part of."""
    if isinstance(node, exp.WindowSpec) or (isinstance(node, exp.Window) and not node.this):
        return "computed"
    via: Via = "computed" if isinstance(node, exp.TableColumn) or isinstance(node.this, exp.Star) else "direct"
    while node is not expression and node.parent is not None:
        below, node = node, node.parent
        if _is_aggregate(node) and below.arg_key in ("this", "expression", "expressions"):
            return "aggregated"
        if not isinstance(node, _UNCHANGED):
            via = "computed"
    return via


def _is_aggregate(node: exp.Expr) -> bool:
    if isinstance(node, exp.Anonymous):
        name = node.name.lower()
        return name.endswith("_agg") or name in _AGGREGATE_NAMES
    return isinstance(node, exp.AggFunc | exp.WithinGroup) and not isinstance(node, _OF_ONE_ROW)


def _is_recursive(scope: Scope) -> bool:
    cte = scope.expression.parent
    return isinstance(cte, exp.CTE) and isinstance(cte.parent, exp.With) and bool(cte.parent.recursive)


def _output_named(column: exp.Expr, scope: Scope) -> exp.Expr | None:
    """The output that a name without a table refers to: in ORDER BY any, elsewhere in Snowflake those before it."""
    query = scope.expression
    outputs = query.selects if isinstance(query, exp.Query) else []
    named = next((each for each in outputs if each.alias_or_name == column.name), None)
    return None if named is column.find_ancestor(exp.Alias, exp.Query) else named

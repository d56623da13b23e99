"""Which tables and columns a syntax tree names.

One pass over the syntax tree keeps what is visible at each place: names that a `WITH` defines, and what the surrounding
queries select from. Looking that up from each column would take time quadratic in the size of the statement.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial

from tribal.sql.parsing import SqlglotError, exp, normalize_identifiers
from tribal.sql.references import ColumnReference, TableReference

_RELATIONS = frozenset({"TABLE", "VIEW"})
"""Kinds whose `CREATE` and `DROP` name a relation."""
_GRANTED = (None, "TABLE", "VIEW")
_NAMED_BY_VALUE = ("dynamicidentifier", "tablefromrows")
"""Keys of nodes whose table is a value."""

Parts = tuple[str, ...]

_Step = exp.Expr | Callable[[], object]
"""A node to look at, or what changes the scope before the next one."""


@dataclass(slots=True)
class _Select:
    """A `SELECT` around the place: names that it gives to results, and whether the place is in its list of results."""

    aliases: frozenset[str]
    in_results: bool = False


class NameCollector:
    """Collects the first reference to each name in statements.

    A name that a `WITH` defines is not a table where it is visible, nor are functions, sequences and schemas. Names are
    folded as the dialect folds them.

    Args:
        dialect: as sqlglot names it.
    """

    def __init__(self, dialect: str) -> None:
        self._dialect = dialect
        self._line = self._above = 0
        """Of the statement, for a name whose own line is not known."""
        self.tables: dict[Parts, TableReference] = {}
        self.columns: dict[tuple[Parts | None, str], ColumnReference] = {}
        self.computed: list[int] = []
        """Lines of tables whose names are computed."""
        self._defined: Counter[str] = Counter()
        """How many visible common table expressions have each name."""
        self._selects: list[_Select] = []
        self._only: list[Parts | None] = []
        """Of each query around the place the table that it selects from, if there is only one."""
        self._sources: defaultdict[str, list[Parts | None]] = defaultdict(list)
        """By alias, the sources of the queries around the place, the nearest last; `None` for other than tables."""
        self._changed: list[Parts | None] = []
        """The table of each `CREATE` and `ALTER` around the place."""

    def collect(self, statement: exp.Expr, line: int, above: int = 0) -> None:
        """Collect the names of a statement.

        Args:
            statement: its tree.
            line: where it begins in its text.
            above: lines above that text, if it is part of another one.
        """
        self._line, self._above = line, above
        steps: list[_Step] = [normalize_identifiers(statement, dialect=self._dialect)]
        while steps:
            step = steps.pop()
            if isinstance(step, exp.Expr):
                self._see(step)
                steps += reversed([*self._into(step)])
            else:
                step()

    def add_table(self, parts: Parts, line: int) -> None:
        """Add a table that is named outside a tree."""
        self.tables.setdefault(parts, TableReference(parts, line))

    def _see(self, node: exp.Expr) -> None:
        if node.key in _NAMED_BY_VALUE:
            self._add_named_by_value(node)
        elif isinstance(node, exp.Table) and self._is_relation(node):
            self.add_table(_parts(node), self._line_of(node.this))
        elif isinstance(node, exp.Comment) and isinstance(node.this, exp.Column) and node.this.table:
            column = node.this
            table = tuple(part.name for part in column.parts[:-1])
            self.add_table(table, self._line_of(column.this))
            self._add(table, column.name, column.this)
        elif isinstance(node, exp.Column):
            self._add_column(node)
        elif isinstance(node, exp.ColumnDef) and self._changed and self._changed[-1] is not None:
            self._add(self._changed[-1], node.name, node.this)

    def _into(self, node: exp.Expr) -> Iterator[_Step]:
        """Change the scope to that in a node, and yield its children and what changes the scope back."""
        with_ = node.args.get("with_")
        names = [cte.alias for cte in with_.expressions] if isinstance(with_, exp.With) else []
        self._defined.update(names)
        if isinstance(node, exp.Create | exp.Alter):
            yield from self._into_change(node)
        elif isinstance(node, exp.With):
            yield from self._into_with(node)
        elif (sources := _sources(node)) is not None:
            yield from self._into_query(node, sources)
        else:
            yield from node.iter_expressions()
        if names:
            yield lambda: self._defined.subtract(names)

    def _into_change(self, change: exp.Create | exp.Alter) -> Iterator[_Step]:
        table = change.find(exp.Table)
        self._changed.append(None if table is None else _parts(table))
        yield from change.iter_expressions()
        yield self._changed.pop

    def _into_with(self, with_: exp.With) -> Iterator[_Step]:
        """Each expression sees those before it, or all of them when they are recursive."""
        if with_.recursive:
            yield from with_.iter_expressions()
            return
        self._defined.subtract(cte.alias for cte in with_.expressions)
        for cte in with_.expressions:
            yield cte
            yield partial(self._defined.update, [cte.alias])

    def _into_query(self, query: exp.Expr, sources: list[exp.Expr]) -> Iterator[_Step]:
        found: dict[str, Parts | None] = {}
        tables: list[Parts | None] = []
        for source in sources:
            is_table = isinstance(source, exp.Table) and self._is_relation(source)
            tables.append(_parts(source) if isinstance(source, exp.Table) and is_table else None)
            found.setdefault(source.alias_or_name, tables[-1])
        self._only.append(tables[0] if len(tables) == 1 else None)
        for alias, table in found.items():
            self._sources[alias].append(table)
        yield from self._into_select(query) if isinstance(query, exp.Select) else query.iter_expressions()
        yield self._only.pop
        for alias in found:
            yield self._sources[alias].pop

    def _into_select(self, query: exp.Select) -> Iterator[_Step]:
        select = _Select(frozenset(each.alias for each in query.expressions if isinstance(each, exp.Alias)))
        self._selects.append(select)
        results = {id(each) for each in query.expressions}
        for child in query.iter_expressions():
            if id(child) in results:
                yield partial(setattr, select, "in_results", True)
                yield child
                yield partial(setattr, select, "in_results", False)
            else:
                yield child
        yield self._selects.pop

    def _add_named_by_value(self, node: exp.Expr) -> None:
        """`IDENTIFIER('a.b')` and `TABLE('a.b')` of Snowflake."""
        value = node.this
        if isinstance(value, exp.Literal) and value.is_string:
            try:
                table = normalize_identifiers(exp.to_table(value.this, dialect=self._dialect), dialect=self._dialect)
            except (SqlglotError, ValueError):
                self.computed.append(self._line + self._above)
            else:
                self.add_table(_parts(table), self._line + self._above)
        elif isinstance(value, exp.Parameter | exp.Placeholder | exp.Concat | exp.DPipe):
            self.computed.append(self._line + self._above)

    def _add_column(self, column: exp.Column) -> None:
        name, qualifier = column.name, column.table
        if isinstance(column.this, exp.Star) or not name or (not qualifier and self._is_alias(name)):
            return
        scopes = self._sources.get(qualifier, ()) if qualifier else self._only
        self._add(scopes[-1] if scopes else None, name, column.this)

    def _add(self, table: Parts | None, name: str, node: exp.Expr) -> None:
        self.columns.setdefault((table, name), ColumnReference(table, name, self._line_of(node)))

    def _is_alias(self, name: str) -> bool:
        """Whether an unqualified name is one that the query itself gives to a result."""
        return bool(self._selects) and not self._selects[-1].in_results and name in self._selects[-1].aliases

    def _is_relation(self, table: exp.Table) -> bool:
        """Whether it is a table or a view, and not what a `WITH` defines, a function or the like."""
        if not isinstance(table.this, exp.Identifier):
            return False
        parent = table.parent
        if isinstance(parent, exp.Schema):
            parent = parent.parent
        if isinstance(parent, exp.UserDefinedFunction | exp.Use | exp.Opclass):
            return False
        if isinstance(parent, exp.Grant | exp.Revoke) and parent.args.get("kind") not in _GRANTED:
            return False
        if isinstance(parent, exp.Create | exp.Drop) and str(parent.args.get("kind", "")).upper() not in _RELATIONS:
            return False
        return bool(table.db) or self._defined[table.name] <= 0

    def _line_of(self, node: exp.Expr) -> int:
        line: int = node.meta.get("line", self._line)
        return line + self._above


def _parts(table: exp.Table) -> Parts:
    return tuple(part.name for part in table.parts)


def _sources(node: exp.Expr) -> list[exp.Expr] | None:
    """What a query selects from or changes; `None` when the node is no query."""
    if isinstance(node, exp.Select):
        from_ = node.args.get("from_")
        joined = [join.this for join in node.args.get("joins") or ()]
        return ([from_.this] if from_ is not None else []) + joined
    if isinstance(node, exp.Update | exp.Delete | exp.Insert | exp.Merge):
        target = node.this.this if isinstance(node.this, exp.Schema) else node.this
        return [target] if isinstance(target, exp.Expr) else []
    return None

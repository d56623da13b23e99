"""Which tables and columns statements name.

One pass over the syntax tree keeps what is visible at each place: names that a `WITH` defines, and what the surrounding
queries select from. Looking that up from each column would take time quadratic in the size of the statement.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from tribal.sql.parsing import NotParsed, exp, normalize_identifiers, parse_statement, split_statements
from tribal.sql.references import (
    MAX_SQL_NAMES,
    ColumnReference,
    StatementReferences,
    TableReference,
    UnreadStatement,
)

_CACHED_CHARS = 20_000
"""Longer texts are read each time, which bounds the cache to some 10 MB."""
_RELATIONS = frozenset({"TABLE", "VIEW", "INDEX", "TRIGGER"})
"""Kinds whose `CREATE` and `DROP` name a relation."""

Parts = tuple[str, ...]

_Step = exp.Expr | Callable[[], object]
"""A node to look at, or what changes the scope before the next one."""


def references_in(text: str, dialect: str) -> StatementReferences:
    """The tables and columns that statements name.

    A name that a `WITH` defines is not a table where it is visible, nor are functions, sequences and schemas. Names are
    folded as the dialect folds them. What cannot be read is returned too, statement by statement.

    Args:
        text: statements, separated by semicolons.
        dialect: as sqlglot names it.
    """
    return (_cached if len(text) <= _CACHED_CHARS else _references_in)(text, dialect)


def _references_in(text: str, dialect: str) -> StatementReferences:
    names, unread = _Collector(), []
    try:
        statements = split_statements(text, dialect)
    except NotParsed as error:
        return StatementReferences(unread=[UnreadStatement(error.reason, None, error.is_over_limit)])
    for tokens in statements:
        line = tokens[0].line
        try:
            tree = parse_statement(tokens, text, dialect)
        except NotParsed as error:
            unread.append(UnreadStatement(error.reason, line, error.is_over_limit))
        else:
            names.collect(normalize_identifiers(tree, dialect=dialect), line)
    if max(len(names.tables), len(names.columns)) > MAX_SQL_NAMES:
        unread.append(UnreadStatement(f"it has more than {MAX_SQL_NAMES:,} different names", None, is_over_limit=True))
        return StatementReferences(unread=unread)
    return StatementReferences([*names.tables.values()], [*names.columns.values()], unread)


_cached = lru_cache(maxsize=64)(_references_in)


@dataclass(slots=True)
class _Select:
    """A `SELECT` around the place: names that it gives to results, and whether the place is in its list of results."""

    aliases: frozenset[str]
    in_results: bool = False


class _Collector:
    """Collects the first reference to each name in statements."""

    def __init__(self) -> None:
        self._line = 0
        """Of the statement, for a name whose own line is not known."""
        self.tables: dict[Parts, TableReference] = {}
        self.columns: dict[tuple[Parts | None, str], ColumnReference] = {}
        self._defined: Counter[str] = Counter()
        """How many visible common table expressions have each name."""
        self._selects: list[_Select] = []
        self._only: list[Parts | None] = []
        """Of each query around the place the table that it selects from, if there is only one."""
        self._sources: defaultdict[str, list[Parts | None]] = defaultdict(list)
        """By alias, the sources of the queries around the place, the nearest last; `None` for other than tables."""
        self._changed: list[Parts | None] = []
        """The table of each `CREATE` and `ALTER` around the place."""

    def collect(self, statement: exp.Expr, line: int) -> None:
        """Collect the names of a statement that begins on a line."""
        self._line = line
        steps: list[_Step] = [statement]
        while steps:
            step = steps.pop()
            if isinstance(step, exp.Expr):
                self._see(step)
                steps += reversed([*self._into(step)])
            else:
                step()

    def _see(self, node: exp.Expr) -> None:
        if isinstance(node, exp.Table) and self._is_relation(node):
            parts = _parts(node)
            self.tables.setdefault(parts, TableReference(parts, self._line_of(node.this)))
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
        if isinstance(parent, exp.UserDefinedFunction):
            return False
        if isinstance(parent, exp.Create | exp.Drop) and str(parent.args.get("kind", "")).upper() not in _RELATIONS:
            return False
        return bool(table.db) or self._defined[table.name] <= 0

    def _line_of(self, node: exp.Expr) -> int:
        line: int = node.meta.get("line", self._line)
        return line


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

"""What the definition of a view says for certain: its tables, the columns that it passes on, and its joins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from tribal.sql.case_labels import label_cases
from tribal.sql.parsing import MappingSchema, NotParsed, SqlglotError, conjuncts_of, exp, parse_query, qualify
from tribal.sql.references import MAX_VIEW_CHARS, ColumnName, TableName, ViewJoin, ViewLineage
from tribal_contracts import DatabaseType

_NOTHING = ViewLineage()
_ANY_TYPE = "VARIANT"
_OTHER_LITERALS = (exp.RawString, exp.National, exp.HexString, exp.ByteString, exp.BitString, exp.UnicodeString)


@dataclass(eq=False, slots=True)
class _Source:
    """Something a query selects from: a table, or anything else as `None`."""

    alias: str
    table: TableName | None


@dataclass(eq=False, slots=True)
class _Scope:
    """The sources of a query, and of the queries around it."""

    outer: _Scope | None
    sources: list[_Source] = field(default_factory=list)

    def find(self, alias: str) -> _Source | None:
        """The one source of that name in the nearest query that has any."""
        scope: _Scope | None = self
        while scope is not None:
            if found := [each for each in scope.sources if each.alias == alias]:
                return found[0] if len(found) == 1 else None
            scope = scope.outer
        return None


Equality = tuple[_Source, str, _Source, str]
"""Two columns, each of a source."""


@lru_cache(maxsize=256)
def view_lineage(query: str, dialect: DatabaseType) -> ViewLineage:
    """Read the query of a view; nothing for a text that is over a limit, cannot be parsed or is not a query.

    Tables are those named with their schemas: other names may be those of common table expressions.

    Args:
        query: as PostgreSQL prints it, or as `ViewQueries` rewrote it for Snowflake.
        dialect: of the query.
    """
    if len(query) > MAX_VIEW_CHARS:
        return _NOTHING
    try:
        tree = parse_query(query, dialect)
    except NotParsed:
        return _NOTHING
    if not isinstance(tree, exp.Query):
        return _NOTHING
    scopes: dict[int, _Scope] = {}
    equalities = list(_equalities(tree, scopes))
    joins = tuple(_joins(equalities))
    if not isinstance(tree, exp.Select) or not _is_plain(tree):
        return ViewLineage(joins=joins)
    sources = [each for scope in scopes.values() for each in scope.sources]
    tables = tuple(dict.fromkeys(each.table for each in sources if each.table is not None))
    return ViewLineage(tables, dict(_passed_on(tree, scopes[id(tree)])), joins)


def _is_plain(query: exp.Select) -> bool:
    """Whether each row of a query comes from rows of its sources: it combines no other queries, and has no DISTINCT."""
    if query.args.get("distinct") or query.find(exp.With, exp.SetOperation):
        return False
    return not any(part.find(exp.Select) for part in query.iter_expressions() if part.arg_key != "expressions")


def _passed_on(query: exp.Select, scope: _Scope) -> Iterator[tuple[str, ColumnName]]:
    """The output columns that are columns of a table, unchanged."""
    group = query.args.get("group")
    if group is not None and (group.args.get("totals") or group.find(exp.GroupingSets, exp.Cube, exp.Rollup)):
        # In rows of totals, grouped columns are NULL.
        return
    for output in query.expressions:
        column = output.this if isinstance(output, exp.Alias) else output
        if not isinstance(column, exp.Column) or not isinstance(column.this, exp.Identifier) or column.db:
            continue
        source = scope.find(column.table) if column.table else scope.sources[0] if len(scope.sources) == 1 else None
        if source is not None and source.table is not None:
            yield output.alias_or_name, (*source.table, column.name)


def _joins(equalities: Iterable[Equality]) -> Iterator[ViewJoin]:
    """All equalities between two tables together, however often the view names each table."""
    found: dict[tuple[_Source, _Source], set[tuple[str, str]]] = {}
    for one, own, other, theirs in equalities:
        if (one.alias, own) > (other.alias, theirs):
            one, own, other, theirs = other, theirs, one, own
        found.setdefault((one, other), set()).add((own, theirs))
    for (one, other), columns in found.items():
        if one.table is not None and other.table is not None and one is not other:
            yield ViewJoin(one.table, other.table, frozenset(columns))


def _equalities(tree: exp.Expr, scopes: dict[int, _Scope]) -> Iterator[Equality]:
    """The columns that must be equal for a row to be in the result of any query in a tree.

    Args:
        tree: a query.
        scopes: receives the scope of each SELECT, by its id.
    """
    waiting: list[tuple[exp.Expr, _Scope | None]] = [(tree, None)]
    while waiting:
        node, scope = waiting.pop()
        if isinstance(node, exp.Select):
            scope = scopes[id(node)] = _Scope(scope)
            conditions = [node.args["where"].this] if node.args.get("where") else []
            if from_ := node.args.get("from_"):
                yield from _sources(from_.this, node.args.get("joins") or (), scope, conditions)
            for condition in conditions:
                yield from _compared(condition, scope)
        waiting += [(child, scope) for child in node.iter_expressions(reverse=True)]


def _sources(
    first: exp.Expr, joins: Iterable[exp.Expr], scope: _Scope, conditions: list[exp.Expr]
) -> Iterator[Equality]:
    """Add a source and what is joined to it to the scope, collect conditions, and yield what USING equates."""
    start = len(scope.sources)
    if not isinstance(first, exp.Subquery) or isinstance(first.this, exp.Select | exp.SetOperation):
        scope.sources.append(_Source(first.alias_or_name, _table(first)))
    else:
        # Parentheses around joins, which may have an alias of their own.
        yield from _sources(first.this, (), scope, conditions)
        if first.alias:
            scope.sources.append(_Source(first.alias, None))
    for join in (*(first.args.get("joins") or ()), *joins):
        middle = len(scope.sources)
        if not any(join.args.get(key) for key in ("on", "using", "kind", "side", "method")):
            # A comma, which binds less tightly than JOIN.
            start = middle
        yield from _sources(join.this, (), scope, conditions)
        conditions += [join.args["on"]] if join.args.get("on") else []
        left, right = scope.sources[start:middle], scope.sources[middle:]
        # Of several sources, any may have the column.
        if len(left) == len(right) == 1:
            for column in join.args.get("using") or ():
                yield left[0], column.name, right[0], column.name


def _table(source: exp.Expr) -> TableName | None:
    """The table that is named, if it is one and named with its schema alone."""
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    return (source.db, source.name) if source.db and not source.catalog else None


def _compared(condition: exp.Expr, scope: _Scope) -> Iterator[Equality]:
    """The columns that a condition equates whatever else it says: both sides of AND, neither of OR and NOT."""
    for node in conjuncts_of(condition):
        if isinstance(node, exp.EQ):
            one, other = _column(node.this, scope), _column(node.expression, scope)
            if one is not None and other is not None:
                yield (*one, *other)


def _column(node: exp.Expr, scope: _Scope) -> tuple[_Source, str] | None:
    """A column with its source, with or without casts and parentheses."""
    while isinstance(node, exp.Paren | exp.Cast):
        node = node.this
    if not isinstance(node, exp.Column) or not node.table or node.db:
        return None
    source = scope.find(node.table)
    return None if source is None else (source, node.name)


class ViewQueries:
    """Reads the views of one database.

    Args:
        database: its name on the server.
        columns: the columns of every table of the database.
    """

    def __init__(self, database: str, columns: Mapping[TableName, Sequence[str]]) -> None:
        self._database = database
        schemas: dict[str, dict[str, dict[str, str]]] = {}
        for (schema, table), names in columns.items():
            tables = schemas.setdefault(_quoted(schema), {})
            tables[_quoted(table)] = {_quoted(name): _ANY_TYPE for name in names}
        self._known = MappingSchema({_quoted(database): schemas}, dialect="snowflake")

    def read(self, text: str, schema: str) -> str | None:
        """The query of a `CREATE VIEW` with every name as it is stored, qualified and quoted.

        Each output is named as the column of the view, and `*` is resolved. Of all values, only those that
        a CASE labels stay, with their labels. Tables of the database are written as `"SCHEMA"."TABLE"`; a table of
        another database is replaced by a subquery without columns of tables.

        Args:
            text: the statement.
            schema: of the view, in which names without a schema are looked up.

        Returns:
            `None` for a text that cannot be parsed with certainty.
        """
        if len(text) > MAX_VIEW_CHARS:
            return None
        try:
            statement = parse_query(text, "snowflake")
            if not isinstance(statement, exp.Create) or not isinstance(statement.expression, exp.Query):
                return None
            query = qualify(
                statement.expression,
                dialect="snowflake",
                catalog=_quoted(self._database),
                db=_quoted(schema),
                schema=self._known,
                validate_qualify_columns=False,
                quote_identifiers=True,
            )
            _name_outputs(query, _listed(statement))
            return _stored(query, self._database).sql("snowflake", comments=False)
        except (NotParsed, SqlglotError, RecursionError, ValueError):
            return None


def _quoted(name: str) -> str:
    return exp.to_identifier(name, quoted=True).sql("snowflake")


def _listed(statement: exp.Create) -> list[exp.Identifier]:
    """The names that the statement itself gives to the columns."""
    if not isinstance(statement.this, exp.Schema):
        return []
    found = [column.this if isinstance(column, exp.ColumnDef) else column for column in statement.this.expressions]
    return [name for name in found if isinstance(name, exp.Identifier)]


def _name_outputs(query: exp.Query, names: Sequence[exp.Identifier]) -> None:
    if not names:
        return
    if not isinstance(query, exp.Select) or len(names) != len(query.selects):
        raise ValueError("the columns of the view are not those of its query")
    outputs = []
    for name, output in zip(names, query.selects, strict=True):
        stored = name.this if name.quoted else name.this.upper()
        outputs.append(exp.alias_(output.unalias(), exp.to_identifier(stored, quoted=True)))
    query.set("expressions", outputs)


def _stored(query: exp.Query, database: str) -> exp.Query:
    """The query without values, except those that a CASE labels, and without names of databases."""
    labelled = {id(each) for case in label_cases(query) for pair in case.values for each in (pair.value, pair.label)}
    for literal in list(query.find_all(exp.Literal, *_OTHER_LITERALS)):
        if id(literal) in labelled:
            continue
        is_number = isinstance(literal, exp.Literal) and not literal.is_string
        literal.replace(exp.Literal.number(0) if is_number else exp.Literal.string(""))
    for table in list(query.find_all(exp.Table)):
        if table.catalog == database:
            table.set("catalog", None)
        elif table.catalog:
            nothing = exp.select(exp.null()).subquery(table.alias_or_name)
            table.replace(nothing)
    return query

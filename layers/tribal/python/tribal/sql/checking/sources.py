"""Reads what a query selects from: tables, joins, subqueries and functions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from tribal.sql.checking.known import KnownTable, KnownTables
from tribal.sql.checking.language.functions import function_relation
from tribal.sql.checking.language.widths import columns_of_values
from tribal.sql.checking.names import Names, nearest, offset_of, written
from tribal.sql.checking.relations import Column, Item, Level, Relation, Use
from tribal.sql.checking.safety.system_tables import is_harmless_catalog
from tribal.sql.parsing import exp
from tribal.sql.qualifiers import SYSTEM_SCHEMAS
from tribal.sql.references import TableName
from tribal.sql.statements.templates import PLACEHOLDER

_ANY_COLUMNS = (exp.Pivot, exp.MatchRecognize)


@dataclass(frozen=True, slots=True)
class Around:
    """What a query can name besides its own tables.

    Attributes:
        level: of the query around it.
        ctes: common table expressions.
    """

    level: Level | None = None
    ctes: Mapping[str, Relation] = field(default_factory=dict)


@dataclass(slots=True)
class Joined:
    """What the joins of a query say.

    Attributes:
        conditions: what follows ON.
        merged: pairs of columns that USING and NATURAL equate.
    """

    conditions: list[exp.Expr] = field(default_factory=list)
    merged: list[tuple[Use, Use]] = field(default_factory=list)


class Reader(Protocol):
    """Reads queries and expressions."""

    def query(self, node: exp.Expr, around: Around) -> Relation:
        """The result of a query."""
        ...

    def expressions(self, nodes: Iterable[exp.Expr], around: Around) -> None:
        """Resolve the names in expressions."""
        ...


class Sources:
    """Reads FROM.

    Args:
        names: resolves names.
        reader: reads subqueries and conditions.
        anywhere: whether names without a schema may be those of any schema.
    """

    def __init__(self, names: Names, reader: Reader, *, anywhere: bool = False) -> None:
        self._anywhere = anywhere
        self._names = names
        self._known: KnownTables = names.known
        self._reader = reader

    def read(self, select: exp.Select, around: Around) -> tuple[Item, Joined]:
        """All that a query selects from."""
        joined = Joined()
        from_ = select.args.get("from_")
        if from_ is None:
            return Item(), joined
        joins = [*(select.args.get("joins") or ()), *(select.args.get("laterals") or ())]
        return self._joins(from_.this, joins, Item(), around, joined), joined

    def named(self, nodes: Iterable[exp.Table]) -> Iterator[TableName]:
        """The documented tables that some names certainly mean, unless they are those of table expressions."""
        for node in nodes:
            schema = self._names.stored(node.args["db"]) if node.args.get("db") else None
            found = self._known.find(schema, self._names.stored(node.this), anywhere=self._anywhere)
            yield from found if len(found) == 1 else ()

    def _joins(self, first: exp.Expr, joins: Iterable[exp.Expr], left: Item, around: Around, joined: Joined) -> Item:
        """A source and what is joined to it; `left` is what LATERAL may name too."""
        before, current = Item(), self._source(first, left, around, joined)
        for join in (*(first.args.get("joins") or ()), *joins):
            if not isinstance(join, exp.Join):
                current = self._together(current, self._source(join, left.with_(before).with_(current), around, joined))
                continue
            is_comma = not any(join.args.get(key) for key in ("on", "using", "kind", "side", "method"))
            visible = left.with_(before).with_(current)
            other = self._source(join.this, visible, around, joined)
            if is_comma:
                before, current = self._together(before, current), other
            else:
                current = self._join(join, current, other, around, joined)
        return self._together(before, current)

    def _join(self, join: exp.Join, one: Item, other: Item, around: Around, joined: Joined) -> Item:
        if str(join.args.get("kind") or "").upper() == "CROSS":
            for relation in other.relations:
                relation.is_joined = True
        both = self._together(one, other)
        if str(join.args.get("method") or "").upper() == "NATURAL":
            theirs = {column.name for _, column in other.columns}
            shared = list(dict.fromkeys(column.name for _, column in one.columns if column.name in theirs))
            self._merge(both, [(name, None) for name in shared], one, other, joined)
        elif using := join.args.get("using"):
            named = [each.this if isinstance(each, exp.Column) else each for each in using]
            self._merge(both, [(self._names.stored(each), each) for each in named], one, other, joined)
        if (on := join.args.get("on")) is not None:
            self._reader.expressions([on], replace(around, level=Level(both, around.level)))
            joined.conditions.append(on)
        return both

    def _merge(
        self,
        both: Item,
        columns: Sequence[tuple[str, exp.Expr | None]],
        one: Item,
        other: Item,
        joined: Joined,
    ) -> None:
        """Let each of the columns be one in both sides of a join."""
        merged: list[Use] = []
        for name, node in columns:
            left, right = self._side(name, node, one), self._side(name, node, other)
            if left is None or right is None:
                continue
            joined.merged.append((left, right))
            merged.append(left)
            for _, column in (left, right):
                self._names.note(column)
        names = {name for name, _ in columns}
        both.columns = merged + [use for use in both.columns if use[1].name not in names]

    def _side(self, name: str, node: exp.Expr | None, side: Item) -> Use | None:
        """The column that USING names in one side of a join."""
        found = side.find(name)
        if len(found) == 1:
            return found[0]
        if node is not None and found:
            tables = " or ".join(relation.shown for relation, _ in found)
            self._names.notes.report(
                offset_of(node), "ambiguous_column", f"the column {node.name!r} may be that of {tables}"
            )
        elif node is not None and not side.is_open:
            meant = nearest(name, (column.name for _, column in side.columns))
            tables = " or ".join(relation.shown for relation in side.relations)
            self._names.notes.report(
                offset_of(node),
                "unknown_column",
                f"there is no column {self._written(name)} to join by in {tables}",
                self._written(meant) if meant else None,
            )
        return None

    def _together(self, one: Item, other: Item) -> Item:
        for relation in other.relations:
            if relation.alias and any(self._is_same_name(relation, each) for each in one.relations):
                self._names.notes.report(
                    relation.offset,
                    "ambiguous_column",
                    f"two tables are called {self._written(relation.alias)}; give one another alias",
                )
        return one.with_(other)

    def _is_same_name(self, one: Relation, other: Relation) -> bool:
        if one.alias != other.alias:
            return False
        # Two tables of that name in different schemas can be told apart.
        return one.schema is None or other.schema is None or one.schema == other.schema

    def _source(self, node: exp.Expr, left: Item, around: Around, joined: Joined) -> Item:
        if isinstance(node, exp.Subquery) and _holds_joins(node):
            return self._parenthesised(node, left, around, joined)
        lateral = replace(around, level=Level(left, around.level))
        if isinstance(node, exp.Lateral):
            inner = node.this
            if isinstance(inner, exp.Subquery):
                return self._derived(inner, node, lateral, is_joined=True)
            return self._function(inner, node, lateral)
        if isinstance(node, exp.Subquery):
            return self._derived(node, node, around)
        if isinstance(node, exp.Values):
            self._reader.expressions(node.expressions, lateral)
            return self._named(node, columns_of_values(node, self._names.notes))
        if isinstance(node, exp.Table) and isinstance(node.this, exp.Identifier):
            return Item.of(self._table(node, around))
        return self._function(node.this if isinstance(node, exp.Table) else node, node, lateral)

    def _parenthesised(self, node: exp.Subquery, left: Item, around: Around, joined: Joined) -> Item:
        """Joins in parentheses; an alias hides the names of their tables."""
        inside = self._joins(node.this, (), left, around, joined)
        alias = node.args.get("alias")
        if alias is None or not alias.this:
            return inside
        columns = [column for _, column in inside.columns]
        item = self._named(node, columns, is_open=inside.is_open)
        return Item(item.relations, item.columns, [*item.every, *inside.every])

    def _derived(self, query: exp.Subquery, node: exp.Expr, around: Around, *, is_joined: bool = False) -> Item:
        result = self._reader.query(query, around)
        item = self._named(node, result.columns, is_open=result.is_open, keys=result.keys)
        item.relations[0].is_joined = is_joined
        return item

    def _function(self, called: exp.Expr | None, node: exp.Expr, around: Around) -> Item:
        parts = [each for each in (called, *(node.args.get("rows_from") or ())) if isinstance(each, exp.Expr)]
        self._reader.expressions(parts, around)
        return Item.of(function_relation(called, node, self._names))

    def _table(self, node: exp.Table, around: Around) -> Relation:
        """A table that is named, or a common table expression."""
        name = self._names.stored(node.this)
        alias = node.args.get("alias")
        schema = self._names.stored(node.args["db"]) if node.args.get("db") else None
        if schema is None and name in around.ctes:
            cte = around.ctes[name]
            relation = self._relation(node, name, cte.columns, is_open=cte.is_open, keys=cte.keys)
        elif (known := self._find(node, schema, name)) is None:
            relation = self._relation(node, name, (), is_open=True)
        else:
            self._names.notes.tables[known.name] = None
            columns = [Column(each.name, (known, each)) for each in known.columns]
            relation = self._relation(node, name, columns, keys=known.keys)
            relation.table = known
            relation.has_system_columns = known.is_stored and self._known.dialect == "postgres"
            relation.schema = known.schema if alias is None or not alias.this else None
        sample = node.args.get("sample")
        self._reader.expressions([sample] if sample is not None else [], around)
        return self._pivoted(node, relation)

    def _pivoted(self, node: exp.Expr, relation: Relation) -> Relation:
        if node.args.get("pivots") or node.find(*_ANY_COLUMNS):
            self._names.notes.not_checked[f"the columns that PIVOT or MATCH_RECOGNIZE makes of {relation.shown}"] = None
            relation.is_open = True
        return relation

    def _find(self, node: exp.Table, schema: str | None, name: str) -> KnownTable | None:
        """The table of that name; `None` if it is not known, with a finding where it should be."""
        if any(PLACEHOLDER.search(part) for part in (name, schema or "", node.catalog)):
            return None
        is_system = (schema or "").casefold() in SYSTEM_SCHEMAS or node.catalog.upper() == "SNOWFLAKE"
        if is_system or (schema is None and self._known.dialect == "postgres" and name.startswith("pg_")):
            self._system_table(node, schema, name)
            return None
        catalog = self._names.stored(node.args["catalog"]) if node.args.get("catalog") else None
        databases = {each.casefold() for each in self._known.database}
        is_elsewhere = catalog is not None and bool(databases) and catalog.casefold() not in databases
        found = [] if is_elsewhere else self._known.find(schema, name, anywhere=self._anywhere)
        if not found and not is_elsewhere:
            found = self._of_partition(schema, name)
        if len(found) == 1:
            table = self._known.table(found[0])
            if table is None:
                self._names.notes.not_checked[f"the columns of {'.'.join(found[0])}: its documentation is missing"] = (
                    None
                )
            return table
        self._report_table(node, [part for part in (catalog, schema, name) if part is not None], found)
        return None

    def _of_partition(self, schema: str | None, name: str) -> list[TableName]:
        """The table that a partition of that name is documented with."""
        partition = self._known.partition_of(schema, name, anywhere=self._anywhere)
        if partition is None:
            return []
        parent = self._known.partition_parents[partition]
        self._names.notes.partitions[partition, parent] = None
        return [parent]

    def _system_table(self, node: exp.Table, schema: str | None, name: str) -> None:
        notes, shown = self._names.notes, ".".join(filter(None, (schema, name)))
        if is_harmless_catalog(self._known.dialect, node.catalog, schema, name):
            notes.not_checked[f"the columns of the system table {shown}"] = None
        else:
            why = f"{shown} is not among the system tables that describe tables: it may hold secrets or values"
            notes.report(offset_of(node), "unsafe_sql", why)

    def _report_table(self, node: exp.Table, parts: Sequence[str], found: Sequence[TableName]) -> None:
        notes, shown = self._names.notes, written(parts, self._known.dialect)
        at = offset_of(node.args.get("catalog") or node.args.get("db") or node.this)
        if found:
            names = sorted(written(each, self._known.dialect) for each in found)
            message = f"{shown} may be any of {len(found)} tables; name its schema"
            notes.report(at, "unknown_table", message, names[0])
            return
        schema = parts[-2] if len(parts) > 1 else None
        meant = next(iter(sorted(self._known.alike(schema, parts[-1]), key=lambda each: each[1] != parts[-1])), None)
        if meant is None:
            table = nearest(parts[-1], (each[1] for each in self._known.names if schema in (None, each[0])))
            meant = next((each for each in self._known.names if each[1] == table and schema in (None, each[0])), None)
        suggestion = None
        if meant is not None:
            in_path = schema is None and self._known.find(None, meant[1]) == [meant]
            suggestion = written(meant[1:] if in_path else meant, self._known.dialect)
        notes.report(at, "unknown_table", f"there is no table {shown} in the documentation", suggestion)

    def _named(
        self,
        node: exp.Expr,
        columns: Sequence[Column],
        *,
        is_open: bool = False,
        keys: Sequence[frozenset[str]] = (),
    ) -> Item:
        return Item.of(self._pivoted(node, self._relation(node, "", columns, is_open=is_open, keys=keys)))

    def _relation(
        self,
        node: exp.Expr,
        name: str,
        columns: Sequence[Column],
        *,
        is_open: bool = False,
        keys: Sequence[frozenset[str]] = (),
    ) -> Relation:
        """A relation with the names that its alias gives."""
        alias = node.args.get("alias")
        name = self._names.stored(alias.this) if alias is not None and alias.this else name
        listed = [self._names.stored(each) for each in alias.columns] if alias is not None else []
        renamed = [
            old.renamed(new or old.name) for old, new in zip(columns, _padded(listed, len(columns)), strict=True)
        ]
        if len(listed) > len(columns):
            if not is_open:
                message = f"{self._written(name)} has {len(columns)} columns, but its alias names {len(listed)}"
                self._names.notes.report(offset_of(node), "unknown_column", message)
            renamed += [Column(each) for each in listed[len(columns) :]]
        new_names = {old.name: new.name for old, new in zip(columns, renamed, strict=False)}
        keys = [frozenset(new_names.get(each, each) for each in key) for key in keys]
        return Relation(name, renamed, is_open, keys, offset=offset_of(node))

    def _written(self, name: str) -> str:
        return written([name], self._known.dialect)


def _holds_joins(node: exp.Subquery) -> bool:
    """Whether parentheses hold tables rather than a query."""
    inner = node.this
    if isinstance(inner, exp.Subquery):
        return bool(inner.args.get("alias") or inner.args.get("joins")) or _holds_joins(inner)
    return not isinstance(inner, exp.Query | exp.Values)


def _padded(names: Sequence[str], length: int) -> Iterator[str | None]:
    for number in range(length):
        yield names[number] if number < len(names) else None

"""Reads queries: their parts in order, with the names that each part can see."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from tribal.sql.checking.clauses.ordering import Ordering, check_order_of_set
from tribal.sql.checking.clauses.placement import Placement
from tribal.sql.checking.findings import Notes
from tribal.sql.checking.grouping import Grouping, grouped
from tribal.sql.checking.join_keys import JoinKeys
from tribal.sql.checking.known import KnownTables
from tribal.sql.checking.language.families import Types
from tribal.sql.checking.language.widths import COMPARISONS, check_rows, check_width, columns_of_values
from tribal.sql.checking.names import Names, nearest, offset_of, written
from tribal.sql.checking.outputs import UNNAMED, output_name
from tribal.sql.checking.relations import Column, Item, Level, Relation, Use
from tribal.sql.checking.repetition import Repetition
from tribal.sql.checking.selection import Selection
from tribal.sql.checking.sources import Around, Joined, Sources
from tribal.sql.parsing import exp


@dataclass(slots=True)
class _Outputs:
    """The result of a SELECT: its columns, what each comes from, and the aliases by name.

    Attributes:
        is_open: there may be more columns.
    """

    columns: list[Column] = field(default_factory=list)
    sources: list[exp.Expr | Use] = field(default_factory=list)
    aliases: dict[str, list[exp.Expr]] = field(default_factory=dict)
    is_open: bool = False

    def add(self, column: Column, source: exp.Expr | Use) -> None:
        self.columns.append(column)
        self.sources.append(source)
        self.aliases.setdefault(column.name, []).append(source if isinstance(source, exp.Expr) else exp.Null())


class Queries:
    """Reads a query and all queries in it.

    Args:
        known: the tables that it may name.
        notes: receives what is found.
        is_template: whether names without a schema are those of dbt, which any schema may have.
    """

    def __init__(self, known: KnownTables, notes: Notes, *, is_template: bool = False) -> None:
        self.names = Names(known, notes)
        self._dialect = known.dialect
        self._notes = notes
        self.sources = Sources(self.names, self, anywhere=is_template)
        self._results: dict[int, Relation] = {}
        self._grouping = Grouping(self.names)
        self._join_keys = JoinKeys(known, self.names, self._results)
        self._repetition = Repetition(self.names)
        self._placement = Placement(self.names)
        self._ordering = Ordering(self.names, self._grouping)
        self.types = Types(self.names, self._results)

    def query(self, node: exp.Expr, around: Around) -> Relation:
        """The result of a query; each is read once."""
        if id(node) in self._results:
            return self._results[id(node)]
        around = self._with_ctes(node, around)
        if isinstance(node, exp.Subquery):
            result = self.query(node.this, around)
            # In parentheses, a query is ordered by what it selects from, too.
            self._order(node, replace(result, is_open=True), around)
        elif isinstance(node, exp.SetOperation):
            result = self._set_operation(node, around)
        elif isinstance(node, exp.Select):
            result = self._select(node, around)
        elif isinstance(node, exp.Values):
            self.expressions(node.expressions, around)
            result = Relation("", columns_of_values(node, self._notes))
        else:
            # It changes data, which is reported as unsafe.
            result = Relation("", (), is_open=True)
        self._results[id(node)] = result
        return result

    def expressions(self, nodes: Iterable[exp.Expr], around: Around) -> None:
        """Resolve the names in expressions, and read the queries in them."""
        waiting = list(nodes)
        while waiting:
            node = waiting.pop()
            if isinstance(node, exp.Query | exp.Values):
                check_width(node, self.query(node, around), self._notes)
            elif isinstance(node, exp.Column):
                self.names.resolve(node, around.level)
            elif isinstance(node, exp.Dot) and isinstance(node.expression, exp.Func):
                # A function with its schema.
                waiting.append(node.expression)
            elif isinstance(node, exp.Dot) and self.names.is_field(node, around.level):
                continue
            elif not isinstance(node, exp.DataType | exp.Lambda):
                if isinstance(node, (*COMPARISONS, exp.In)):
                    check_rows(node, self._notes)
                waiting += node.iter_expressions()

    def _with_ctes(self, node: exp.Expr, around: Around) -> Around:
        with_ = node.args.get("with_")
        if with_ is None:
            return around
        ctes = dict(around.ctes)
        listed = {self.names.stored(each.args["alias"].this): each for each in with_.expressions}
        if len(listed) < len(with_.expressions):
            self._notes.report(offset_of(with_), "parse_error", "WITH gives the same name to several queries")
        if with_.args.get("recursive"):
            ctes |= dict.fromkeys(listed, Relation("", (), is_open=True))
        for name, cte in listed.items():
            query = cte.this
            if with_.args.get("recursive") and isinstance(query, exp.SetOperation) and not query.args.get("with_"):
                # The first part gives the columns that the second one may name.
                first = self.query(query.this, replace(around, ctes=ctes))
                ctes[name] = self._cte(cte, replace(first, keys=()))
            ctes[name] = self._tracked(cte, self._cte(cte, self.query(query, replace(around, ctes=ctes))))
        return replace(around, ctes=ctes)

    def _tracked(self, cte: exp.Expr, result: Relation) -> Relation:
        """The result with the columns that SEARCH and CYCLE add."""
        tracking = self._notes.tracking.get(cte.args["alias"].this.meta.get("start", -1))
        if tracking is None:
            return result
        for token in tracking.by:
            if not result.is_open and not result.find(self.names.stored_token(token)):
                message = f"SEARCH and CYCLE name columns of the query: there is no {token.text}"
                self._notes.report(int(token.start), "unknown_column", message)
        added = [Column(self.names.stored_token(token)) for token in tracking.added]
        return replace(result, columns=[*result.columns, *added])

    def _cte(self, cte: exp.Expr, result: Relation) -> Relation:
        listed = [self.names.stored(each) for each in cte.args["alias"].columns]
        columns = [
            column.renamed(listed[place] if place < len(listed) else column.name)
            for place, column in enumerate(result.columns)
        ]
        if len(listed) > len(columns) and not result.is_open:
            name = written([self.names.stored(cte.args["alias"].this)], self._dialect)
            message = f"{name} has {len(columns)} columns, but WITH names {len(listed)} of them"
            self._notes.report(offset_of(cte.args["alias"]), "parse_error", message)
        columns += [Column(each) for each in listed[len(columns) :]]
        renamed = {old.name: new.name for old, new in zip(result.columns, columns, strict=False)}
        keys = [frozenset(renamed.get(each, each) for each in key) for key in result.keys]
        return Relation("", columns, result.is_open and len(listed) < len(columns) + 1, keys)

    def _set_operation(self, node: exp.SetOperation, around: Around) -> Relation:
        one, other = self.query(node.this, around), self.query(node.expression, around)
        is_open = one.is_open or other.is_open
        if not is_open and len(one.columns) != len(other.columns):
            self._notes.report(
                offset_of(node.expression),
                "parse_error",
                f"both sides of {node.key.upper()} must have the same number of columns,"
                f" but have {len(one.columns)} and {len(other.columns)}",
            )
        elif self._dialect == "postgres":
            self.types.check_union(node, one, other)
        theirs = [*other.columns, *[None] * len(one.columns)]
        columns = [
            Column(
                mine.name, mine.origin if their and mine.origin == their.origin else None, self.types.family_of(mine)
            )
            for mine, their in zip(one.columns, theirs, strict=False)
        ]
        result = Relation("", columns, is_open)
        self._order(node, result, around)
        check_order_of_set(node, self._notes)
        return result

    def _order(self, node: exp.Expr, result: Relation, around: Around) -> None:
        """Resolve what a set operation, or a query in parentheses, is ordered by: its own columns."""
        level = Level(Item.of(result), around.level)
        order = node.args.get("order")
        self.expressions([order] if order is not None else [], replace(around, level=level))
        self._limits(node, around)

    def _limits(self, node: exp.Expr, around: Around) -> None:
        self.expressions([node.args[key] for key in ("limit", "offset") if node.args.get(key) is not None], around)

    def _select(self, node: exp.Select, around: Around) -> Relation:
        item, joined = self.sources.read(node, around)
        level = Level(item, around.level)
        if self._dialect == "snowflake":
            level.outputs = frozenset(self.names.stored(each.args["alias"]) for each in node.selects if each.alias)
        inside = replace(around, level=level)
        outputs = self._read_outputs(node, level, inside)
        for key in ("where", "having", "qualify", "windows", "connect", "prewhere"):
            part = node.args.get(key)
            self.expressions(part if isinstance(part, list) else [part] if part is not None else [], inside)
        self._read_groups(node, outputs, inside)
        self._read_order(node, outputs, inside)
        self._limits(node, around)
        self._read_locks(node, item)
        return self._judge(node, item, joined, outputs)

    def _judge(self, node: exp.Select, item: Item, joined: Joined, outputs: _Outputs) -> Relation:
        """The result, after what its joins and aggregates mean for each other was checked."""
        selection = Selection.of(node, item, joined, self.names)
        self._grouping.check(selection)
        if self._dialect == "postgres":
            self._placement.check(selection, joined)
            self._ordering.check(selection)
        self._join_keys.check(selection)
        self._repetition.check(selection)
        result = Relation("", outputs.columns, outputs.is_open)
        result.keys = self._repetition.keys_of(selection, result)
        self._repetition.mark(selection, result, outputs.sources)
        return result

    def _read_outputs(self, node: exp.Select, level: Level, inside: Around) -> _Outputs:
        outputs = _Outputs()
        for each in node.expressions:
            if isinstance(each, exp.Star) or (isinstance(each, exp.Column) and isinstance(each.this, exp.Star)):
                self._expand(each, level, outputs)
                continue
            self.expressions([each], inside)
            value = each.this if isinstance(each, exp.Alias) else each
            name = self.names.stored(each.args["alias"]) if each.alias else self._own_name(value)
            use = self.names.uses.get(id(value.unnest()))
            outputs.is_open = outputs.is_open or name is None
            column = Column(name or UNNAMED, use[1].origin if use is not None else None, self.types.infer(value))
            outputs.add(column, value)
        return outputs

    def _own_name(self, node: exp.Expr) -> str | None:
        if isinstance(node, exp.Column) and isinstance(node.this, exp.Identifier):
            return self.names.stored(node.this)
        name = output_name(node, self._notes.text)
        return name if self._dialect == "postgres" and name is not None else None

    def _expand(self, node: exp.Expr, level: Level, outputs: _Outputs) -> None:
        """Add the columns that `*` or `t.*` means."""
        star = node if isinstance(node, exp.Star) else node.this
        if isinstance(node, exp.Column):
            relation = self.names.relation(node, level)
            uses = [(relation, column) for column in relation.columns] if relation is not None else []
            outputs.is_open = outputs.is_open or relation is None or relation.is_open
        else:
            uses = level.item.columns
            outputs.is_open = outputs.is_open or level.item.is_open
        listed = star.args.get("except_") or star.args.get("except") or ()
        left_out = {self.names.stored(each) for each in listed}
        outputs.is_open = outputs.is_open or bool(star.args.get("rename") or star.args.get("replace"))
        for relation, column in uses:
            if column.name not in left_out:
                outputs.add(Column(column.name, column.origin, column.family), (relation, column))
                self.names.note(column)

    def _read_groups(self, node: exp.Select, outputs: _Outputs, inside: Around) -> None:
        for each in grouped(node):
            column = each if isinstance(each, exp.Column) and not each.table else None
            is_input = column is not None and inside.level is not None and inside.level.item.find(self._name(column))
            if not self._is_position(each, outputs) and (is_input or not self._is_alias(column, outputs)):
                self.expressions([each], inside)

    def _read_order(self, node: exp.Select, outputs: _Outputs, inside: Around) -> None:
        distinct, order = node.args.get("distinct"), node.args.get("order")
        on = distinct.args.get("on") if distinct is not None else None
        listed = [*(on.expressions if isinstance(on, exp.Tuple) else [on] if on is not None else [])]
        listed += [each.this for each in order.expressions] if order is not None else []
        for each in listed:
            each = each.unnest()
            column = each if isinstance(each, exp.Column) and not each.table else None
            if not self._is_position(each, outputs) and not self._is_alias(column, outputs, is_order=True):
                self.expressions([each], inside)

    def _is_position(self, node: exp.Expr, outputs: _Outputs) -> bool:
        """Whether a part of GROUP BY or ORDER BY is the number of an output."""
        if not isinstance(node, exp.Literal) or node.is_string:
            return False
        number = node.name
        if not outputs.is_open and number.isdecimal() and not 1 <= int(number[:9]) <= len(outputs.columns):
            self._notes.report(offset_of(node), "unknown_column", f"there is no output {number[:9]}")
        return True

    def _is_alias(self, column: exp.Column | None, outputs: _Outputs, *, is_order: bool = False) -> bool:
        if column is None or not isinstance(column.this, exp.Identifier):
            return False
        name = self._name(column)
        values = outputs.aliases.get(name, [])
        if is_order and len(set(values)) > 1 and not outputs.is_open:
            self._notes.report(
                offset_of(column),
                "ambiguous_column",
                f"several outputs are called {written([name], self._dialect)}; give them different aliases",
            )
        return bool(values)

    def _name(self, column: exp.Column) -> str:
        return self.names.stored(column.this)

    def _read_locks(self, node: exp.Select, item: Item) -> None:
        aliases = [relation.alias for relation in item.relations]
        for lock in node.args.get("locks") or ():
            for table in lock.expressions:
                if (name := self.names.stored(table.this)) not in aliases:
                    message = f"{written([name], self._dialect)} is not among the tables of this query"
                    self._notes.report(offset_of(table), "unknown_table", message, nearest(name, aliases))

"""SELECT from one table or view: parsed by sqlglot, judged and evaluated here.

https://docs.snowflake.com/en/sql-reference/constructs/sample : SEED works with SYSTEM and BERNOULLI, and neither on
fixed-size samples nor on views; the number of that error is assumed.
"""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.fakes.snowflake.catalog import Column, Relation
from tests.fakes.snowflake.definitions import folded, path_of
from tests.fakes.snowflake.dictionaries import Dictionary, dictionary
from tests.fakes.snowflake.errors import SqlError, missing, syntax_error, too_much_data, unsupported
from tests.fakes.snowflake.expressions import Compiled, Compiler, field, told
from tests.fakes.snowflake.formats import Formats
from tests.fakes.snowflake.names import Path, written
from tests.fakes.snowflake.results import Field, Result
from tests.fakes.snowflake.showing import ToolClient

VERSION = "9.36.1"
MASKED = "**********"

_CONTEXT: dict[type[exp.Expr], tuple[str, Callable[[ToolClient], str | None]]] = {
    exp.CurrentVersion: ("CURRENT_VERSION()", lambda _: VERSION),
    exp.CurrentUser: ("CURRENT_USER()", lambda asker: asker.user),
    exp.CurrentRole: ("CURRENT_ROLE()", lambda asker: asker.role),
    exp.CurrentWarehouse: ("CURRENT_WAREHOUSE()", lambda asker: asker.warehouse),
    exp.CurrentDatabase: ("CURRENT_DATABASE()", lambda asker: asker.database),
}
_CLAUSES = {"expressions", "from_", "where", "order", "limit", "kind"}


class Plan:
    """A parsed SELECT of at most one table.

    Raises:
        SqlError: it is not in the grammar, or uses clauses that no statement of the reader has.
    """

    def __init__(self, sql: str, bindings: list[str | None]) -> None:
        try:
            parsed = sqlglot.parse(sql, dialect="snowflake")
        except SqlglotError as error:
            raise syntax_error(0, str(error).splitlines()[0]) from error
        if len(parsed) != 1:
            text = f"Actual statement count {len(parsed)} did not match the desired statement count 1."
            raise SqlError("000008", "0A000", text)
        tree = parsed[0]
        if not isinstance(tree, exp.Select):
            raise syntax_error(0, sql.split()[0])
        for clause, found in tree.args.items():
            if found and clause not in _CLAUSES:
                raise syntax_error(0, clause.upper())
        self.tree = tree
        self.bindings = bindings

    @property
    def table(self) -> exp.Table | None:
        """Where rows come from."""
        source = self.tree.args.get("from_")
        if source is None:
            return None
        if not isinstance(source.this, exp.Table) or len(source.this.parts) != 3:
            raise syntax_error(0, source.this.sql("snowflake"))
        return source.this

    @property
    def needs_warehouse(self) -> bool:
        """Context functions alone need none."""
        return self.tree.args.get("from_") is not None


@dataclass
class _Source:
    """Rows, and how columns are got out of one."""

    columns: Mapping[str, Compiled]
    rows: Callable[[], Iterator[Any]]
    most: int | None = None


class Select:
    """One run of a plan."""

    def __init__(self, plan: Plan, asker: ToolClient, parameters: Mapping[str, Any]) -> None:
        self._tree = plan.tree
        self._table = plan.table
        self._bindings = plan.bindings
        self._asker = asker
        self._formats = Formats(parameters)

    def result(self) -> Result:
        """The rows."""
        if self._table is None:
            return self._context()
        source = self._source(self._table)
        compiler = Compiler(source.columns, self._formats, list(self._bindings), self._asker.sight.account.now())
        outputs = self._outputs(source)
        compiled = [compiler.compile(each) for each in outputs]
        names = [_name(each) for each in outputs]
        order = self._order(compiler, compiled)
        rows = list(self._filtered(compiler, source))
        if source.most is not None and len(rows) > source.most:
            raise too_much_data()
        for get, backwards in reversed(order):
            # Nulls are greater than all else: https://docs.snowflake.com/en/sql-reference/constructs/order-by
            rows.sort(key=partial(_sort_key, get), reverse=backwards)
        limit = self._tree.args.get("limit")
        most = None if limit is None else compiler.compile(limit.expression).get(())
        fields = [field(name, each.type) for name, each in zip(names, compiled, strict=True)]
        return Result(fields, [[told(each.get(row), each.type) for each in compiled] for row in rows[:most]])

    def _context(self) -> Result:
        found = [_CONTEXT.get(type(each)) for each in self._tree.expressions]
        if None in found:
            at = found.index(None)
            raise syntax_error(0, self._tree.expressions[at].sql("snowflake"))
        told_here = [each for each in found if each is not None]
        return Result([Field(name) for name, _ in told_here], [[get(self._asker) for _, get in told_here]])

    def _outputs(self, source: _Source) -> list[exp.Expr]:
        outputs: list[exp.Expr] = []
        for each in self._tree.expressions:
            if isinstance(each, exp.Star):
                outputs += [exp.column(exp.to_identifier(name, quoted=True)) for name in source.columns]
            else:
                outputs.append(each)
        return outputs

    def _order(self, compiler: Compiler, outputs: list[Compiled]) -> list[tuple[Callable[[Any], Any], bool]]:
        order = []
        for each in (self._tree.args.get("order") or exp.Order(expressions=[])).expressions:
            by = each.this
            if isinstance(by, exp.Literal) and not by.is_string:
                if not 1 <= int(by.this) <= len(outputs):
                    raise syntax_error(0, by.this)
                get = outputs[int(by.this) - 1].get
            else:
                get = compiler.compile(by).get
            order.append((get, bool(each.args.get("desc"))))
        return order

    def _filtered(self, compiler: Compiler, source: _Source) -> Iterator[Any]:
        where = self._tree.args.get("where")
        if where is None:
            return source.rows()
        fits = compiler.compile(where.this).get
        return (row for row in source.rows() if fits(row) is True)

    def _source(self, table: exp.Table) -> _Source:
        path = path_of(table)
        found = dictionary(path, self._asker.sight)
        if found is not None:
            if table.args.get("sample"):
                raise unsupported("Sampling is not supported on this object.")
            return self._of_dictionary(path, found)
        relation = self._asker.sight.data(path)
        columns = {column.name: _stored(column, at) for at, column in enumerate(relation.columns)}
        sample = table.args.get("sample")
        rows = list(relation.rows)
        if sample is not None:
            rows = list(self._sampled(sample, relation, path))
        return _Source(columns, lambda: iter(rows))

    def _of_dictionary(self, path: Path, found: Dictionary) -> _Source:
        if found.viewer and found.viewer not in self._asker.sight.viewers():
            raise missing("Object", written(path))
        if not found.viewer and not self._asker.sight.privileges("DATABASE", path[0]):
            raise missing("Database", written(path[:1]))
        columns = {name: Compiled(type_, get) for name, (type_, get) in found.columns.items()}
        schema = self._named_schema(found.schema_column)
        most = self._asker.limits.information_schema_rows if found.bounded else None
        return _Source(columns, lambda: found.rows(schema), most)

    def _named_schema(self, column: str) -> str | None:
        """The one schema that the statement asks for, so that the others need not be looked at."""
        where = self._tree.args.get("where")
        parts = where.this.flatten() if where and isinstance(where.this, exp.And) else [where.this] if where else []
        for part in parts:
            named = isinstance(part, exp.EQ) and isinstance(part.this, exp.Column) and folded(part.this.this) == column
            if named and isinstance(part.expression, exp.Literal):
                return str(part.expression.this)
        return None

    def _sampled(self, sample: exp.TableSample, relation: Relation, path: Path) -> Sequence[Any]:
        seed = sample.args.get("seed")
        size, percent = sample.args.get("size"), sample.args.get("percent")
        if seed is not None and (size is not None or relation.is_view):
            raise unsupported("SEED is not supported with fixed-size sampling, nor on views.")
        if relation.is_view and str(sample.args.get("method")).upper() in ("SYSTEM", "BLOCK"):
            raise unsupported("SYSTEM sampling is not supported on views.")
        if size is not None:
            return relation.rows[: int(size.this)]
        if percent is None or not 0 <= float(percent.this) <= 100:
            raise syntax_error(0, sample.sql("snowflake"))
        per = self._asker.limits.partition_rows if str(sample.args.get("method")).upper() == "SYSTEM" else 1
        word = seed.this if seed is not None else self._asker.limits.next_random()
        return [
            row
            for number, part in enumerate(_batched(relation.rows, per))
            if _chance(f"{written(path)} {word} {number}") * 100 < float(percent.this)
            for row in part
        ]


def _stored(column: Column, at: int) -> Compiled:
    if column.masking_policy is None:
        return Compiled(column.type, lambda row: row[at])
    masked = MASKED if column.type.startswith("VARCHAR") else None
    return Compiled(column.type, lambda row: None if row[at] is None else masked)


def _name(output: exp.Expr) -> str:
    if isinstance(output, exp.Alias):
        return folded(output.args["alias"])
    return folded(output.this) if isinstance(output, exp.Column) else output.sql("snowflake")


def _sort_key(get: Callable[[Any], Any], row: Any) -> tuple[bool, Any]:
    value = get(row)
    if isinstance(value, (dict, list)):
        value = str(value)
    return value is None, 0 if value is None else value


def _chance(text: str) -> float:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6]) / 2**48


def _batched(rows: Sequence[Any], size: int) -> Iterator[list[Any]]:
    left = iter(rows)
    while part := list(itertools.islice(left, size)):
        yield part

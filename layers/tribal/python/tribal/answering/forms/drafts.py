"""A draft of SQL from its parts: what to compute, over which tables, with which conditions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tribal.joins.statements import ROW_LIMIT
from tribal.questions.periods import Period, Unit
from tribal.sql.dialect import legible_identifier, legible_table
from tribal_contracts import DatabaseType, DocumentedColumn, GetJoinPathOutput, TableDocument


@dataclass(frozen=True, slots=True, eq=False)
class ColumnOf:
    """A column of a table."""

    table: TableDocument
    column: DocumentedColumn


@dataclass(frozen=True, slots=True)
class Condition:
    """Which rows count: a column with a value, or one that is set or not."""

    of: ColumnOf
    value: str | None = None
    """`None`: the column is true or filled."""
    denied: bool = False


@dataclass(frozen=True, slots=True)
class Draft:
    """The parts of a query."""

    base: TableDocument
    function: str
    """`COUNT`, `SUM`, `AVG`, `MIN` or `MAX`; empty for a list of rows."""
    measure: ColumnOf | None = None
    conditions: Sequence[Condition] = ()
    date: ColumnOf | None = None
    period: Period | None = None
    unit: Unit | None = None
    groups: Sequence[ColumnOf] = ()
    shown: Sequence[ColumnOf] = ()
    """The columns of a list."""
    order: ColumnOf | None = None
    """The column by which a list is ranked."""
    ascending: bool = False
    is_ranked: bool = False
    """Whether the groups with the highest figure come first."""
    _aliases: dict[str, str] = field(default_factory=dict)

    @property
    def tables(self) -> list[str]:
        """The tables that it reads, the one that is counted first."""
        used = [*self.groups, *self.shown, *(each.of for each in self.conditions)]
        used += [each for each in (self.measure, self.order, self.date) if each is not None]
        return list(dict.fromkeys([self.base.name, *(each.table.name for each in used)]))

    @property
    def kind(self) -> DatabaseType:
        """The dialect."""
        return self.base.database_type

    def sql(self, joined: GetJoinPathOutput | None) -> str | None:
        """Return the query; `None` if a join would repeat what is summed.

        Args:
            joined: the joins of its tables, which begin at the one that is counted; `None` for a single table.
        """
        steps = (joined.path or []) if joined else []
        repeats = any(step.fans_out for step in steps)
        if repeats and self.function not in ("", "COUNT"):
            return None
        self._aliases.update({self.base.name: "t0"} if steps else {})
        for step in steps:
            self._aliases.setdefault(step.to_table, step.to_alias or "")
        head = self._selected(repeats=repeats)
        rows = self._source(joined)
        where = [*map(self._condition, self.conditions), *self._in_period()]
        lines = [f"SELECT {', '.join(head)}", *rows]
        lines += [f"WHERE {' AND '.join(where)}"] if where else []
        count = len(self.groups) + (self.unit is not None)
        if self.function and count:
            lines.append(f"GROUP BY {', '.join(map(str, range(1, count + 1)))}")
            lines.append(f"ORDER BY {count + 1} DESC" if self.is_ranked else "ORDER BY 1")
        if self.order is not None:
            lines.append(f"ORDER BY {self._name(self.order)}{'' if self.ascending else ' DESC NULLS LAST'}")
        if not self.function or self.is_ranked:
            lines.append(f"LIMIT {10 if self.is_ranked or self.order else ROW_LIMIT}")
        return "\n".join(lines)

    def _selected(self, *, repeats: bool) -> list[str]:
        if not self.function:
            shown = dict.fromkeys([*self.shown, *([self.order] if self.order else [])])
            names = [self._name(each) for each in shown] or ["*"]
            return [f"DISTINCT {names[0]}", *names[1:]] if repeats else names
        head = []
        if self.unit is not None and self.date is not None:
            head.append(f"date_trunc('{self.unit}', {self._name(self.date)}) AS {self.unit}")
        head += [self._name(each) for each in self.groups]
        if self.measure is not None:
            return [*head, f"{self.function}({self._name(self.measure)})"]
        key = self.base.primary_key
        if repeats and key is not None and len(key.columns) == 1:
            column = next(each for each in self.base.columns if each.name == key.columns[0])
            return [*head, f"COUNT(DISTINCT {self._name(ColumnOf(self.base, column))})"]
        return [*head, "COUNT(*)"]

    def _source(self, joined: GetJoinPathOutput | None) -> list[str]:
        if joined and joined.sql_snippet and joined.path:
            lines = joined.sql_snippet.splitlines()
            start = next(place for place, line in enumerate(lines) if line.startswith("FROM "))
            return [line for line in lines[start:] if not line.startswith("LIMIT")]
        table = self.base
        name = legible_table(table.server_database or table.database, table.schema_, table.table, self.kind)
        return [f"FROM {name}"]

    def _name(self, each: ColumnOf) -> str:
        alias = self._aliases.get(each.table.name)
        name = legible_identifier(each.column.name, self.kind)
        return f"{alias}.{name}" if alias else name

    def _condition(self, each: Condition) -> str:
        name = self._name(each.of)
        if each.value is not None:
            quoted = each.value.replace("'", "''")
            is_number = each.value.lstrip("-").isdigit() and "char" not in each.of.column.type
            literal = each.value if is_number and "text" not in each.of.column.type else f"'{quoted}'"
            return f"{name} {'<>' if each.denied else '='} {literal}"
        if (each.of.column.base_type or each.of.column.type).lower().startswith("bool"):
            return f"NOT {name}" if each.denied else name
        return f"{name} IS {'' if each.denied else 'NOT '}NULL"

    def _in_period(self) -> list[str]:
        if self.period is None or self.date is None:
            return []
        name, period = self._name(self.date), self.period
        if period.month is not None:
            return [f"extract(month FROM {name}) = {period.month}"]
        start = f"DATE '{period.start}'" if period.start else None
        end = f"DATE '{period.end}'" if period.end else None
        if period.unit is not None:
            start = self._units_back(period.unit, period.back)
            end = self._units_back(period.unit, period.back - period.count)
        parts = [f"{name} >= {start}" if start else "", f"{name} < {end}" if end else ""]
        return [part for part in parts if part]

    def _units_back(self, unit: Unit, count: int) -> str:
        now = f"date_trunc('{unit}', current_date)"
        if count == 0:
            return now
        if self.kind == "snowflake":
            return f"dateadd({unit}, {-count}, {now})"
        step = f"interval '{abs(count) * (3 if unit == 'quarter' else 1)} {'month' if unit == 'quarter' else unit}'"
        return f"{now} {'-' if count > 0 else '+'} {step}"

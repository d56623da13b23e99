"""Expressions of SELECT, compiled from sqlglot's trees; what is not here is an error as Snowflake's for the unknown."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlglot import exp

from tests.fakes.snowflake import datatypes
from tests.fakes.snowflake.definitions import folded
from tests.fakes.snowflake.errors import invalid_identifier, syntax_error, unknown_function
from tests.fakes.snowflake.formats import Formats
from tests.fakes.snowflake.results import Field, encoded
from tests.fakes.snowflake.showing import like

Get = Callable[[Any], Any]
_TEXT = "VARCHAR(16777216)"
_COMPARED: dict[type[exp.Expr], Callable[[Any, Any], bool]] = {
    exp.EQ: operator.eq,
    exp.NEQ: operator.ne,
    exp.LT: operator.lt,
    exp.LTE: operator.le,
    exp.GT: operator.gt,
    exp.GTE: operator.ge,
}
_NESTED = ("VARIANT", "OBJECT", "ARRAY", "MAP")


@dataclass(frozen=True)
class Compiled:
    """How to get a value out of a row, and its type in SQL."""

    type: str
    get: Get


@dataclass(frozen=True)
class Compiler:
    """Compiles expressions over one table's columns.

    Args:
        columns: by the name that is stored. bound: values of `?`, in order. now: the time of the statement.
    """

    columns: Mapping[str, Compiled]
    formats: Formats
    bound: list[str | None]
    now: datetime

    def compile(self, node: exp.Expr) -> Compiled:
        """One expression.

        Raises:
            SqlError: it names a column that is not there, or a function that is not known.
        """
        if isinstance(node, (exp.Paren, exp.Alias)):
            return self.compile(node.this)
        if isinstance(node, exp.Column):
            name = folded(node.this)
            if name not in self.columns:
                raise invalid_identifier(node.sql("snowflake"))
            return self.columns[name]
        for kind, compiled in self._by_kind().items():
            if isinstance(node, kind):
                return compiled(node)
        if isinstance(node, exp.Func):
            raise unknown_function(node.name or node.sql_name())
        raise syntax_error(0, node.sql("snowflake"))

    def _by_kind(self) -> dict[type[exp.Expr], Callable[[Any], Compiled]]:
        return {
            exp.Literal: self._literal,
            exp.Placeholder: lambda _: Compiled(_TEXT, _constant(self.bound.pop(0) if self.bound else None)),
            exp.Null: lambda _: Compiled(_TEXT, _constant(None)),
            exp.Boolean: lambda node: Compiled("BOOLEAN", _constant(bool(node.this))),
            exp.Neg: self._negative,
            exp.CurrentTimestamp: lambda _: Compiled("TIMESTAMP_LTZ(9)", _constant(self.now)),
            exp.DateAdd: self._date_add,
            exp.Cast: self._cast,
            exp.ToChar: self._text,
            exp.Left: self._left,
            exp.JSONFormat: self._json,
            exp.Length: lambda node: self._of(node.this, "NUMBER(38,0)", len),
            exp.Not: lambda node: self._of(node.this, "BOOLEAN", operator.not_),
            exp.Is: self._is_null,
            exp.And: lambda node: self._logic(node, decides=False),
            exp.Or: lambda node: self._logic(node, decides=True),
            exp.In: self._in,
            exp.Between: self._between,
            exp.Like: self._like,
            **dict.fromkeys(_COMPARED, self._compare),
        }

    def _of(self, node: exp.Expr, type_: str, change: Callable[[Any], Any]) -> Compiled:
        get = self.compile(node).get

        def value(row: Any) -> Any:
            found = get(row)
            return None if found is None else change(found)

        return Compiled(type_, value)

    def _literal(self, node: exp.Literal) -> Compiled:
        if node.is_string:
            return Compiled(_TEXT, _constant(node.this))
        number = float(node.this) if "." in node.this else int(node.this)
        return Compiled("NUMBER(38,0)" if isinstance(number, int) else "FLOAT", _constant(number))

    def _negative(self, node: exp.Neg) -> Compiled:
        return self._of(node.this, self.compile(node.this).type, operator.neg)

    def _date_add(self, node: exp.DateAdd) -> Compiled:
        if node.text("unit").upper() != "HOUR":
            raise unknown_function(f"DATEADD of {node.text('unit')}")
        added = timedelta(hours=self.compile(node.expression).get(()))
        return self._of(node.this, self.compile(node.this).type, lambda moment: moment + added)

    def _cast(self, node: exp.Cast) -> Compiled:
        to = datatypes.canonical(node.to.sql("snowflake"))
        name, arguments = datatypes.parts(to)
        if name != "VARCHAR":
            raise unknown_function(f"CAST to {to}")
        compiled = self._text(node)
        return Compiled(to, lambda row: (compiled.get(row) or "")[: int(arguments[0])] or compiled.get(row))

    def _text(self, node: exp.ToChar | exp.Cast) -> Compiled:
        if node.args.get("format") is not None:
            raise unknown_function("TO_CHAR with a format")
        type_ = self.compile(node.this).type
        return self._of(node.this, _TEXT, lambda value: self.formats.text(value, type_))

    def _left(self, node: exp.Left) -> Compiled:
        length = self.compile(node.expression).get(())
        return self._of(node.this, _TEXT, lambda value: str(value)[:length])

    def _json(self, node: exp.JSONFormat) -> Compiled:
        if datatypes.parts(self.compile(node.this).type)[0] not in _NESTED:
            raise unknown_function("TO_JSON of what is no VARIANT")
        # https://docs.snowflake.com/en/sql-reference/functions/to_json : without spaces.
        return self._of(node.this, _TEXT, lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":")))

    def _is_null(self, node: exp.Is) -> Compiled:
        if not isinstance(node.expression, exp.Null):
            raise syntax_error(0, node.sql("snowflake"))
        get = self.compile(node.this).get
        return Compiled("BOOLEAN", lambda row: get(row) is None)

    def _logic(self, node: exp.And | exp.Or, *, decides: bool) -> Compiled:
        left, right = self.compile(node.this).get, self.compile(node.expression).get

        def value(row: Any) -> bool | None:
            first: bool | None = left(row)
            if first is decides:
                return decides
            second: bool | None = right(row)
            return second if second is decides or first is not None else None

        return Compiled("BOOLEAN", value)

    def _compare(self, node: exp.Binary) -> Compiled:
        left, right = self.compile(node.this).get, self.compile(node.expression).get
        compare = _COMPARED[type(node)]

        def value(row: Any) -> bool | None:
            first, second = left(row), right(row)
            return None if first is None or second is None else compare(first, second)

        return Compiled("BOOLEAN", value)

    def _in(self, node: exp.In) -> Compiled:
        among = {self.compile(each).get(()) for each in node.expressions}
        return self._of(node.this, "BOOLEAN", lambda value: value in among)

    def _between(self, node: exp.Between) -> Compiled:
        low, high = self.compile(node.args["low"]).get(()), self.compile(node.args["high"]).get(())
        return self._of(node.this, "BOOLEAN", lambda value: low <= value <= high)

    def _like(self, node: exp.Like) -> Compiled:
        fits = like(self.compile(node.expression).get(()), re.DOTALL)
        return self._of(node.this, "BOOLEAN", fits)


def _constant(value: Any) -> Get:
    return lambda _: value


def field(name: str, type_: str) -> Field:
    """A result's column of a type."""
    kind, arguments = datatypes.parts(type_)
    if kind == "NUMBER":
        return Field(name, "fixed", precision=int(arguments[0]), scale=int(arguments[1]))
    if kind.startswith("TIME"):
        return Field(name, kind.lower(), precision=0, scale=int(arguments[0]))
    if kind in ("VARCHAR", "BINARY"):
        return Field(name, "text" if kind == "VARCHAR" else "binary", length=int(arguments[0]))
    wire = {"FLOAT": "real", "GEOGRAPHY": "object", "GEOMETRY": "object", "VECTOR": "text"}
    return Field(name, wire.get(kind, kind.lower()))


def told(value: Any, type_: str) -> str | None:
    """A value of a type as the wire writes it."""
    text = encoded(value)
    # A time with its own zone carries the zone's minutes, counted from 1,440.
    if text is not None and type_.startswith("TIMESTAMP_TZ") and " " not in text:
        return f"{text} 1440"
    return text

"""SELECT, parsed by sqlglot and evaluated here."""

from __future__ import annotations

from collections.abc import Callable

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.fakes.snowflake.errors import SqlError, syntax_error, unknown_function
from tests.fakes.snowflake.results import Field, Result
from tests.fakes.snowflake.showing import Asker

VERSION = "9.36.1"

_CONTEXT: dict[str, Callable[[Asker], str | None]] = {
    "CURRENT_VERSION": lambda _: VERSION,
    "CURRENT_USER": lambda asker: asker.user,
    "CURRENT_ROLE": lambda asker: asker.role,
    "CURRENT_WAREHOUSE": lambda asker: asker.warehouse,
    "CURRENT_DATABASE": lambda asker: asker.database,
}


class Plan:
    """A parsed SELECT."""

    def __init__(self, sql: str, bindings: list[str | None]) -> None:
        try:
            parsed = sqlglot.parse(sql, dialect="snowflake")
        except SqlglotError as error:
            raise syntax_error(0, str(error).splitlines()[0]) from error
        if len(parsed) != 1 or not isinstance(parsed[0], exp.Select):
            raise SqlError("000008", "0A000", "Actual statement count 2 did not match the desired statement count 1.")
        self.tree: exp.Select = parsed[0]
        self.bindings = bindings

    @property
    def needs_warehouse(self) -> bool:
        """Context functions alone need none."""
        return self.tree.args.get("from_") is not None


class Select:
    """One run of a plan."""

    def __init__(self, plan: Plan, asker: Asker) -> None:
        self._plan = plan
        self._asker = asker

    def result(self) -> Result:
        """The rows."""
        fields, row = [], []
        for each in self._plan.tree.expressions:
            name = each.this.name if isinstance(each, exp.Anonymous) else each.sql_name()
            if name.upper() not in _CONTEXT:
                raise unknown_function(name)
            fields.append(Field(f"{name.upper()}()"))
            row.append(_CONTEXT[name.upper()](self._asker))
        return Result(fields, [row])

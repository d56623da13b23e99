"""The query of a view, from the text with which a person created it."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError
from sqlglot.optimizer.qualify import qualify
from sqlglot.schema import MappingSchema

from tribal.ports import SchemaAndTable

MAX_TEXT_CHARS = 50_000
"""A longer text is not parsed."""
_ANY_TYPE = "VARIANT"
_OTHER_LITERALS = (exp.RawString, exp.National, exp.HexString, exp.ByteString, exp.BitString, exp.UnicodeString)
# What it cannot parse is told by an exception; its warnings would land among our own messages.
logging.getLogger("sqlglot").setLevel(logging.ERROR)


class ViewQueries:
    """Reads the views of one database.

    Args:
        database: its name on the server.
        columns: the columns of every table of the database.
    """

    def __init__(self, database: str, columns: Mapping[SchemaAndTable, Sequence[str]]) -> None:
        self._database = database
        schemas: dict[str, dict[str, dict[str, str]]] = {}
        for (schema, table), names in columns.items():
            tables = schemas.setdefault(_quoted(schema), {})
            tables[_quoted(table)] = {_quoted(name): _ANY_TYPE for name in names}
        self._known = MappingSchema({_quoted(database): schemas}, dialect="snowflake")

    def read(self, text: str, schema: str) -> str | None:
        """The query of a `CREATE VIEW` with every name as it is stored, qualified and quoted, and without values.

        Each output bears the name of the view's column, and `*` is resolved. Tables of the database stand as
        `"SCHEMA"."TABLE"`; in place of a table of another one stands a subquery without rows.

        Args:
            text: the statement.
            schema: of the view, which names without a schema are of.

        Returns:
            `None` for a text that cannot be parsed with certainty.
        """
        if len(text) > MAX_TEXT_CHARS:
            return None
        try:
            statement = parse_one(text, read="snowflake")
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
        except (SqlglotError, RecursionError, ValueError):
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
    """The query without values, and without names of databases."""
    for literal in list(query.find_all(exp.Literal, *_OTHER_LITERALS)):
        is_number = isinstance(literal, exp.Literal) and not literal.is_string
        literal.replace(exp.Literal.number(0) if is_number else exp.Literal.string(""))
    for table in list(query.find_all(exp.Table)):
        if table.catalog == database:
            table.set("catalog", None)
        elif table.catalog:
            nothing = exp.select(exp.null()).subquery(table.alias_or_name)
            table.replace(nothing)
    return query

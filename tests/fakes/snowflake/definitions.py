"""Tables and views from their CREATE statements, and rows from INSERT, read by sqlglot."""

from __future__ import annotations

from typing import Any

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.fakes.snowflake.account import Account
from tests.fakes.snowflake.catalog import Column, ForeignKey, Key, Kind, Relation
from tests.fakes.snowflake.errors import SqlError, syntax_error
from tests.fakes.snowflake.names import Path, unescaped

_PREFIXES: dict[str, Kind] = {
    "TRANSIENT": "transient",
    "DYNAMIC": "dynamic",
    "EXTERNAL": "external",
    "HYBRID": "hybrid",
    "ICEBERG": "iceberg",
    "EVENT": "event",
    "SECURE": "secure_view",
    "MATERIALIZED": "materialized",
}


def folded(identifier: exp.Expr) -> str:
    """What an identifier names."""
    return identifier.name if identifier.args.get("quoted") else identifier.name.upper()


def path_of(table: exp.Table) -> Path:
    """The whole path that a table is written with."""
    return tuple(folded(part) for part in table.parts)


def parsed(sql: str) -> exp.Expression:
    """One statement.

    Raises:
        SqlError: it is not in sqlglot's grammar for Snowflake.
    """
    try:
        tree = sqlglot.parse_one(sql, dialect="snowflake")
    except SqlglotError as error:
        raise syntax_error(0, str(error).splitlines()[0]) from error
    if not isinstance(tree, exp.Expression):
        raise syntax_error(0, sql.split()[0])
    return tree


def created(sql: str, account: Account) -> tuple[Path, Relation, bool]:
    """What a CREATE makes, where, and whether it stands back for one that is there.

    The kind's own word goes before TABLE or VIEW; sqlglot does not know all of them, and they are taken out first.
    """
    words = sql.split()
    head = next((n for n, word in enumerate(words) if word.upper() in ("TABLE", "VIEW")), 0)
    kind: Kind = "view" if words[head].upper() == "VIEW" else "table"
    for word in words[1:head]:
        kind = _PREFIXES.get(word.upper(), kind)
    plain = [word for word in words[:head] if word.upper() not in _PREFIXES]
    at = sql.upper().index(words[head].upper())
    tree = parsed(" ".join(plain) + " " + sql[at:])
    if not isinstance(tree, exp.Create):
        raise syntax_error(0, words[0])
    shape = tree.this
    table = shape.this if isinstance(shape, exp.Schema) else shape
    path = path_of(table)
    if len(path) != 3:
        raise syntax_error(at, table.sql())
    relation = Relation(path[2], kind)
    for each in shape.expressions if isinstance(shape, exp.Schema) else ():
        _member(each, relation, path)
    if relation.is_view:
        relation.text = sql
    if tree.expression is not None and not relation.columns:
        relation.columns = _selected(tree.expression, account)
    elif tree.expression is not None and relation.is_view:
        types = [column.type for column in _selected(tree.expression, account)]
        for column, type_ in zip(relation.columns, types, strict=True):
            column.type = type_
    for each in (tree.args.get("properties") or exp.Properties()).expressions:
        if isinstance(each, exp.SchemaCommentProperty):
            relation.comment = _text(each.this)
        elif isinstance(each, exp.ClusterProperty):
            relation.cluster_by = f"LINEAR({', '.join(part.sql('snowflake') for part in each.expressions)})"
    return path, relation, bool(tree.args.get("exists"))


def _member(member: exp.Expression, relation: Relation, path: Path) -> None:
    if isinstance(member, exp.ColumnDef):
        relation.columns.append(_column(member, relation, path))
    elif isinstance(member, exp.Identifier):
        relation.columns.append(Column(folded(member)))
    elif isinstance(member, exp.Constraint):
        for each in member.expressions:
            _constraint(each, relation, path, folded(member.this))
    else:
        _constraint(member, relation, path, "")


def _constraint(member: exp.Expression, relation: Relation, path: Path, name: str) -> None:
    columns = tuple(folded(each.this if isinstance(each, exp.Ordered) else each) for each in member.expressions)
    if isinstance(member, exp.PrimaryKey):
        relation.primary_key = Key(columns, name)
    elif isinstance(member, exp.UniqueColumnConstraint):
        relation.unique_keys.append(Key(tuple(folded(each) for each in member.this.expressions), name))
    elif isinstance(member, exp.ForeignKey):
        relation.foreign_keys.append(_foreign(member.args["reference"], columns, path, name))
    else:
        raise SqlError("001003", "42000", f"SQL compilation error:\nsyntax error unexpected '{member.sql()}'.")


def _foreign(reference: exp.Expression, columns: tuple[str, ...], path: Path, name: str) -> ForeignKey:
    target = reference.this
    table = target.this if isinstance(target, exp.Schema) else target
    to = path_of(table)
    whole = (*path[: 3 - len(to)], *to)
    to_columns = tuple(folded(each) for each in target.expressions) if isinstance(target, exp.Schema) else columns
    return ForeignKey(columns, (whole[0], whole[1], whole[2]), to_columns, name)


def _column(definition: exp.ColumnDef, relation: Relation, path: Path) -> Column:
    kind = definition.args.get("kind")
    column = Column(folded(definition.this), kind.sql("snowflake") if kind else "VARCHAR")
    for each in definition.args.get("constraints") or ():
        rule = each.kind
        if isinstance(rule, exp.NotNullColumnConstraint):
            column.nullable = bool(rule.args.get("allow_null"))
        elif isinstance(rule, exp.CommentColumnConstraint):
            column.comment = _text(rule.this)
        elif isinstance(rule, exp.DefaultColumnConstraint):
            column.default = rule.this.sql("snowflake")
        elif isinstance(rule, (exp.AutoIncrementColumnConstraint, exp.GeneratedAsIdentityColumnConstraint)):
            column.identity = "IDENTITY START 1 INCREMENT 1 NOORDER"
        elif isinstance(rule, exp.PrimaryKeyColumnConstraint):
            relation.primary_key = Key((column.name,))
            column.nullable = False
        elif isinstance(rule, exp.UniqueColumnConstraint):
            relation.unique_keys.append(Key((column.name,)))
        elif isinstance(rule, exp.Reference):
            relation.foreign_keys.append(_foreign(rule, (column.name,), path, ""))
    if relation.primary_key and column.name in relation.primary_key.columns:
        column.nullable = False
    return column


def _selected(query: exp.Expression, account: Account) -> list[Column]:
    """The columns of a query over one table: types are known for plain columns, and VARCHAR for all others."""
    table = query.find(exp.Table)
    known: dict[str, str] = {}
    if table is not None and len(path_of(table)) == 3:
        database, schema, name = path_of(table)
        found = account.databases.get(database)
        relation = found.schemas[schema].relations.get(name) if found and schema in found.schemas else None
        known = {column.name: column.type for column in relation.columns} if relation else {}
    made = []
    for each in query.selects if isinstance(query, exp.Query) else ():
        if isinstance(each, exp.Star):
            made += [Column(name, type_) for name, type_ in known.items()]
            continue
        inner = each.this if isinstance(each, exp.Alias) else each
        alias = each.args.get("alias") if isinstance(each, exp.Alias) else each.this
        name = folded(alias) if isinstance(alias, exp.Identifier) else each.sql("snowflake").upper()
        made.append(
            Column(name, known.get(folded(inner.this), "VARCHAR") if isinstance(inner, exp.Column) else "VARCHAR")
        )
    return made


def _text(literal: exp.Expression) -> str:
    return unescaped("'" + literal.name.replace("'", "''") + "'") if isinstance(literal, exp.Literal) else literal.name


def inserted(sql: str) -> tuple[Path, list[tuple[Any, ...]]]:
    """Rows of literals for a table, one value for each of its columns."""
    tree = parsed(sql)
    if not isinstance(tree, exp.Insert) or not isinstance(tree.this, exp.Table):
        raise syntax_error(0, sql.split()[0])
    rows = [tuple(_value(each) for each in row.expressions) for row in tree.expression.expressions]
    return path_of(tree.this), rows


def _value(node: exp.Expression) -> Any:
    if isinstance(node, exp.Null):
        return None
    if isinstance(node, exp.Boolean):
        return bool(node.this)
    if isinstance(node, exp.Neg):
        return -_value(node.this)
    if isinstance(node, exp.Literal):
        return node.this if node.is_string else float(node.this) if "." in node.this else int(node.this)
    raise syntax_error(0, node.sql())
